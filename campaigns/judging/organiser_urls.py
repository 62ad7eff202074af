"""Who judges what, what they disagree on, and documents judged elsewhere."""

from django.urls import path

from campaigns.judging import adjudication_views, assignment_views, pool_views

JUDGING = "campaigns/<slug:slug>/judging/"

urlpatterns = [
    path(JUDGING + "assessors/", assignment_views.assessors_page, name="judging-assessors"),
    path(
        JUDGING + "assessors/spread/",
        assignment_views.assessors_spread,
        name="judging-assessors-spread",
    ),
    path(JUDGING + "assessors/free/", assignment_views.claims_free, name="judging-claims-free"),
    path(
        JUDGING + "disagreements/", adjudication_views.disagreements, name="judging-disagreements"
    ),
    path(
        JUDGING + "disagreements.csv",
        adjudication_views.disagreements_csv,
        name="judging-disagreements-csv",
    ),
    path(JUDGING + "disagreements/decide/", adjudication_views.decide, name="judging-decide"),
    path(
        JUDGING + "disagreements/take-back/",
        adjudication_views.decision_take_back,
        name="judging-decision-take-back",
    ),
    path(JUDGING + "pool/", pool_views.pool_page, name="judging-pool"),
    path(JUDGING + "answers/", pool_views.judgments_import, name="judging-answers"),
]
