"""The pages of judging, for organisers and assessors."""

from django.urls import path

from campaigns.judging import (
    adjudication_views,
    assignment_views,
    document_views,
    family_views,
    gold_views,
    pool_views,
    program_views,
    views,
)

_JUDGING = "campaigns/<slug:slug>/judging/"
_PROGRAM = _JUDGING + "programs/<int:program>/"
urlpatterns = [
    path(_JUDGING + "assessors/", assignment_views.assessors_page, name="judging-assessors"),
    path(
        _JUDGING + "assessors/spread/",
        assignment_views.assessors_spread,
        name="judging-assessors-spread",
    ),
    path(_JUDGING + "assessors/free/", assignment_views.claims_free, name="judging-claims-free"),
    path(
        _JUDGING + "disagreements/", adjudication_views.disagreements, name="judging-disagreements"
    ),
    path(_JUDGING + "disagreements/decide/", adjudication_views.decide, name="judging-decide"),
    path(
        _JUDGING + "disagreements/withdraw/",
        adjudication_views.decision_withdraw,
        name="judging-decision-withdraw",
    ),
    path(_JUDGING + "gold/", gold_views.gold_page, name="judging-gold"),
    path(
        _JUDGING + "gold/<int:gold_document>/unmark/",
        gold_views.gold_unmark,
        name="judging-gold-unmark",
    ),
    path(_JUDGING + "programs/", program_views.programs_page, name="judging-programs"),
    path(_JUDGING + "run-families/", family_views.families_page, name="judging-run-families"),
    path(_PROGRAM, program_views.program_page, name="judging-program"),
    path(_PROGRAM + "token/", program_views.program_token, name="judging-program-token"),
    path(
        _PROGRAM + "token/revoke/",
        program_views.program_token_revoke,
        name="judging-program-token-revoke",
    ),
    path(_PROGRAM + "retire/", program_views.program_retire, name="judging-program-retire"),
    path(_PROGRAM + "import/", program_views.program_import, name="judging-program-import"),
    path(_JUDGING + "pool/", pool_views.pool_page, name="judging-pool"),
    path(_JUDGING + "import/", pool_views.judgments_import, name="judging-import"),
    # Pages that were opened before the URL was renamed post to the old one.
    path(_JUDGING + "answers/", pool_views.judgments_import, name="judging-import-old"),
    path("campaigns/<slug:slug>/assess/", views.assess, name="assess"),
    path("campaigns/<slug:slug>/assess/<path:code>/", views.assess_topic, name="assess-topic"),
    # Not below assess/, because a topic's code may contain any word, and slashes.
    path("campaigns/<slug:slug>/assessed/<path:code>/", views.assessed, name="assessed"),
    path(_JUDGING + "documents/", document_views.documents, name="documents"),
    path(
        _JUDGING + "documents/address/", document_views.documents_address, name="documents-address"
    ),
    path(_JUDGING + "documents/remove/", document_views.documents_remove, name="documents-remove"),
]
