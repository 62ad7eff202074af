"""The home page knows the campaigns of a person, and what waits for the person in each."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from campaigns.judging import assessment_page
from campaigns.judging.tasks import claim_next, judge, left_by_campaign, skip
from campaigns.models import Campaign, Membership, OrganiserRequest, Plan, Run, User
from tests.campaigns.judging.making import make_assessor, make_plan, topic_of
from tests.making import make_campaign, make_organiser, make_run, make_team, make_user
from tests.teamwork import signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("wake_ups", "files_of_its_own")]


def home_of(person: User | None) -> str:
    browser = signed_in(person) if person else Client()
    return browser.get(reverse("campaigns:campaign-list")).content.decode()


def own_part(person: User) -> str:
    """The text of *My campaigns*."""
    page = home_of(person).partition("<h2>My campaigns</h2>")[2].partition("<h2>Other")[0]
    return " ".join(re.sub(r"<[^>]*>", " ", page.partition("</main>")[0]).split())


def to_do(person: User) -> list[tuple[str, str]]:
    """What waits for the person: words, and where they lead."""
    lists = re.findall(r'<ul class="to-do">(.*?)</ul>', home_of(person), re.DOTALL)
    links = re.findall(r'<a href="([^"]*)">([^<]*)</a>', "".join(lists))
    return [(words, url.rstrip("/").rpartition("/")[2]) for url, words in links]


def test_without_a_role_there_is_no_own_campaign() -> None:
    make_campaign()
    assert "My campaigns" not in home_of(None)
    assert "My campaigns" not in home_of(make_user())


def test_whoever_may_not_create_campaigns_is_led_to_the_request() -> None:
    assert "Ask to organise" in home_of(make_user())
    assert "Ask to organise" not in home_of(None)
    assert "Ask to organise" not in home_of(make_user(is_staff=True))


def test_own_campaigns_are_above_the_others_with_the_roles() -> None:
    other, mine = make_campaign(name="Another one"), make_campaign(name="My own")
    person = make_organiser(mine, make_user())
    make_team(mine, person, name="Fennmark")
    text = own_part(person)
    assert "My own open organiser, team Fennmark" in text
    assert "Another one" not in text
    page = home_of(person)
    assert page.index("My own") < page.index("Other campaigns") < page.index(other.name)


def test_teams_that_wait_and_failed_runs_wait_for_the_organiser() -> None:
    campaign = make_campaign()
    person = make_organiser(campaign, make_user())
    team = make_team(campaign, make_user())
    assert to_do(person) == []
    type(team).objects.filter(pk=team.pk).update(approved_at=None)
    renamed = make_team(campaign, make_user())
    type(team).objects.filter(pk=renamed.pk).update(proposed_name="Another")
    run = make_run(campaign, renamed)
    Run.objects.filter(pk=run.pk).update(state=Run.State.FAILED)
    assert to_do(person) == [("2 teams to approve", "people"), ("1 run failed", "queue")]
    member = Membership.objects.get(team=team).person
    assert "awaits approval" in own_part(member)
    assert to_do(member) == []


def test_a_team_submits_its_first_run_and_accepts_what_was_checked() -> None:
    campaign = make_campaign(asks_acceptance=True)
    person = make_user()
    team = make_team(campaign, person)
    assert to_do(person) == [("Submit the first run", "submit")]
    run = make_run(campaign, team)
    Run.objects.filter(pk=run.pk).update(state=Run.State.CHECKED, accepted_at=None)
    assert to_do(person) == [("1 run to accept", "runs")]
    Campaign.objects.filter(pk=campaign.pk).update(stage=Campaign.Stage.JUDGING, is_accepting=False)
    assert to_do(person) == []


@pytest.mark.parametrize(
    "facts",
    [
        {"closes_at": timezone.now() - timedelta(days=2)},
        {"opens_at": timezone.now() + timedelta(days=2)},
        {"topics_released_at": timezone.now() + timedelta(days=2)},
    ],
)
def test_nobody_is_asked_for_runs_that_would_be_refused(facts: dict[str, object]) -> None:
    campaign, person = make_campaign(), make_user()
    make_team(campaign, person)
    Campaign.objects.filter(pk=campaign.pk).update(**facts)
    assert to_do(person) == []


def test_a_participant_without_a_team_creates_or_joins_one() -> None:
    campaign, person = make_campaign(), make_user()
    Membership.objects.create(campaign=campaign, person=person, role="participant")
    assert to_do(person) == [("Create or join a team", "team")]
    Campaign.objects.filter(pk=campaign.pk).update(joining=Campaign.Joining.INVITED)
    assert to_do(person) == []


def test_a_draft_waits_for_its_organiser_and_is_above_the_others() -> None:
    person = make_organiser(make_campaign(name="Open"), make_user())
    draft = make_campaign(name="Draft", stage=Campaign.Stage.DRAFT, is_accepting=False)
    Campaign.objects.filter(pk=draft.pk).update(created_at=timezone.now() - timedelta(days=9))
    make_organiser(draft, person)
    assert to_do(person) == [("Continue the set-up", "manage")]
    text = own_part(person)
    assert text.index("Draft") < text.index("Open")


def test_documents_wait_for_an_assessor_while_judging_is_open() -> None:
    plan = make_plan()
    person = make_assessor(plan.campaign)
    ((words, where),) = to_do(person)
    assert (words, where) == ("3 documents to judge", "assess")
    Plan.objects.filter(pk=plan.pk).update(state=Plan.State.PAUSED)
    assert to_do(person) == []


def test_as_many_documents_wait_as_the_page_of_the_assessor_says() -> None:
    plan = make_plan()
    ann, bob = make_assessor(plan.campaign), make_assessor(plan.campaign)
    topic, seen = topic_of(plan), set()
    for act in (None, claim, mark, leave, mark):
        if act:
            act(bob, topic)
        for person in (ann, bob):
            left = left_by_campaign(person, [plan.campaign_id], timezone.now())
            assert left[plan.campaign_id] == assessment_page.left_for(plan.campaign, person)
            seen.add(left[plan.campaign_id])
    assert len(seen) > 2


def test_the_database_counts_the_documents_that_wait() -> None:
    person, plans = make_user(), [make_plan(tasks=("d1", "d2")), make_plan()]
    for plan in plans:
        make_assessor(plan.campaign, person=person)
    campaigns = [plan.campaign_id for plan in plans]
    with CaptureQueriesContext(connection) as captured:
        left = left_by_campaign(person, campaigns, timezone.now())
    assert left == dict(zip(campaigns, (2, 3), strict=True))
    (query,) = captured
    with connection.cursor() as cursor:
        cursor.execute(query["sql"])
        assert len(cursor.fetchall()) == 2  # one row for each campaign


def claim(person: User, topic: object) -> None:
    assert claim_next(assessor=person, topic=topic).task


def mark(person: User, topic: object) -> None:
    task = claim_next(assessor=person, topic=topic).task
    judge(assessor=person, topic=topic, doc_id=task.doc_id, grade=1)


def leave(person: User, topic: object) -> None:
    task = claim_next(assessor=person, topic=topic).task
    skip(assessor=person, topic=topic, doc_id=task.doc_id)


def test_requests_to_organise_wait_for_an_operator() -> None:
    OrganiserRequest.objects.create(person=make_user(), purpose="A class")
    operator = make_user(is_staff=True)
    assert "1 request to organise" in home_of(operator)
    assert "request to organise" not in home_of(make_user())


def test_archived_and_left_campaigns_are_not_among_the_own() -> None:
    campaign = make_campaign()
    person = make_organiser(campaign, make_user())
    Campaign.objects.filter(pk=campaign.pk).update(archived_at=timezone.now())
    assert "My campaigns" not in home_of(person)
    Campaign.objects.filter(pk=campaign.pk).update(archived_at=None, is_private=True)
    Membership.objects.filter(person=person).delete()
    assert campaign.name not in home_of(person)


def test_many_campaigns_cost_no_more_queries_than_one() -> None:
    person = make_user()

    def queries() -> int:
        browser = signed_in(person)
        with CaptureQueriesContext(connection) as captured:
            browser.get(reverse("campaigns:campaign-list"))
        return len(captured)

    def join() -> None:
        plan = make_plan()
        make_assessor(plan.campaign, person=person)
        make_organiser(make_campaign(), person)
        make_run(team=make_team(make_campaign(), person))

    join()
    one = queries()
    for _ in range(3):
        join()
    assert queries() == one
