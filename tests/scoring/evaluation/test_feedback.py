"""Feedback before publication: off by default, once a run, for few runs, a rounded mean only."""

from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse

from campaigns import lifecycle
from campaigns.models import Campaign, Run, Topic
from scoring.core.data.artefacts import unpack_vector
from scoring.evaluation import feedback
from scoring.evaluation.feedback import feedback_measure
from scoring.evaluation.rules import rules_of
from scoring.models import FeedbackRelease, Score
from tests.flow_world import QRELS, World, logged_in, perform_jobs, run_file
from tests.making import make_campaign, make_team, make_user

pytestmark = pytest.mark.usefixtures("wake_ups")

RBP = "RBP(p=0.5)"
# Means of RBP(p=0.5) under QRELS: 0.375 where d1 and d2 come first, 0.1875 one rank further down.
GOOD, POOR = ("d1", "d2", "d3"), ("d3", "d1", "d2")


@pytest.fixture(autouse=True)
def few_topics_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is worked by hand here is of one or two topics."""
    monkeypatch.setattr(feedback, "FEWEST_FEEDBACK_TOPICS", 1)


def told() -> list[tuple[str, float | None]]:
    releases = FeedbackRelease.objects.order_by("pk")
    return list(releases.values_list("run__tag", "shown"))


def submit(world: World, tag: str, documents: tuple[str, ...], **fields: object) -> Run:
    return world.submitted_run(run_file(tag, documents=documents), **fields)


def test_by_default_there_is_no_feedback(world: World) -> None:
    world.add_qrels()
    run = submit(world, "one", GOOD)
    assert told() == []
    assert "Feedback before publication" not in world.page_of(run)


def test_feedback_is_a_mean_of_two_decimals_and_nothing_else(world: World) -> None:
    world.change(feedback=Campaign.Feedback.ROUNDED)
    world.add_qrels()
    run = submit(world, "one", POOR)
    assert told() == [("one", 0.19)]
    page = world.page_of(run)
    assert "<b>0.19</b>" in page
    assert "0.1875" not in page
    assert "<h2>Scores</h2>" in page
    assert "Scores appear here when the organisers publish" in page
    assert world.answer_on(run)["status"] == "accepted"
    assert world.answer_on(run)["scores"] == []
    url = reverse("scoring:run-detail", args=[world.campaign.slug, run.public_id])
    assert world.another_team().get(url).status_code == 404


def test_feedback_is_limited_by_runs_and_days(world: World, clock: time_machine.Traveller) -> None:
    world.change(feedback=Campaign.Feedback.ROUNDED, feedback_runs=2, feedback_days=30)
    world.add_qrels()
    runs = [submit(world, f"r{number}", GOOD) for number in range(3)]
    submit(world, "rival", GOOD, browser=world.another_team())
    assert told() == [("r0", 0.38), ("r1", 0.38), ("r2", None), ("rival", 0.38)]
    assert "There is no feedback for this run." in world.page_of(runs[2])
    world.withdraw(runs[0])  # what was told is not taken back
    clock.shift(timedelta(days=29))
    submit(world, "r3", GOOD)
    clock.shift(timedelta(days=1, seconds=1))
    submit(world, "r4", GOOD)
    assert told()[4:] == [("r3", None), ("r4", 0.38)]


def test_new_qrels_and_asking_again_tell_nothing_more(world: World) -> None:
    world.change(feedback=Campaign.Feedback.ROUNDED)
    world.add_qrels()
    run = submit(world, "one", GOOD)
    page = world.page_of(run)
    world.add_qrels(QRELS.replace(b"1 0 d1 1", b"1 0 d1 0").replace(b"1 0 d2 0", b"1 0 d2 1"))
    perform_jobs()
    assert told() == [("one", 0.38)]
    assert "<b>0.38</b>" in page
    assert "<b>0.38</b>" in world.page_of(run)
    assert world.board()[0]["base"] == 0.25


def test_ladder_feedback_reports_only_a_clear_rise(world: World) -> None:
    world.change(feedback=Campaign.Feedback.LADDER, feedback_step=0.05, feedback_runs=9)
    world.add_qrels()
    for tag, documents in (("first", POOR), ("same", POOR), ("better", GOOD), ("worse", POOR)):
        run = submit(world, tag, documents)
    assert told() == [("first", 0.2), ("same", None), ("better", 0.4), ("worse", None)]
    assert "this run is not clearly better than the best of your team so far, <b>0.40</b>" in (
        world.page_of(run)
    )


def test_feedback_topics_are_not_counted_on_the_leaderboard(world: World) -> None:
    world.change(feedback=Campaign.Feedback.ROUNDED, feedback_topics=["1"])
    world.add_qrels()
    run = submit(world, "one", GOOD)
    assert told() == [("one", 0.5)]  # of topic 1
    (row,) = world.board()
    assert (row["base"], row["topics"]) == (0.25, 1)  # of topic 2
    bases = unpack_vector(bytes(Score.objects.get(measure=RBP).bases)).tolist()
    assert bases[0] != bases[0]
    assert bases[1] == 0.25
    assert "on the 1 feedback topic" in world.page_of(run)


@pytest.mark.django_db
def test_topics_held_out_change_the_rules_and_none_leave_them_as_they_were() -> None:
    plain, held = make_campaign(), make_campaign(feedback_topics=["2", "1"])
    assert rules_of(plain).digest != rules_of(held).digest
    assert rules_of(plain).digest == "d039d5abaa30fe27"  # as before there were any
    assert rules_of(held).digest == rules_of(make_campaign(feedback_topics=["1", "2"])).digest


def test_late_withdrawn_and_published_runs_get_no_feedback(world: World) -> None:
    world.change(feedback=Campaign.Feedback.ROUNDED)
    world.submit(run_file("late"))
    world.submit(run_file("gone"))
    late, gone = Run.objects.order_by("pk")
    Run.objects.filter(pk=late.pk).update(is_late=True)
    perform_jobs()
    gone.refresh_from_db()
    world.withdraw(gone)
    world.add_qrels()
    perform_jobs()
    lifecycle.publish(campaign=world.campaign, actor=None)
    world.add_qrels(QRELS + b"1 0 d3 1\n")
    perform_jobs()
    assert told() == []


def test_feedback_never_uses_counts_or_shares_of_judged_documents(world: World) -> None:
    for chosen, expected in (
        ("", RBP),
        ("AP", "AP"),
        ("num_rel_ret", RBP),
        ("Judged@10", RBP),
        ("NoSuch", RBP),
    ):
        world.change(feedback_measure=chosen, measures=["AP", "Judged@10", "NumRelRet"])
        assert str(feedback_measure(world.campaign, rules_of(world.campaign))) == expected


@pytest.mark.parametrize("documents", [3, 4])
def test_a_mean_over_25_topics_gives_away_at_most_two_documents_a_run(
    world: World, documents: int
) -> None:
    """One topic is probed, all patterns of what may be relevant in it are tried: the patterns of
    two documents can be told apart, those of more cannot."""
    names = tuple(f"d{number}" for number in range(documents))
    answers = {pattern: feedback_under(world, names, pattern) for pattern in range(1 << documents)}
    assert None not in answers.values()
    of_first_two = {pattern: answers[pattern] for pattern in range(4)}
    assert len(set(of_first_two.values())) == 4
    assert len(set(answers.values())) <= 5  # 0.00 to 0.04: no more than there are hundredths


@pytest.mark.parametrize(("topics", "is_told"), [(24, False), (25, True)])
def test_there_is_no_feedback_with_fewer_than_25_topics(
    world: World, monkeypatch: pytest.MonkeyPatch, topics: int, is_told: bool
) -> None:
    monkeypatch.undo()
    codes = [str(number) for number in range(3, 31)]
    Topic.objects.bulk_create(
        Topic(campaign=world.campaign, code=code, position=int(code)) for code in codes
    )
    world.change(feedback=Campaign.Feedback.ROUNDED)
    judged = ["1", "2", *codes][:topics]
    world.add_qrels("".join(f"{code} 0 d1 1\n" for code in judged).encode())
    submit(world, "one", GOOD)
    assert bool(told()) == is_told


def feedback_under(world: World, documents: tuple[str, ...], pattern: int) -> float | None:
    """What is told of one probe where the bits of `pattern` say what is relevant in topic 1."""
    codes = tuple(str(number) for number in range(1, 26))
    person = make_user()
    campaign = make_campaign(
        topics=codes, measures=["AP"], feedback=Campaign.Feedback.ROUNDED, persistences=[0.5]
    )
    grades = [f"1 0 {name} {pattern >> place & 1}" for place, name in enumerate(documents)]
    elsewhere = [f"{code} 0 elsewhere 1" for code in codes]
    probe = World(
        campaign=campaign,
        team=make_team(campaign, person),
        participant=person,
        organiser=world.organiser,
        browser=logged_in(person),
        organiser_client=world.organiser_client,
    )
    probe.add_qrels("\n".join([*grades, *elsewhere, ""]).encode())
    lines = [f"1 Q0 {name} 1 {100 - place} probe" for place, name in enumerate(documents)]
    run = probe.submitted_run("\n".join([*lines, ""]).encode())
    return FeedbackRelease.objects.get(run=run).shown
