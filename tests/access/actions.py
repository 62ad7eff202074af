"""A request for every address that changes something of a campaign, and what has to be there so
that it does."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from campaigns import scoring_hooks
from campaigns.judging import adjudication, tasks
from campaigns.models import (
    Campaign,
    Document,
    Judgment,
    Membership,
    Plan,
    Run,
    Team,
)
from campaigns.people import membership, teams
from campaigns.runs import decisions
from scoring.evaluation.rules import rules_of
from tests.access.test_access_matrix import (
    World,
    address,
    clients_of,
)
from tests.campaigns.judging.making import make_assessor, topic_of
from tests.making import make_scores, make_team, make_user

Facts = dict[str, Any]


def nothing(world: World) -> Facts:
    return {}


@dataclass(frozen=True)
class Act:
    """A request, by whom, and what has to be there so that it changes something."""

    data: Callable[[World], Facts] | Facts = field(default_factory=dict)
    by: str = "organiser"
    first: Callable[[World], Facts] = nothing  # tells the parts of the address that it made
    stage: str = "published"
    method: str = "post"

    def said(self, world: World) -> Facts:
        return self.data(world) if callable(self.data) else self.data

    def send(self, client: Client, name: str, world: World, said: Facts) -> None:
        """As a form, or for a script as JSON where no file comes along."""
        files = {key: SimpleUploadedFile("f.txt", value)
                 for key, value in said.items() if isinstance(value, bytes)}  # fmt: skip
        sent: Facts = {"data": said | files}
        if name.startswith("api:") and not files:
            sent = {"data": json.dumps(said), "content_type": "application/json"}
        getattr(client, self.method)(address(name, world), **sent)


# --- what has to be there first -------------------------------------------------------------------


def without_runs(world: World) -> Facts:
    """Topics stay while there are runs."""
    scoring_hooks.erase_scores(world.campaign)
    Campaign.objects.filter(pk=world.campaign.pk).update(active_qrels=None)
    Run.objects.filter(campaign=world.campaign).delete()
    world.campaign.qrels.all().delete()
    Plan.objects.get(campaign=world.campaign).tasks.all().delete()
    return {"code": "2"}


def without_plan(world: World) -> Facts:
    Plan.objects.filter(campaign=world.campaign).update(state=Plan.State.ENDED)
    return {}


def held(world: World) -> Facts:
    """The assessor has a document before them."""
    topic = topic_of(Plan.objects.get(campaign=world.campaign))
    tasks.claim_next(assessor=world.people["assessor"], topic=topic)
    return {}


def judged(world: World) -> Facts:
    """By two, who disagree."""
    topic = topic_of(Plan.objects.get(campaign=world.campaign))
    for grade, person in enumerate((world.people["assessor"], make_user())):
        if grade:
            make_assessor(world.campaign, person=person)
        task = Plan.objects.get(campaign=world.campaign).tasks.get(doc_id="d1")
        Judgment.objects.create(
            campaign=world.campaign, topic=topic, doc_id="d1", assessor=person, task=task,
            grade=grade, key=f"k{grade}",
        )  # fmt: skip
    return {}


def decided(world: World) -> Facts:
    judged(world)
    adjudication.decide(
        campaign=world.campaign, actor=world.people["organiser"], topic="1", doc_id="d1", grade=1,
        note="", seen="",
    )  # fmt: skip
    return {}


def with_texts(world: World) -> Facts:
    Document.objects.create(campaign=world.campaign, doc_id="d1", title="One", text="A text.")
    return {}


def waiting_team(world: World) -> Facts:
    team = make_team(world.campaign, name="Waiting")
    Team.objects.filter(pk=team.pk).update(approved_at=None)
    return {"team": team.public_id, "act": "approve"}


def waiting_to_be_declined(world: World) -> Facts:
    return waiting_team(world) | {"act": "decline"}


def admitted_team(world: World) -> Facts:
    teams.admit_team(team=world.team, admit=True, actor=world.people["organiser"])
    return {"act": "revoke-admission"}


def disqualified_team(world: World) -> Facts:
    teams.disqualify_team(team=world.team, reason="Why", actor=world.people["organiser"])
    return {"act": "reinstate"}


def disqualified_run(world: World) -> Facts:
    decisions.disqualify_run(run=world.run, reason="Why", actor=world.people["organiser"])
    return {}


def checked_run(world: World) -> Facts:
    Campaign.objects.filter(pk=world.campaign.pk).update(asks_acceptance=True)
    Run.objects.filter(pk=world.run.pk).update(state=Run.State.CHECKED)
    return {}


def failed_run(world: World) -> Facts:
    Run.objects.filter(pk=world.run.pk).update(state=Run.State.FAILED)
    return {}


def scored_throughout(world: World) -> Facts:
    """A snapshot is of a board that is complete."""
    scoring_hooks.erase_scores(world.campaign)
    world.campaign.refresh_from_db()
    make_scores(
        world.run, {str(measure): (0.5, 0.1) for measure in rules_of(world.campaign).measures}
    )
    return {}


def invited(world: World) -> Facts:
    invitation, token = membership.invite(
        campaign=world.campaign, by=world.people["organiser"], role=Membership.Role.READER
    )
    return {"invitation": invitation.pk, "token": token}


def assessors_membership(world: World) -> Facts:
    return {"membership": world.campaign.memberships.get(person=world.people["assessor"]).pk}


def with_terms(world: World) -> Facts:
    Campaign.objects.filter(pk=world.campaign.pk).update(terms="Be fair.")
    return {}


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
        shown = client.get(address(page, world)).context
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
    "campaigns:role-remove": Act(first=assessors_membership),
    "campaigns:invitation-revoke": Act(first=invited),
    "campaigns:invitation": Act(by="stranger", first=invited),
    "campaigns:team-create": Act({"name": "New ones"}),
    "campaigns:team-link": Act(),
    "campaigns:team-merge": Act(into_rivals),
    "campaigns:team-decide approve": Act(first=waiting_team),
    "campaigns:team-decide decline": Act(first=waiting_to_be_declined),
    "campaigns:team-decide admit": Act(first=lambda world: {"act": "admit"}),
    "campaigns:team-decide revoke-admission": Act(first=admitted_team),
    "campaigns:team-decide disqualify": Act(
        {"reason": "Why"}, first=lambda world: {"act": "disqualify"}
    ),
    "campaigns:team-decide reinstate": Act(first=disqualified_team),
    "api:team-list": Act({"name": "New ones"}),
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
    # runs
    "campaigns:run-create": Act(
        {"file": RUN, "run_type": "automatic"}, by="participant", stage="open"
    ),
    "campaigns:run-create on behalf": Act(on_behalf),
    "campaigns:run-accept": Act(first=checked_run),
    "campaigns:run-withdraw": Act(),
    "campaigns:run-disqualify": Act({"reason": "Why"}),
    "campaigns:run-disqualify reinstate": Act({"act": "reinstate"}, first=disqualified_run),
    "api:run-create": Act({"file": RUN}, by="participant", stage="open"),
    "api:run-create on behalf": Act(on_behalf),
    "api:run-accept": Act(first=checked_run),
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
    "campaigns:judging-decide": Act(DOUBT | {"grade": "1"}, first=judged),
    "campaigns:judging-decision-take-back": Act(DOUBT, first=decided),
    "scoring:judging-plan": Act(PLAN, first=without_plan),
    "scoring:judging-plan-act pause": Act(first=lambda world: {"act": "pause"}),
    "scoring:judging-plan-act end": Act(first=lambda world: {"act": "end"}),
    # work and snapshots
    "scoring:job-retry": Act(first=failed_run),
    "scoring:queue-retry": Act(first=failed_run),
    "scoring:snapshot-create": Act({"title": "A title"}, first=scored_throughout),
    "api:snapshot-list": Act({"title": "A title"}, first=scored_throughout),
}  # fmt: skip
