"""Who judges what, what they disagree on, and documents judged elsewhere."""

from django.urls import path

from campaigns.views import adjudicating, pool_files, sharing_out

JUDGING = "campaigns/<slug:slug>/judging/"

urlpatterns = [
    path(JUDGING + "assessors/", sharing_out.assessors_page, name="judging-assessors"),
    path(
        JUDGING + "assessors/spread/", sharing_out.assessors_spread, name="judging-assessors-spread"
    ),
    path(JUDGING + "assessors/free/", sharing_out.claims_free, name="judging-claims-free"),
    path(JUDGING + "disagreements/", adjudicating.disagreements, name="judging-disagreements"),
    path(
        JUDGING + "disagreements.csv",
        adjudicating.disagreements_csv,
        name="judging-disagreements-csv",
    ),
    path(JUDGING + "disagreements/decide/", adjudicating.decide, name="judging-decide"),
    path(
        JUDGING + "disagreements/take-back/",
        adjudicating.decision_take_back,
        name="judging-decision-take-back",
    ),
    path(JUDGING + "pool/", pool_files.pool_page, name="judging-pool"),
    path(JUDGING + "answers/", pool_files.answers_take, name="judging-answers"),
]
