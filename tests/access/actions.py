"""A request for every URL that changes something of a campaign."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from campaigns.people import membership
from tests.access.prerequisites import (
    TOKEN_OF_PROGRAM,
    Facts,
    admitted_team,
    announced,
    assessors_membership,
    baseline_run,
    checked_run,
    decided,
    disqualified_run,
    disqualified_team,
    failed_run,
    gold_marked,
    held,
    invited,
    judged,
    member_without_team,
    nothing,
    scored_throughout,
    waiting_team,
    waiting_to_be_declined,
    with_program,
    with_terms,
    with_texts,
    without_plan,
    without_runs,
)
from tests.access.test_access_matrix import (
    World,
    clients_of,
    url_of,
)


@dataclass(frozen=True)
class Act:
    """A request, by whom, and what has to be there so that it changes something."""

    data: Callable[[World], Facts] | Facts = field(default_factory=dict)
    by: str = "organiser"
    first: Callable[[World], Facts] = nothing  # tells the parts of the URL that it made
    stage: str = "published"
    method: str = "post"
    headers: dict[str, str] = field(default_factory=dict)

    def said(self, world: World) -> Facts:
        return self.data(world) if callable(self.data) else self.data

    def send(self, client: Client, name: str, world: World, said: Facts) -> None:
        """As a form, or for a script as JSON where no file comes along."""
        files = {key: SimpleUploadedFile("f.txt", value)
                 for key, value in said.items() if isinstance(value, bytes)}  # fmt: skip
        sent: Facts = {"data": said | files}
        if name.startswith("api:") and not files:
            sent = {"data": json.dumps(said), "content_type": "application/json"}
        getattr(client, self.method)(url_of(name, world), headers=self.headers, **sent)


# --- what is sent ---------------------------------------------------------------------------------

RUN = b"1 Q0 d1 1 1.0 fresh\n"
TOPICS = b"3\tthree\n"
QRELS = b"1 0 d1 1\n1 0 d2 0\n2 0 d2 1\n"
ANSWERS = b"1 0 d3 1\n"


def confirmed(data: bytes, **facts: Any) -> Facts:
    return facts | {"file": data, "confirmed": hashlib.sha256(data).hexdigest()}


def on_behalf(world: World) -> Facts:
    return {"team": world.team.public_id, "file": RUN, "run_type": "automatic"}


def into_rivals(world: World) -> Facts:
    return {"into": world.campaign.teams.get(name="The Rivals").public_id}


def of_the_assessor(world: World, **facts: Any) -> Facts:
    person = world.people["assessor"]
    assert person is not None
    return facts | {"assessor": str(person.pk)}


def as_shown(page: str, form: str, **changed: Any) -> Callable[[World], Facts]:
    """The form as the page has it, with something changed."""

    def data(world: World) -> Facts:
        client = clients_of({"organiser": world.people["organiser"]})["organiser"]
        shown = client.get(url_of(page, world)).context
        values = {}
        for each in (shown[form], *([shown["measures_form"]] if "measures_form" in shown else [])):
            values |= {bound.html_name: bound.value() for bound in each}
        ticked = {
            key: each for key, each in values.items() if each is not None and each is not False
        }
        return ticked | changed

    return data


def shares(world: World) -> Facts:
    person = world.people["assessor"]
    assert person is not None
    return {"assessor": str(person.pk), "topics": "1 2"}


def digest_of_terms(world: World) -> Facts:
    world.campaign.refresh_from_db()
    return {"digest": membership.terms_digest(world.campaign), "accepts_terms": "on"}


PLAN = {"method": "A", "p": "0.8", "amount": "10", "unit": "documents"}
JUDGE = {"act": "judge", "doc_id": "d1", "grade": "1", "key": "a-key"}
DOUBT = {"topic": "1", "doc_id": "d1"}
PROGRAM = {
    "name": "A program", "model": "m", "version": "1", "prompt": "p", "run_by": "Ann",
    "run_on": "2026-11-01",
}  # fmt: skip
RUN_FORM = {"run_types": "manual", "field-TOTAL_FORMS": "0", "field-INITIAL_FORMS": "0"}
ACTS: dict[str, Act] = {
    # rules and stages
    "campaigns:campaign-edit": Act(as_shown("campaigns:campaign-edit", "form", name="Other")),
    "campaigns:campaign-step": Act(first=lambda world: {"step": "unpublish"}),
    "campaigns:visibility": Act(
        as_shown("campaigns:visibility", "form", **{"published-qrels_audience": "2"})
    ),
    "campaigns:run-form": Act(RUN_FORM),
    "campaigns:announce": Act({"subject": "A subject", "body": "A body"}),
    "campaigns:announcement-edit": Act({"subject": "Another", "body": "A body"}, first=announced),
    "campaigns:announcement-delete": Act(first=announced),
    "api:announcement-detail PUT": Act(
        {"subject": "Another", "body": "A body"}, first=announced, method="put"
    ),
    "api:announcement-detail DELETE": Act(first=announced, method="delete"),
    "api:campaign-detail PATCH": Act({"name": "Other"}, method="patch"),
    "api:campaign-step": Act(first=lambda world: {"step": "unpublish"}),
    "api:campaign-archive": Act(),
    "api:announcement-list": Act({"subject": "A subject", "body": "A body"}),
    # people and teams
    "campaigns:team": Act({"name": "New ones"}, by="stranger", stage="open"),
    "campaigns:team-invite": Act(by="participant"),
    "campaigns:team-edit": Act({"name": "New name"}, by="participant"),
    "campaigns:team-leave": Act(by="participant"),
    "campaigns:terms-accept": Act(digest_of_terms, by="participant", first=with_terms),
    "campaigns:role-invite": Act(),
    "campaigns:email-invite": Act({"role": "participant", "addresses": "new@example.org"}),
    "campaigns:role-remove": Act(first=assessors_membership),
    "campaigns:invitation-revoke": Act(first=invited),
    "campaigns:invitation": Act(by="stranger", first=invited),
    "campaigns:team-assign": Act(
        lambda world: {"team": world.team.public_id}, first=member_without_team
    ),
    "campaigns:team-create": Act({"name": "New ones"}),
    "campaigns:team-link": Act(),
    "campaigns:team-merge": Act(into_rivals),
    "campaigns:team-decide approve": Act(first=waiting_team),
    "campaigns:team-decide decline": Act(first=waiting_to_be_declined),
    "campaigns:team-decide rename": Act(
        {"name": "New name"}, first=lambda world: {"act": "rename"}
    ),
    "campaigns:team-decide admit": Act(first=lambda world: {"act": "admit"}),
    "campaigns:team-decide revoke-admission": Act(first=admitted_team),
    "campaigns:team-decide disqualify": Act(
        {"reason": "Why"}, first=lambda world: {"act": "disqualify"}
    ),
    "campaigns:team-decide reinstate": Act(first=disqualified_team),
    "api:team-list": Act({"name": "New ones"}),
    "api:invitation-create": Act({"role": "participant"}),
    "api:team-rename": Act({"name": "New name"}),
    "api:team-invite": Act(),
    "api:team-approve": Act(first=waiting_team),
    "api:team-decline": Act(first=waiting_team),
    "api:team-admit": Act(),
    "api:team-revoke-admission": Act(first=admitted_team),
    "api:team-merge": Act(into_rivals),
    "api:team-disqualify": Act({"reason": "Why"}),
    "api:team-reinstate": Act(first=disqualified_team),
    # topics and qrels
    "campaigns:topics-add": Act({"file": TOPICS}),
    "campaigns:topics-remove": Act({"codes": "2"}, first=without_runs),
    "campaigns:qrels-add": Act(confirmed(QRELS)),
    "campaigns:qrels-activate": Act(),
    "campaigns:qrels-freeze": Act(first=judged),
    "api:topic-list": Act({"file": TOPICS}),
    "api:topic-detail DELETE": Act(first=without_runs, method="delete"),
    "api:qrels-list": Act({"file": QRELS, "is_confirmed": "true"}),
    "api:qrels-freeze": Act({"note": "A note"}, first=judged),
    "api:qrels-file": Act(),
    "campaigns:upload-confirm": Act(),
    "campaigns:upload-discard": Act(),
    "api:upload-confirm": Act(),
    "api:upload-detail": Act(method="delete"),
    # runs
    "campaigns:run-create": Act(
        {"file": RUN, "run_type": "automatic"}, by="participant", stage="open"
    ),
    "campaigns:run-create on behalf": Act(on_behalf),
    "campaigns:run-accept": Act(first=checked_run),
    "campaigns:run-rename": Act({"name": "Another name"}),
    "campaigns:run-withdraw": Act(),
    "campaigns:run-disqualify": Act({"reason": "Why"}),
    "campaigns:run-disqualify reinstate": Act({"act": "reinstate"}, first=disqualified_run),
    "campaigns:pooled-runs": Act(lambda world: {"pooled": world.run.public_id}),
    "api:pool PATCH": Act({"depths": {"1": 7}}, method="patch"),
    "campaigns:baselines": Act(lambda world: {"baseline": world.run.public_id}),
    "api:run-baseline": Act(),
    "api:run-baseline DELETE": Act(first=baseline_run, method="delete"),
    "api:run-create": Act({"file": RUN}, by="participant", stage="open"),
    "api:run-create on behalf": Act(on_behalf),
    "api:run-accept": Act(first=checked_run),
    "api:run-rename": Act({"name": "Another name"}),
    "api:run-withdraw": Act(),
    "api:run-disqualify": Act({"reason": "Why"}),
    "api:run-reinstate": Act(first=disqualified_run),
    # judging
    "campaigns:assess-topic claim": Act(by="assessor", method="get"),
    "campaigns:assess-topic": Act(JUDGE, by="assessor", first=held),
    "campaigns:assess-topic skip": Act(JUDGE | {"act": "skip"}, by="assessor", first=held),
    "campaigns:documents": Act({"file": b'{"doc_id": "d1", "text": "A text."}\n'}),
    "campaigns:documents-address": Act({"document_address": "https://example.org/{doc_id}"}),
    "campaigns:documents-remove": Act(first=with_texts),
    "campaigns:judging-assessors": Act(shares),
    "campaigns:judging-assessors-spread": Act({"each": "1"}),
    "campaigns:judging-claims-free": Act(of_the_assessor, first=held),
    "campaigns:judging-import": Act(
        lambda world: of_the_assessor(world, **confirmed(ANSWERS))
    ),
    "campaigns:judging-import-old": Act(
        lambda world: of_the_assessor(world, **confirmed(ANSWERS))
    ),
    "campaigns:judging-gold": Act(DOUBT | {"grade": "1"}),
    "campaigns:judging-gold-unmark": Act(first=gold_marked),
    "campaigns:judging-run-families": Act(
        lambda world: {f"family-{world.run.public_id}": "A family"}
    ),
    "campaigns:judging-programs": Act(PROGRAM),
    "campaigns:judging-program": Act(PROGRAM | {"name": "Renamed"}, first=with_program),
    "campaigns:judging-program-token": Act(first=with_program),
    "campaigns:judging-program-token-revoke": Act(first=with_program),
    "campaigns:judging-program-retire": Act(first=with_program),
    "campaigns:judging-program-import": Act({"file": ANSWERS}, first=with_program),
    "api:judging-grades": Act(
        {"judgments": [{"topic": "1", "doc_id": "d1", "grade": 1}]},
        first=with_program,
        headers={"Authorization": f"Token {TOKEN_OF_PROGRAM}"},
    ),
    "campaigns:judging-decide": Act(DOUBT | {"grade": "1"}, first=judged),
    "campaigns:judging-decision-withdraw": Act(DOUBT, first=decided),
    "scoring:judging-plan": Act(PLAN, first=without_plan),
    "scoring:judging-plan-act pause": Act(first=lambda world: {"act": "pause"}),
    "scoring:judging-plan-act end": Act(first=lambda world: {"act": "end"}),
    # work and snapshots
    "scoring:job-retry": Act(first=failed_run),
    "scoring:queue-retry": Act(first=failed_run),
    "scoring:embedding-edit": Act({"origins": "https://www.example.org"}),
    "scoring:deposit": Act({"licence": "CC-BY-4.0", "authors": "Ito, Ann"}),
    "scoring:snapshot-create": Act({"title": "A title"}, first=scored_throughout),
    "scoring:snapshot-doi": Act({"doi": "10.5281/zenodo.1234567"}),
    "api:snapshot-list": Act({"title": "A title"}, first=scored_throughout),
}  # fmt: skip
