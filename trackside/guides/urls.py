"""The URLs of the guides."""

from django.urls import path

from trackside.guides import views

app_name = "guides"
urlpatterns = [
    path("guides/", views.contents, name="contents"),
    path("guides/files/<path:file>", views.file, name="file"),
    path("guides/<slug:guide>/", views.guide, name="guide"),
]
