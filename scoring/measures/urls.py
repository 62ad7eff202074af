"""The catalogue of measures and the playground; no campaign needed."""

from django.urls import path

from scoring.measures import views
from scoring.measures.playground import views as playground

urlpatterns = [
    path("measures/", views.measure_list, name="measure-list"),
    path("measures.csv", views.catalogue_csv, name="measures-csv"),
    path("measures/properties.csv", views.properties_csv, name="properties-csv"),
    path("measures/playground/", playground.playground, name="playground"),
    path("measures/playground.csv", playground.playground_csv, name="playground-csv"),
    path("measures/<str:name>/", views.measure_detail, name="measure-detail"),
]
