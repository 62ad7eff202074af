"""The catalogue of measures and the playground; no campaign needed."""

from django.urls import path

from scoring.measures import views
from scoring.measures.playground import views as playground
from scoring.output.responses import table_paths

urlpatterns = [
    path("measures/", views.measure_list, name="measure-list"),
    *views.CATALOGUE.paths("measures"),
    *views.MEASURE_PROPERTIES.paths("measures/properties"),
    path("measures/playground/", playground.playground, name="playground"),
    *table_paths("measures/playground", playground.playground_table, "playground"),
    path("measures/<str:name>/", views.measure_detail, name="measure-detail"),
]
api_urlpatterns = [
    views.CATALOGUE.api_path("measures"),
    views.MEASURE_PROPERTIES.api_path("measures/properties"),
]
