"""The catalogue of measures and the playground; no campaign needed."""

from django.urls import path

from scoring.views import measures, playground

urlpatterns = [
    path("measures/", measures.measure_list, name="measure-list"),
    path("measures.csv", measures.catalogue_table, name="measures-csv"),
    path("measures/properties.csv", measures.properties_table, name="properties-csv"),
    path("measures/playground/", playground.playground, name="playground"),
    path("measures/playground.csv", playground.playground_csv, name="playground-csv"),
    path("measures/<str:name>/", measures.measure_detail, name="measure-detail"),
]
