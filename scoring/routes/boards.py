"""What runs were worth: the leaderboard, runs, topics."""

from django.urls import path

from scoring.views import boards, run_curves, run_documents, runs, topics

HERE = "campaigns/<slug:slug>"
RUN = f"{HERE}/runs/<str:public_id>"

urlpatterns = [
    path(f"{HERE}/leaderboard/", boards.leaderboard_page, name="leaderboard"),
    path(f"{HERE}/leaderboard.csv", boards.leaderboard_csv, name="leaderboard-csv"),
    path(f"{HERE}/leaderboard.tex", boards.leaderboard_latex, name="leaderboard-latex"),
    path(f"{HERE}/badge.svg", boards.badge, name="badge"),
    path(f"{RUN}/", runs.run_detail, name="run-detail"),
    path(f"{RUN}/status/", runs.run_status, name="run-status"),
    path(f"{RUN}/scores.csv", runs.run_scores_table, name="run-csv"),
    path(f"{RUN}/curves/", run_curves.curves_page, name="run-curves"),
    path(f"{RUN}/curves/depth.csv", run_curves.depth_table, name="run-depth-csv"),
    path(f"{RUN}/curves/p.csv", run_curves.persistence_table, name="run-p-csv"),
    path(f"{RUN}/curves/recall.csv", run_curves.recall_table, name="run-recall-csv"),
    path(f"{RUN}/curves/precision.csv", run_curves.precision_table, name="run-precision-csv"),
    path(f"{RUN}/documents/", run_documents.documents_page, name="run-documents"),
    path(f"{RUN}/documents.csv", run_documents.documents_table, name="run-documents-csv"),
    path(f"{RUN}/documents/unjudged/", run_documents.unjudged_page, name="run-unjudged"),
    path(f"{RUN}/documents/unjudged.csv", run_documents.unjudged_table, name="run-unjudged-csv"),
    path(f"{RUN}/documents/unique/", run_documents.unique_page, name="run-unique"),
    path(f"{RUN}/documents/unique.csv", run_documents.unique_table, name="run-unique-csv"),
    path(
        f"{RUN}/documents/unique-runs.csv",
        run_documents.unique_runs_table,
        name="run-unique-runs-csv",
    ),
    path(f"{RUN}/scores.tex", runs.run_tex, name="run-latex"),
    path(f"{HERE}/topics/", topics.topic_list, name="topic-list"),
    path(f"{HERE}/topics.csv", topics.topics_csv, name="topics-csv"),
    path(f"{HERE}/topics.tex", topics.topics_tex, name="topics-latex"),
    # A topic's code is any text without blanks, "/" included.
    path(f"{HERE}/topics/<path:code>.csv", topics.topic_table, name="topic-csv"),
    path(f"{HERE}/topics/<path:code>.tex", topics.topic_tex, name="topic-latex"),
    path(f"{HERE}/topics/<path:code>/", topics.topic_detail, name="topic-detail"),
]
