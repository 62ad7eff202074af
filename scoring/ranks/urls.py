"""How certain ranks are, and how many topics would settle them."""

from django.urls import URLPattern, path

from scoring.output.responses import table_paths
from scoring.ranks import calculator_views, views

HERE = "campaigns/<slug:slug>/ranks"

urlpatterns: list[URLPattern] = [
    path(f"{HERE}/", views.ranks_page, name="ranks"),
    *table_paths(HERE, views.ranks_rows, "ranks"),
    path(f"{HERE}/stability/", views.stability_page, name="stability"),
    *table_paths(f"{HERE}/stability", views.stability_rows, "stability"),
    *table_paths(f"{HERE}/swaps", views.swap_rows, "swaps"),
    path(f"{HERE}/topics/", views.topics_page, name="needed-topics"),
    *table_paths(f"{HERE}/topics", views.topics_rows, "needed-topics"),
    path(
        "measures/playground/topics/",
        calculator_views.topics_calculator,
        name="topics-calculator",
    ),
]
