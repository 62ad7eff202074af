"""Whether a team that a person cannot see has a name shows in no answer. The same acts with the
same name, beside a hidden team with that name or another one, give the same answers."""

from contextlib import ExitStack
from unittest.mock import patch

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.urls import reverse

from campaigns.people import membership
from scoring.models import Job
from tests.access.crawler import noted
from tests.access.worlds import SLUG, ids_of, perform_all, run_file
from tests.frozen_clock import frozen
from tests.making import make_campaign, make_organiser, make_team, make_user
from tests.teamwork import signed_in, url_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files_of_its_own")]

ANONYMOUS = {"allows_anonymous_teams": True, "runs_audience": 1}
PAGES = ("campaign-detail", "run-list", "run-create", "team")


def seen_by_bob_and_carol(
    hidden: str, act: str, facts: dict[str, object]
) -> tuple[list[bytes], list[str]]:
    """What they get when Bob names his team Alpha, uploads a run and invites Carol, and the
    subjects of the emails to the organiser."""
    with ExitStack() as stack:
        stack.enter_context(frozen("2026-06-01T12:00:00Z"))
        stack.enter_context(transaction.atomic())
        stack.enter_context(ids_of("teams"))
        stack.enter_context(patch.object(membership.secrets, "token_hex", lambda size: "0" * size))
        mail.outbox.clear()
        campaign = make_campaign(slug=SLUG, name="Blind", **facts)
        olga, ada, bob, carol = (
            make_user(f"{name}@example.org", name=name) for name in ("olga", "ada", "bob", "carol")
        )
        make_organiser(campaign, olga)
        make_team(campaign, ada, name=hidden)
        campaign.teams.update(is_anonymous=campaign.allows_anonymous_teams)
        if act == "team-edit":
            make_team(campaign, bob, name="Gamma")
        his, hers = signed_in(bob), signed_in(carol)
        home = reverse("campaigns:campaign-list")
        run = SimpleUploadedFile("bob.txt", run_file("bob"))
        answers = [
            his.post(url_of(act, campaign), {"name": "Alpha"}),
            his.get(url_of("team", campaign)),
            his.post(url_of("run-create", campaign), {"file": run, "run_type": "automatic"}),
            his.post(url_of("team-invite", campaign), {"max_uses": 5, "days": 7}),
            *(who.get(url_of(page, campaign)) for who in (his, hers) for page in PAGES),
            *(who.get(home) for who in (his, hers)),
        ]
        assert campaign.runs.count() == (facts.get("joining") != "approval" or act == "team-edit")
        perform_all(Job.Kind.NOTIFY)
        told = [f"{m.to} {m.subject}\n{m.body}" for m in mail.outbox if m.to != [olga.email]]
        notices = [m.subject.partition(": ")[2] for m in mail.outbox if m.to == [olga.email]]
        transaction.set_rollback(True)
    return [*(noted(answer) for answer in answers), *(text.encode() for text in told)], notices


@pytest.mark.parametrize("act", ["team", "team-edit"])
@pytest.mark.parametrize("facts", [{}, {"joining": "approval"}, ANONYMOUS])
def test_only_the_organisers_learn_that_a_hidden_team_has_the_name(
    act: str, facts: dict[str, object]
) -> None:
    same, notices = seen_by_bob_and_carol("ALPHA", act, facts)
    other, _ = seen_by_bob_and_carol("Delta", act, facts)
    assert same == other
    assert len(same) >= 14
    if act == "team-edit" and facts is not ANONYMOUS:
        assert notices == ["Gamma asks for another name"]  # whatever the name
    elif facts.get("joining") == "approval":
        assert notices == ["Alpha awaits your approval"]
    else:
        assert notices == ["another team is named Alpha"]
