"""Two runs side by side."""

from django.urls import path

from scoring.views import comparison, topic_sides

HERE = "campaigns/<slug:slug>"

urlpatterns = [
    path(f"{HERE}/compare/", comparison.compare_page, name="compare"),
    path(
        f"{HERE}/compare/topics/<path:code>.csv",
        topic_sides.sides_table,
        name="compare-topic-csv",
    ),
    path(f"{HERE}/compare/topics/<path:code>/", topic_sides.sides_page, name="compare-topic"),
    path(f"{HERE}/compare.csv", comparison.compare_csv, name="compare-csv"),
    path(f"{HERE}/compare/by-p.csv", comparison.compare_bands_csv, name="compare-bands-csv"),
    path(f"{HERE}/compare.tex", comparison.compare_tex, name="compare-latex"),
]
