"""Claiming and judging: what each act leaves behind, and what comes too late."""

import pytest

from campaigns.errors import Archived, CannotJudge
from campaigns.judging import tasks as assessing
from campaigns.judging.final_grades import final_grade_values
from campaigns.judging.tasks import claim_next, judge, skip, undo
from campaigns.models import Campaign, Judgment, LogEntry, Plan, Task, User
from scoring.models import Job
from tests.campaigns.judging.making import claim_of, make_assessor, make_plan, topic_of
from tests.crowd import crowd
from tests.flow_world import clock
from tests.making import make_organiser

__all__ = ["clock"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("wake_ups", "files_of_its_own")]
HOUR = 3600


def given(person: User, plan: Plan) -> str | None:
    """The document that the assessor is given on a look."""
    task = claim_next(assessor=person, topic=topic_of(plan)).task
    return task.doc_id if task else None


def give(
    person: User, plan: Plan, doc_id: str, grade: int, **facts: object
) -> assessing.RecordedJudgment:
    return judge(assessor=person, topic=topic_of(plan), doc_id=doc_id, grade=grade, **facts)


def take_back(person: User, plan: Plan, doc_id: str, key: str = "") -> bool:
    return undo(assessor=person, topic=topic_of(plan), doc_id=doc_id, key=key)


def acts_of(person: User) -> list[tuple[str, int | None]]:
    return list(
        Judgment.objects.filter(assessor=person).order_by("pk").values_list("doc_id", "grade")
    )


def test_a_reload_shows_the_same_document_and_renews_its_lease(clock) -> None:
    plan = make_plan(lease_minutes=30)
    person = make_assessor(plan.campaign)
    assert given(person, plan) == "d1"
    first = claim_of(person, "d1").until
    clock.shift(600)
    assert given(person, plan) == "d1"
    assert (claim_of(person, "d1").until - first).total_seconds() == 600


def test_the_next_document_is_the_first_by_turn_that_nobody_has() -> None:
    plan = make_plan()
    Task.objects.filter(doc_id="d3").update(turn=0)
    Task.objects.filter(doc_id="d1").update(turn=5)
    ann, bob = make_assessor(plan.campaign), make_assessor(plan.campaign)
    assert [given(ann, plan), given(bob, plan)] == ["d3", "d2"]


def test_a_judgment_ends_the_claim_and_the_next_document_comes() -> None:
    plan = make_plan()
    person = make_assessor(plan.campaign)
    given(person, plan)
    give(person, plan, "d1", 2, is_unsure=True, note="only the title")
    assert given(person, plan) == "d2"
    made = Judgment.objects.get()
    assert (made.grade, made.is_unsure, made.note) == (2, True, "only the title")
    assert made.task.doc_id == made.doc_id == "d1"


def test_a_repeated_sending_adds_nothing() -> None:
    plan = make_plan()
    person = make_assessor(plan.campaign)
    given(person, plan)
    first = give(person, plan, "d1", 2, key="k1")
    again = give(person, plan, "d1", 2, key="k1")
    assert (first.is_repeat, again.is_repeat) == (False, True)
    assert again.judgment == first.judgment
    assert acts_of(person) == [("d1", 2)]


def test_a_repeat_that_comes_after_a_correction_does_not_bring_the_old_grade_back() -> None:
    plan = make_plan()
    person = make_assessor(plan.campaign)
    given(person, plan)
    give(person, plan, "d1", 2, key="k1")
    give(person, plan, "d1", 0, key="k2")
    give(person, plan, "d1", 2, key="k1")
    assert final_grade_values(plan.campaign) == {(0, "1", "d1"): 0}


def test_two_assessors_get_a_document_that_two_are_to_judge_and_a_third_does_not() -> None:
    plan = make_plan(wanted=2, tasks=("d1", "d2"))
    people = [make_assessor(plan.campaign) for _ in range(3)]
    assert [given(person, plan) for person in people] == ["d1", "d1", "d2"]


def test_nobody_gets_the_same_document_twice() -> None:
    plan = make_plan(wanted=2, tasks=("d1",))
    person = make_assessor(plan.campaign)
    given(person, plan)
    give(person, plan, "d1", 1)
    assert given(person, plan) is None


def test_a_skipped_document_goes_to_others_until_the_skip_is_undone() -> None:
    plan = make_plan()
    ann, bob = make_assessor(plan.campaign), make_assessor(plan.campaign)
    given(ann, plan)
    skip(assessor=ann, topic=topic_of(plan), doc_id="d1")
    assert given(ann, plan) == "d2"
    assert take_back(ann, plan, "d1")
    assert given(ann, plan) == "d1"
    assert given(bob, plan) == "d2"  # it was given back in exchange
    assert acts_of(ann) == []


def test_undoing_adds_a_judgment_without_a_grade_and_gives_the_document_back() -> None:
    plan = make_plan()
    person = make_assessor(plan.campaign)
    given(person, plan)
    give(person, plan, "d1", 2)
    given(person, plan)
    assert take_back(person, plan, "d1", key="u1")
    assert take_back(person, plan, "d1", key="u1")  # sent twice
    assert acts_of(person) == [("d1", 2), ("d1", None)]
    assert final_grade_values(plan.campaign) == {}
    assert given(person, plan) == "d1"


def test_a_repeated_undo_does_not_undo_a_later_judgment() -> None:
    plan = make_plan()
    person = make_assessor(plan.campaign)
    given(person, plan)
    give(person, plan, "d1", 2, key="k1")
    take_back(person, plan, "d1", key="u1")
    give(person, plan, "d1", 1, key="k2")
    take_back(person, plan, "d1", key="u1")
    assert final_grade_values(plan.campaign) == {(0, "1", "d1"): 1}


def test_a_lease_that_ran_out_frees_the_document(clock) -> None:
    plan = make_plan()
    ann, bob = make_assessor(plan.campaign), make_assessor(plan.campaign)
    given(ann, plan)
    clock.shift(HOUR)
    assert given(bob, plan) == "d1"
    assert given(ann, plan) == "d2"


def test_a_judgment_after_its_lease_counts_where_nobody_took_the_document(clock) -> None:
    plan = make_plan()
    ann, bob = make_assessor(plan.campaign), make_assessor(plan.campaign)
    given(ann, plan)
    clock.shift(HOUR)
    assert not give(ann, plan, "d1", 1).is_additional
    assert given(bob, plan) == "d2"


def test_a_judgment_after_its_lease_is_kept_where_somebody_took_the_document(clock) -> None:
    plan = make_plan()
    ann, bob = make_assessor(plan.campaign), make_assessor(plan.campaign)
    given(ann, plan)
    clock.shift(HOUR)
    given(bob, plan)
    late = give(ann, plan, "d1", 1)
    assert late.is_additional
    assert given(bob, plan) == "d1"  # whoever reads it is not disturbed
    assert not give(bob, plan, "d1", 2).is_additional
    assert acts_of(ann) == [("d1", 1)]
    assert not give(ann, plan, "d1", 0).is_additional  # a correction of one's own


def test_a_judgment_of_an_ended_plan_is_kept() -> None:
    plan = make_plan()
    person = make_assessor(plan.campaign)
    given(person, plan)
    Plan.objects.update(state=Plan.State.ENDED)
    give(person, plan, "d1", 1)
    assert acts_of(person) == [("d1", 1)]
    assert given(person, plan) is None


def test_a_paused_plan_assigns_nothing_and_accepts_late_judgments() -> None:
    plan = make_plan()
    person = make_assessor(plan.campaign)
    given(person, plan)
    Plan.objects.update(state=Plan.State.PAUSED)
    assert given(person, plan) is None
    give(person, plan, "d1", 1)
    assert acts_of(person) == [("d1", 1)]


@pytest.mark.parametrize("grade", [-1, 4, 127])
def test_a_grade_off_the_scale_is_refused(grade: int) -> None:
    plan = make_plan()
    person = make_assessor(plan.campaign)
    given(person, plan)
    with pytest.raises(CannotJudge, match="0 to 3"):
        give(person, plan, "d1", grade)


def test_a_judgment_of_an_unclaimed_document_is_refused() -> None:
    plan = make_plan()
    person = make_assessor(plan.campaign)
    with pytest.raises(CannotJudge, match="not assigned to you"):
        give(person, plan, "d1", 1)


def test_nothing_is_judged_in_an_archived_campaign(clock) -> None:
    plan = make_plan()
    person = make_assessor(plan.campaign)
    given(person, plan)
    Campaign.objects.update(archived_at="2026-06-01T11:00:00Z")
    with pytest.raises(Archived):
        give(person, plan, "d1", 1)


def test_an_organiser_frees_what_an_assessor_holds_and_has_not_judged() -> None:
    plan = make_plan()
    ann, bob = make_assessor(plan.campaign), make_assessor(plan.campaign)
    given(ann, plan)
    give(ann, plan, "d1", 1)
    given(ann, plan)
    organiser = make_organiser(plan.campaign)
    assert assessing.release_claims(campaign=plan.campaign, assessor=ann, actor=organiser) == 1
    assert given(bob, plan) == "d2"
    assert LogEntry.objects.get(verb="released documents").details["count"] == 1
    assert give(ann, plan, "d2", 3).is_additional  # it had been read all the same


# --- more documents are asked for -----------------------------------------------------------------


def lay_outs() -> int:
    return Job.objects.filter(kind=Job.Kind.LAY_OUT).count()


def test_the_next_batch_is_requested_once_when_a_batch_is_judged() -> None:
    plan = make_plan(tasks=("d1", "d2"), method="C", budget=10)
    person = make_assessor(plan.campaign)
    for doc_id in ("d1", "d2"):
        given(person, plan)
        assert lay_outs() == 0
        give(person, plan, doc_id, 1)
    assert lay_outs() == 1
    given(person, plan)
    Job.objects.update(state=Job.State.DONE)
    given(person, plan)  # nothing was judged since
    assert lay_outs() == 1
    give(person, plan, "d2", 0)
    given(person, plan)
    assert lay_outs() == 2


def test_nobody_waits_for_others_who_have_not_judged_their_topics() -> None:
    plan = make_plan(tasks=("d1",), topics=("1", "2"), method="B", budget=10)
    person = make_assessor(plan.campaign)
    given(person, plan)
    give(person, plan, "d1", 1)
    assert lay_outs() == 0  # topic 2 has one left
    given(person, plan)
    assert lay_outs() == 1


def test_no_batch_is_requested_while_another_topic_of_the_assessor_has_documents() -> None:
    plan = make_plan(tasks=("d1",), topics=("1", "2"), method="C", budget=10)
    person = make_assessor(plan.campaign, topics=("1", "2"))
    given(person, plan)
    give(person, plan, "d1", 1)
    look = claim_next(assessor=person, topic=topic_of(plan))
    assert (look.task, look.next_topic, lay_outs()) == (None, topic_of(plan, "2"), 0)
    second = topic_of(plan, "2")
    claim_next(assessor=person, topic=second)
    judge(assessor=person, topic=second, doc_id="d1", grade=0)
    look = claim_next(assessor=person, topic=second)
    assert (look.task, look.next_topic, lay_outs()) == (None, None, 1)


@pytest.mark.parametrize(
    "facts",
    [{"budget": 1}, {"budget": 9, "is_exhausted": True}, {"budget": 9, "state": "paused"}],
)
def test_no_batch_is_requested_from_an_exhausted_or_paused_plan(facts: dict[str, object]) -> None:
    plan = make_plan(tasks=("d1",), method="C", budget=9)
    person = make_assessor(plan.campaign)
    given(person, plan)
    Plan.objects.update(**facts)
    give(person, plan, "d1", 1)
    given(person, plan)
    assert lay_outs() == 0


# --- all at once ----------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_eight_at_once_get_eight_different_documents(own_connections: None) -> None:
    plan = make_plan(tasks=tuple(f"d{n}" for n in range(10)))
    topic = topic_of(plan)
    people = [make_assessor(plan.campaign) for _ in range(8)]

    def look(person: User) -> str:
        task = claim_next(assessor=person, topic=topic).task
        assert task is not None
        return task.doc_id

    given_out = crowd([lambda p=person: look(p) for person in people])
    assert sorted(map(str, given_out)) == [f"d{n}" for n in range(8)]


@pytest.mark.django_db(transaction=True)
def test_a_judgment_sent_four_times_at_once_counts_once(own_connections: None) -> None:
    plan = make_plan()
    person, topic = make_assessor(plan.campaign), topic_of(plan)
    claim_next(assessor=person, topic=topic)

    def send() -> bool:
        return judge(assessor=person, topic=topic, doc_id="d1", grade=1, key="k").is_repeat

    assert sorted(crowd([send] * 4)) == [False, True, True, True]
    assert acts_of(person) == [("d1", 1)]
