"""Who judges what, what they disagree on, and documents judged elsewhere."""

from django.urls import path

from campaigns.views import sharing_out

JUDGING = "campaigns/<slug:slug>/judging/"

urlpatterns = [
    path(JUDGING + "assessors/", sharing_out.assessors_page, name="judging-assessors"),
    path(
        JUDGING + "assessors/spread/", sharing_out.assessors_spread, name="judging-assessors-spread"
    ),
    path(JUDGING + "assessors/free/", sharing_out.claims_free, name="judging-claims-free"),
]
