from django.urls import path

from scoring import views

app_name = "scoring"
urlpatterns = [
    path("campaigns/<slug:slug>/leaderboard/", views.leaderboard_page, name="leaderboard"),
    path("campaigns/<slug:slug>/leaderboard.csv", views.leaderboard_csv, name="leaderboard-csv"),
    path("campaigns/<slug:slug>/runs/<str:public_id>/", views.run_detail, name="run-detail"),
    path("campaigns/<slug:slug>/runs/<str:public_id>/status/", views.run_status, name="run-status"),
]
