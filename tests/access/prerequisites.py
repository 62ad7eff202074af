"""What has to be there so that a request changes something of a campaign."""

import hashlib
from typing import Any

from campaigns import scoring_hooks
from campaigns.judging import adjudication, gold, tasks
from campaigns.models import (
    Campaign,
    Document,
    Judgment,
    Membership,
    Plan,
    Program,
    Run,
    Team,
)
from campaigns.people import announcements, membership, teams
from campaigns.runs import decisions
from scoring.evaluation.rules import rules_of
from tests.access.test_access_matrix import World
from tests.campaigns.judging.making import make_assessor, topic_of
from tests.campaigns.judging.programs import make_program
from tests.making import make_scores, make_team, make_user

Facts = dict[str, Any]
TOKEN_OF_PROGRAM = "known"


def nothing(world: World) -> Facts:
    return {}


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


def gold_marked(world: World) -> Facts:
    organiser = world.people["organiser"]
    marked = gold.mark(campaign=world.campaign, topic="1", doc_id="d1", grade=1, actor=organiser)
    return {"gold_document": marked.pk}


def with_program(world: World) -> Facts:
    """It has a token that is known."""
    program = make_program(world.campaign, world.people["organiser"], name="Judge")
    digest = hashlib.sha256(TOKEN_OF_PROGRAM.encode()).hexdigest()
    Program.objects.filter(pk=program.pk).update(token_digest=digest)
    return {"program": program.pk}


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


def member_without_team(world: World) -> Facts:
    made = Membership.objects.create(
        campaign=world.campaign, person=make_user(), role=Membership.Role.PARTICIPANT
    )
    return {"membership": made.pk}


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


def announced(world: World) -> Facts:
    organiser = world.people["organiser"]
    said = {"subject": "A subject", "body": "A body"}
    made = announcements.announce(campaign=world.campaign, by=organiser, **said)
    return {"announcement": made.pk}


def baseline_run(world: World) -> Facts:
    Run.objects.filter(pk=world.run.pk).update(is_baseline=True)
    return {}


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
