"""How certain ranks are, and how many topics would settle them."""

from django.urls import URLPattern, path

from scoring.ranks import calculator_views, views

HERE = "campaigns/<slug:slug>/ranks"

urlpatterns: list[URLPattern] = [
    path(f"{HERE}/", views.ranks_page, name="ranks"),
    *views.RANKS_OF_RUNS.paths(HERE),
    path(f"{HERE}/stability/", views.stability_page, name="stability"),
    *views.STABILITY_OF_HALVES.paths(f"{HERE}/stability"),
    *views.SWAPS_OF_HALVES.paths(f"{HERE}/swaps"),
    path(f"{HERE}/topics/", views.topics_page, name="needed-topics"),
    *views.NEEDED_TOPICS.paths(f"{HERE}/topics"),
    path(
        "measures/playground/topics/",
        calculator_views.topics_calculator,
        name="topics-calculator",
    ),
]
api_urlpatterns = [
    views.RANKS_OF_RUNS.api_path(HERE),
    views.STABILITY_OF_HALVES.api_path(f"{HERE}/stability"),
    views.SWAPS_OF_HALVES.api_path(f"{HERE}/swaps"),
    views.NEEDED_TOPICS.api_path(f"{HERE}/topics"),
]
