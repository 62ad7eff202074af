"""Tables, packages and snapshots."""

from django.urls import path

from scoring.downloads import deposit_views, snapshot_views, views

HERE = "campaigns/<slug:slug>"

urlpatterns = [
    path(f"{HERE}/downloads/", views.downloads, name="downloads"),
    path(f"{HERE}/scores.csv", views.scores_csv, name="scores-csv"),
    path(
        f"{HERE}/runs/<str:public_id>/trec_eval.txt",
        views.run_trec_eval,
        name="run-trec-eval",
    ),
    path(f"{HERE}/embedding/", views.embedding_edit, name="embedding-edit"),
    path(f"{HERE}/deposit/", deposit_views.deposit, name="deposit"),
    path(f"{HERE}/deposit.zip", deposit_views.deposit_file, name="deposit-file"),
    path(f"{HERE}/package.zip", views.package, name="package"),
    path(f"{HERE}/snapshots/new/", snapshot_views.snapshot_create, name="snapshot-create"),
    # A snapshot is cited, so its URL contains nothing that can change.
    path("snapshots/<str:snapshot>/", snapshot_views.snapshot_detail, name="snapshot-detail"),
    path("snapshots/<str:snapshot>/doi/", snapshot_views.snapshot_doi, name="snapshot-doi"),
    path("snapshots/<str:snapshot>.zip", snapshot_views.snapshot_file, name="snapshot-file"),
]
