"""Tables, packages and snapshots."""

from django.urls import path

from scoring.views import downloads, snapshots

HERE = "campaigns/<slug:slug>"

urlpatterns = [
    path(f"{HERE}/downloads/", downloads.downloads, name="downloads"),
    path(f"{HERE}/scores.csv", downloads.scores_csv, name="scores-csv"),
    path(
        f"{HERE}/runs/<str:public_id>/trec_eval.txt",
        downloads.run_trec_eval,
        name="run-trec-eval",
    ),
    path(f"{HERE}/package.zip", downloads.package, name="package"),
    path(f"{HERE}/snapshots/new/", snapshots.snapshot_create, name="snapshot-create"),
    # A snapshot is cited: its address says nothing that might change.
    path("snapshots/<str:snapshot>/", snapshots.snapshot_detail, name="snapshot-detail"),
    path("snapshots/<str:snapshot>.zip", snapshots.snapshot_file, name="snapshot-file"),
]
