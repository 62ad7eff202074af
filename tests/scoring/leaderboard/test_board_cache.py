"""Tables and charts of boards are kept in memory: nobody gets another's, and every change is seen
at once."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import models, transaction
from django.http import Http404, QueryDict
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns.access import board_or_404
from campaigns.models import Audience, Campaign, Membership, Qrels, Run, Series, Team, User
from campaigns.models.showing import trec_style
from scoring.evaluation.lru import LRUCache
from scoring.evaluation.rules import rules_of
from scoring.leaderboard import page as board_page
from scoring.leaderboard import query as board_query
from scoring.models import Evaluation, Score
from scoring.output import public
from scoring.results import cache
from scoring.worker import perform_waiting_jobs
from tests.caches import empty_caches
from tests.making import (
    make_campaign,
    make_organiser,
    make_qrels,
    make_run,
    make_scores,
    make_team,
    make_user,
)
from tests.scoring.leaderboard.test_board_page import RBP, SCORES, SHOWN

pytestmark = pytest.mark.django_db
WHO = ("nobody", "stranger", "member", "colleague", "rival", "organiser")
SECRET = "canary-team"


@pytest.fixture
def people() -> dict[str, User | None]:
    return {who: None if who == "nobody" else make_user(f"{who}@example.org") for who in WHO}


@pytest.fixture
def board(people: dict[str, User | None]) -> Campaign:
    """Four runs of two teams, one of them anonymous; under the second of two versions."""
    campaign = make_campaign(
        slug="kept",
        highest_grade=3,
        stage_switches=trec_style(),
        reveals_teams_at=timezone.now() + timedelta(days=1),
        **SHOWN,
    )
    make_organiser(campaign, people["organiser"])
    ours = make_team(campaign, people["member"], people["colleague"], name="Ours")
    theirs = make_team(campaign, people["rival"], name=SECRET)
    Team.objects.filter(pk=theirs.pk).update(is_anonymous=True)
    make_qrels(campaign, published_at=timezone.now())
    make_qrels(campaign)
    for number, team in enumerate((ours, theirs, ours, theirs)):
        run = make_run(campaign, team, tag=f"{team.name}-{number}".lower())
        make_scores(run, SCORES | {RBP: (0.5 - number / 10, 0.05)})
    return campaign


def text(person: User | None = None, **query: Any) -> str:
    """The page, without the token that is another one every time, and the table for scripts."""
    client = Client()
    if person is not None:
        client.force_login(person)
    html = client.get(reverse("scoring:leaderboard", args=["kept"]), query).content.decode()
    page_text = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", html)
    table = client.get(reverse("api:leaderboard", args=["kept"]), query).content.decode()
    return page_text + table


def drawn_anew(person: User | None = None, **query: Any) -> str:
    with pytest.MonkeyPatch.context() as forgetful:
        forgetful.setattr(board_page, "RENDERED_BOARDS", LRUCache(room=0))
        forgetful.setattr(board_query, "BOARDS", LRUCache(room=0))
        forgetful.setattr(public, "PACKED_RESPONSES", LRUCache(room=0))
        return text(person, **query)


# --- every change --------------------------------------------------------------------------------


def first(campaign: Campaign) -> models.QuerySet[Run]:
    return campaign.runs.filter(tag="ours-0")


def other_scores(campaign: Campaign) -> None:
    """As an evaluation that is done again stores them."""
    evaluation = Evaluation.objects.get(run=first(campaign).get(), qrels=campaign.active_qrels)
    Score.objects.filter(evaluation=evaluation).update(mean_base=0.123)
    Evaluation.objects.filter(pk=evaluation.pk).update(scored_at=timezone.now())


def another_run(campaign: Campaign) -> None:
    make_scores(make_run(campaign, tag="another"), SCORES)


def a_run_that_waits(campaign: Campaign) -> None:
    make_run(campaign, tag="another")


def failed_scores(campaign: Campaign) -> None:
    run = make_run(campaign, tag="another")
    Evaluation.objects.create(
        run=run,
        qrels=campaign.active_qrels,
        definitions=rules_of(campaign).digest,
        state=Evaluation.State.FAILED,
    )


CHANGES: dict[str, Callable[[Campaign], object]] = {
    "scores": other_scores,
    "a run": another_run,
    "a run without scores": a_run_that_waits,
    "a run that could not be scored": failed_scores,
    "a run taken back": lambda c: first(c).update(withdrawn_at=timezone.now()),
    "a run replaced": lambda c: first(c).update(replaced_at=timezone.now()),
    "a late run": lambda c: first(c).update(is_late=True),
    "a run disqualified": lambda c: first(c).update(
        disqualified_at=timezone.now(), disqualified_reason="used the qrels"
    ),
    "a team disqualified": lambda c: c.teams.filter(name="Ours").update(
        disqualified_at=timezone.now(), disqualified_reason="two teams"
    ),
    "a team's name": lambda c: c.teams.filter(name="Ours").update(name="Yours"),
    "a team that is anonymous": lambda c: c.teams.filter(name="Ours").update(is_anonymous=True),
    "a team that is no longer": lambda c: c.teams.filter(name=SECRET).update(is_anonymous=False),
    "names revealed": lambda c: Campaign.objects.filter(pk=c.pk).update(
        reveals_teams_at=timezone.now()
    ),
    "a run marked as a baseline": lambda c: first(c).update(is_baseline=True),
    "a run said to be pooled": lambda c: first(c).update(is_pooled=True),
    "the type of a run": lambda c: first(c).update(run_type="manual"),
    "qrels": make_qrels,
    "qrels shown": lambda c: make_qrels(c, published_at=timezone.now()),
    "the active version": lambda c: Campaign.objects.filter(pk=c.pk).update(
        active_qrels=c.qrels.get(version=1)
    ),
    "a measure less": lambda c: Campaign.objects.filter(pk=c.pk).update(measures=["AP"]),
    "a measure that ranks": lambda c: Campaign.objects.filter(pk=c.pk).update(persistences=[0.8]),
    "the rules of scoring": lambda c: Campaign.objects.filter(pk=c.pk).update(rel=2),
    "who sees topics": lambda c: Campaign.objects.filter(pk=c.pk).update(per_topic_audience=0),
    "who sees the board": lambda c: Campaign.objects.filter(pk=c.pk).update(board_audience=1),
    "the stage": lambda c: Campaign.objects.filter(pk=c.pk).update(stage="judging"),
    "significance": perform_waiting_jobs,
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_seen_at_once(
    change: str, board: Campaign, people: dict[str, User | None]
) -> None:
    readers = [people[who] for who in ("nobody", "member", "organiser")]

    def seen(text_of: Callable[..., str]) -> list[str]:
        return [*map(text_of, readers), text_of(judged="yes")]

    text()  # requests the bars
    before = seen(text)
    board.refresh_from_db()
    CHANGES[change](board)
    after = seen(text)
    assert after == seen(drawn_anew)
    assert before[0] != after[0] or before[-1] != after[-1]


def test_names_are_revealed_by_time_alone(board: Campaign, time_machine: Any) -> None:
    assert SECRET not in text()
    time_machine.move_to(board.reveals_teams_at - timedelta(seconds=1), tick=False)
    assert SECRET not in text()
    time_machine.move_to(board.reveals_teams_at, tick=False)
    assert SECRET in text()


def test_runs_can_be_compared_from_the_moment_when_topics_are_released(
    board: Campaign, time_machine: Any
) -> None:
    released = timezone.now() + timedelta(hours=12)
    Campaign.objects.filter(pk=board.pk).update(topics_released_at=released)
    text()  # requests the bars
    assert 'form="compare"' not in text()
    time_machine.move_to(released, tick=False)
    assert 'form="compare"' in text()


# A row that stands on the board, and columns of it that are not changed by themselves.
ROWS: tuple[tuple[Callable[[Campaign], models.QuerySet[Any]], set[str]], ...] = (
    (lambda c: Campaign.objects.filter(pk=c.pk), {"slug", "copied_from_id"}),
    (lambda c: c.runs.filter(tag="ours-0"), {"campaign_id", "uploaded_by_id", "replaces_id"}),
    (lambda c: c.teams.filter(name=SECRET), {"campaign_id"}),
    (lambda c: c.qrels.filter(version=1), {"campaign_id", "created_by_id"}),
    (lambda c: c.qrels.filter(version=2), {"campaign_id", "created_by_id"}),
    (lambda c: Evaluation.objects.filter(run__tag="ours-0"), set()),
    (lambda c: c.analyses.filter(kind="significance"), {"campaign_id", "answer"}),
)


@pytest.mark.parametrize("place", range(len(ROWS)))
def test_after_a_change_of_any_column_the_board_is_as_if_rendered_again(
    place: int, board: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under another key nothing is kept: the board is drawn only where the key stays."""
    text()
    perform_waiting_jobs(board)
    rows, left = ROWS[place][0](board), ROWS[place][1]
    rows.model.objects.filter(pk__in=rows).update(**_free(rows.model))
    kept_under = _keys_of_page_and_table(monkeypatch)
    tried = 0
    for column in rows.model._meta.concrete_fields:
        if column.primary_key or column.attname in left:
            continue
        with transaction.atomic():
            rows.update(**{column.attname: _another(column, rows, board)})
            keys = _keys()
            if not keys or not keys.isdisjoint(kept_under):
                assert text() == drawn_anew(), column.name
            transaction.set_rollback(True)
        tried += 1
    assert tried + len(left) == len(rows.model._meta.concrete_fields) - 1
    assert _keys() == kept_under


def _keys() -> set[str]:
    """What the page and the table that nobody in particular asks for are kept under, if they may
    see them."""
    try:
        viewer = board_or_404(AnonymousUser(), "kept")
    except Http404:
        return set()
    page = cache.board_key(viewer, QueryDict(), besides=("http://testserver/",))
    return {page, cache.board_key(viewer, QueryDict())}


def _keys_of_page_and_table(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Asks for both, and asserts that each is kept in memory."""
    asked, key_of = [], cache.board_key
    empty_caches()
    with monkeypatch.context() as patch:
        patch.setattr(cache, "board_key", lambda *of: asked.append(key_of(*of)) or asked[-1])
        assert text() == text()
    # of both responses and what they contain, before and after each is made; of both again
    assert len(asked) == 10
    page, table = (each for each in dict.fromkeys(asked) if public.PACKED_RESPONSES.get(each))
    contents = {each for each in asked if each not in (page, table)}
    kept = (board_page.RENDERED_BOARDS, board_query.BOARDS)
    assert sorted(sum(bool(each.get(key)) for key in contents) for each in kept) == [1, 1]
    return contents


def _free(model: type[models.Model]) -> dict[str, str]:
    """What the constraints of a row ask for before some of its columns may change alone."""
    if model is Qrels:
        return {"statement": "some"}
    return {"disqualified_reason": "some"} if model in (Run, Team) else {}


def _another(column: models.Field, rows: models.QuerySet[Any], campaign: Campaign) -> object:
    """A value that the column does not have."""
    value = rows.values_list(column.attname, flat=True).first()
    match column:
        case models.ForeignKey():
            return _another_row(column, value, campaign)
        case models.BooleanField():
            return not value
        case models.DateTimeField():
            return value - timedelta(days=2) if value else timezone.now()
        case models.JSONField():
            return value[1:] if isinstance(value, list) else {}
        case models.IntegerField() | models.FloatField():
            choices = [choice for choice, _ in column.choices or () if choice != value]
            return choices[0] if choices else (value or 0) + 2
        case _:
            choices = [choice for choice, _ in column.choices or () if choice != value]
            return choices[0] if choices else f"{value}x"[: column.max_length or None][:16]


def _another_row(column: models.ForeignKey, value: int, campaign: Campaign) -> int:
    match column.related_model.__name__:
        case "Series":
            return Series.objects.create(slug="series", name="Series").pk
        case "Qrels":
            return campaign.qrels.exclude(pk=value).values_list("pk", flat=True)[0]
        case "Team":
            return campaign.teams.exclude(pk=value).values_list("pk", flat=True)[0]
        case "Run":
            return make_run(campaign, tag="another").pk
    raise AssertionError(column)


# --- every audience ------------------------------------------------------------------------------


QUERIES: tuple[dict[str, Any], ...] = (
    {},
    {"columns": ["AP", "RR"], "sort": "team"},
    {"qrels": "1"},
    {"as": "public", "at": "open"},
)


@pytest.mark.parametrize("audience", Audience.values)
def test_nobody_is_shown_what_was_drawn_for_another(
    audience: int, board: Campaign, people: dict[str, User | None]
) -> None:
    Campaign.objects.filter(pk=board.pk).update(board_audience=audience)
    asked = [(person, query) for query in QUERIES for person in reversed(people.values())]
    for person, query in asked:
        text(person, **query)
    perform_waiting_jobs(board)
    for person, query in asked:
        text(person, **query)
    told = [text(person, **query) for person, query in asked]
    assert told == [drawn_anew(person, **query) for person, query in asked]
    assert any(SECRET in each for each in told)


def test_who_leaves_a_team_sees_the_board_as_a_stranger(
    board: Campaign, people: dict[str, User | None]
) -> None:
    assert 'class="own"' in text(people["member"])
    Membership.objects.filter(person=people["member"]).delete()
    assert 'class="own"' not in text(people["member"])
    assert 'class="own"' in text(people["colleague"])


def test_a_blind_participant_gets_no_byte_of_the_board_that_an_organiser_has_opened(
    board: Campaign, people: dict[str, User | None]
) -> None:
    Campaign.objects.filter(pk=board.pk).update(board_audience=Audience.ORGANISERS)
    before = {who: text(people[who]) for who in ("nobody", "stranger", "member", "rival")}
    assert SECRET in text(people["organiser"])
    assert {who: text(people[who]) for who in before} == before
    assert not any("data-run" in each or "0.5" in each for each in before.values())


def test_what_changed_while_a_board_was_drawn_is_not_kept_under_its_name(
    board: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names shown for a moment and hidden again."""
    theirs = board.teams.filter(name=SECRET)
    draw = board_page.board_query

    def meanwhile(*arguments: Any, **options: Any) -> Any:
        theirs.update(is_anonymous=False)
        return draw(*arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(board_page, "board_query", meanwhile)
        assert SECRET in text()
    theirs.update(is_anonymous=True)
    assert SECRET not in text()


# --- what it costs -------------------------------------------------------------------------------


def test_few_queries(
    board: Campaign, people: dict[str, User | None], django_assert_max_num_queries: Any
) -> None:
    text()
    perform_waiting_jobs(board)
    client = Client()
    client.force_login(people["member"])
    url = reverse("scoring:leaderboard", args=["kept"])
    for reader, first_time, again in ((Client(), 10, 2), (client, 11, 5)):
        with django_assert_max_num_queries(first_time):
            assert reader.get(url).status_code == 200
        with django_assert_max_num_queries(again):
            assert "data-run" in reader.get(url).content.decode()


@pytest.mark.parametrize("query", [{"p": "0.6"}, {"ties": "on"}])
def test_what_the_key_does_not_tell_of_is_drawn_every_time(
    query: dict[str, str], board: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(cache, "board_key", lambda *_: asked.append(1) or "the same")
    for _ in range(2):
        text(**query)
    assert asked == []
