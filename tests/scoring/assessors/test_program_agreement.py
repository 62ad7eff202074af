"""What a program is worth: agreement with people, the leaderboards, and families of runs."""

import math
from collections import Counter

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from campaigns.judging import adjudication
from campaigns.judging.program_judgments import import_grades
from campaigns.models import Judgment, Program, Run
from scoring.assessors.program_agreement import group_agreement, program_agreement
from scoring.assessors.program_analysis import family_shifts
from scoring.assessors.program_boards import ProgramBoards, TurnedPair
from scoring.assessors.program_tables import turned_pairs_table
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.assessor_agreement import cohen_kappa, confusion_matrix
from tests.campaigns.judging.making import make_assessor
from tests.campaigns.judging.programs import make_program
from tests.flow_world import World, perform_jobs, run_file
from tests.scoring.output.test_latex import rows_of

RBP = "RBP(p=0.5)"
PEOPLE = {("1", "d1"): 1, ("1", "d2"): 0, ("1", "d3"): 0, ("2", "d1"): 1, ("2", "d2"): 1}
PROGRAM = {("1", "d1"): 0, ("1", "d2"): 1, ("1", "d3"): 0, ("2", "d1"): 1, ("2", "d3"): 1}


def judged(world: World) -> Program:
    """Four documents in common, of which the program grades one higher and one lower."""
    campaign, person = world.campaign, make_assessor(world.campaign, topics=("1", "2"))
    topics = {topic.code: topic for topic in campaign.topics.all()}
    for (code, doc_id), grade in PEOPLE.items():
        Judgment.objects.create(
            campaign=campaign, topic=topics[code], doc_id=doc_id, grade=grade, assessor=person
        )
    for doc_id in ("d1", "d2", "d3"):
        campaign.documents.create(doc_id=doc_id)
    program = make_program(campaign, world.organiser, name="Judge")
    lines = "".join(f"{code} 0 {doc_id} {grade}\n" for (code, doc_id), grade in PROGRAM.items())
    import_grades(program=program, data=lines.encode(), actor=world.organiser)
    return program


# --- agreement ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("wake_ups")
def test_agreement_over_the_common_documents_by_hand(world: World) -> None:
    """Grades of people 1 0 0 1, of the program 0 1 0 1: two of four equal, as often as chance."""
    agreement = program_agreement(world.campaign, judged(world))
    whole = agreement.whole
    assert (whole.documents, whole.equal, whole.harsher, whole.kinder) == (4, 2, 1, 1)
    assert (whole.mean_difference, whole.raw, whole.kappa) == (0.0, 0.5, 0.0)
    assert agreement.confusion == ((1, 1), (1, 1))
    assert (agreement.only_people, agreement.only_program) == (1, 1)
    by_topic = {row.name: (row.documents, row.mean_difference) for row in agreement.by_topic}
    assert by_topic == {"1": (3, 0.0), "2": (1, 0.0)}
    by_grade = {row.name: (row.documents, row.mean_difference) for row in agreement.by_grade}
    assert by_grade == {"0": (2, 0.5), "1": (2, -0.5)}


@pytest.mark.usefixtures("wake_ups")
def test_a_decision_counts_as_the_grade_of_people(world: World) -> None:
    program = judged(world)
    adjudication.decide(
        campaign=world.campaign, topic="1", doc_id="d1", grade=0, note="", actor=world.organiser
    )
    assert program_agreement(world.campaign, program).whole.equal == 3


def test_without_common_documents_nothing_is_defined() -> None:
    nothing = np.empty(0, np.int16)
    group = group_agreement("topic", "1", nothing, nothing)
    assert (group.documents, group.mean_difference, group.kappa, group.alpha) == (
        0,
        None,
        None,
        None,
    )


def test_a_confusion_matrix_by_hand() -> None:
    people, program = np.array([0, 1, 2, 2, -1, 0]), np.array([0, 2, 2, 1, 1, -1])
    assert confusion_matrix(people, program, highest_grade=2).tolist() == [
        [1, 0, 0], [0, 0, 1], [0, 1, 1]
    ]  # fmt: skip
    with pytest.raises(ValueError, match="above the highest grade 1"):
        confusion_matrix(people, program, highest_grade=1)
    with pytest.raises(ValueError, match="for each document"):
        confusion_matrix(people, program[:2], highest_grade=2)


@given(st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 3)), max_size=30))
def test_a_confusion_matrix_counts_pairs_and_gives_kappa(pairs: list[tuple[int, int]]) -> None:
    first = np.array([a for a, _ in pairs], np.int16)
    second = np.array([b for _, b in pairs], np.int16)
    found = confusion_matrix(first, second, highest_grade=3)
    counted = Counter((a, b) for a, b in pairs if a >= 0 and b >= 0)
    assert found.tolist() == [[counted[a, b] for b in range(4)] for a in range(4)]
    total = found.sum()
    kappa = cohen_kappa(first, second)
    if not math.isnan(kappa):
        chance = (found.sum(axis=0) * found.sum(axis=1)).sum() / total**2
        assert kappa == pytest.approx((found.trace() / total - chance) / (1 - chance), abs=1e-12)


# --- families -------------------------------------------------------------------------------------


def test_the_shift_of_a_family_by_hand() -> None:
    nan = float("nan")
    shifts = np.array([[0.4, 0.2, nan], [0.2, nan, nan], [0.1, 0.0, 0.5], [0.0, 0.1, 0.1]])
    own, others = family_shifts(shifts, np.array([True, True, False, False]))
    assert own[:2] == pytest.approx([0.3, 0.2], abs=1e-12)
    assert others[:2] == pytest.approx([0.05, 0.05], abs=1e-12)
    assert np.isnan([own[2], others[2]]).all()
    alone, nobody = family_shifts(shifts, np.array([True] * 4))
    assert np.isnan(alone).all()
    assert np.isnan(nobody).all()


@given(
    st.lists(
        st.tuples(
            st.booleans(),
            st.lists(st.one_of(st.none(), st.floats(-1, 1)), min_size=3, max_size=3),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_the_shift_of_a_family_as_a_slow_loop(
    runs: list[tuple[bool, list[float | None]]],
) -> None:
    shifts = np.array([[math.nan if x is None else x for x in row] for _, row in runs])
    own, others = family_shifts(shifts, np.array([is_family for is_family, _ in runs]))
    for topic in range(3):
        parts = [
            [row[topic] for is_family, row in runs if is_family == which and row[topic] is not None]
            for which in (True, False)
        ]
        if all(parts):
            expected = [math.fsum(part) / len(part) for part in parts]
            assert [own[topic], others[topic]] == pytest.approx(expected, abs=1e-12)
        else:
            assert math.isnan(own[topic])
            assert math.isnan(others[topic])


# --- the pages ------------------------------------------------------------------------------------


def two_runs(world: World) -> tuple[Run, Run]:
    """By people, the first is better on topic 1; by the program, the second is."""
    first = world.submitted_run(run_file("first"))
    other = world.another_team()
    documents = ("d2", "d3", "d1")
    second = world.submitted_run(run_file("second", documents=documents), browser=other)
    return first, second


def get(world: World, name: str, program: Program, **query: str) -> str:
    url = reverse(f"scoring:{name}", args=[world.campaign.slug, program.pk])
    response = world.organiser_client.get(url, query)
    assert response.status_code == 200, response.status_code
    return (response.getvalue() if response.streaming else response.content).decode()


@pytest.mark.usefixtures("wake_ups")
def test_the_leaderboards_by_hand(world: World) -> None:
    """Weights 1/2, 1/4, 1/8. By people topic 1 is d1, topic 2 is d1 and d2: the first run has 1/2
    and 3/4, the second 1/8 and 1/2 + 1/8. By the program topic 1 is d2, topic 2 is d1 and d3: the
    first has 1/4 and 1/2 + 1/8, the second 1/2 and 1/4 + 1/8."""
    first, second = two_runs(world)
    program = judged(world)
    assert "CSV of these leaderboards" not in get(world, "program-page", program, measure=RBP)
    perform_jobs()
    table = get(world, "program-boards-csv", program, measure=RBP).splitlines()
    rows = [dict(zip(table[0].split(","), line.split(","), strict=True)) for line in table[1:]]
    by_run = {row["run_id"]: row for row in rows}
    means = {
        name: [float(by_run[run.public_id][name]) for run in (first, second)]
        for name in ("people", "program", "both")
    }
    assert means == {
        "people": [(1 / 2 + 3 / 4) / 2, (1 / 8 + 5 / 8) / 2],
        "program": [(1 / 4 + 5 / 8) / 2, (1 / 2 + 3 / 8) / 2],
        "both": [(1 / 2 + 7 / 8) / 2, (1 / 8 + 7 / 8) / 2],  # d3 of topic 2 comes from the program
    }
    ranks = [[row["people_rank"], row["program_rank"]] for row in by_run.values()]
    assert sorted(ranks) == [["1", "1"], ["2", "1"]]  # by the program they are equal


@pytest.mark.usefixtures("wake_ups")
def test_the_page_says_how_the_runs_and_families_change(world: World) -> None:
    first, second = two_runs(world)
    program = judged(world)
    families = reverse("campaigns:judging-run-families", args=[world.campaign.slug])
    sent = {f"family-{second.public_id}": "  LM   4B ", f"family-{first.public_id}": ""}
    world.organiser_client.post(families, sent)
    second.refresh_from_db()
    assert second.family == "LM 4B"
    assert "LM 4B" in world.organiser_client.get(families).content.decode()
    get(world, "program-page", program, measure=RBP)
    perform_jobs()
    page = get(world, "program-page", program, measure=RBP)
    assert "On <b>2</b> of 4 documents Judge gives the grade of people." in page
    assert '<th scope="col" class="num">program 1</th>' in page  # its name may be long
    assert "may gain from its judgments" in page
    assert "By kind of run" in page
    assert ">LM 4B<" in page
    agreement = get(world, "program-agreement-csv", program).splitlines()
    assert agreement[1].startswith("campaign,,4,2,1,1,0.0,0.5,0.0,")
    assert agreement[-1].startswith("kind of run,automatic,4,2,1,1,")
    assert get(world, "program-pairs-csv", program, measure=RBP).startswith("first,second,")


@pytest.mark.usefixtures("wake_ups")
def test_the_api_has_the_same_rows(world: World) -> None:
    two_runs(world)
    program = judged(world)
    api = f"/api/campaigns/{world.campaign.slug}/judging/programs/{program.pk}/"
    client = world.organiser_client
    agreement = client.get(f"{api}agreement/").json()
    assert [row["scope"] for row in agreement] == ["campaign", "topic", "topic", "grade", "grade"]
    assert agreement[0]["kappa"] == 0.0
    assert client.get(f"{api}leaderboards/", {"measure": RBP}).status_code == 202
    assert client.get(f"{api}pairs/", {"measure": RBP}).status_code == 202
    perform_jobs()
    assert client.get(f"{api}pairs/", {"measure": RBP}).json() == []  # two topics tell nothing
    last = client.get(f"{api}agreement/").json()[-1]
    assert (last["scope"], last["name"], last["documents"]) == ("kind of run", "automatic", 4)
    rows = client.get(f"{api}leaderboards/", {"measure": RBP}).json()
    assert [row["people_rank"] for row in rows] == [1, 2]
    assert world.browser.get(f"{api}agreement/").status_code == 404
    assert Client().get(f"{api}leaderboards/").status_code == 404
    assert Client().get(f"{api}pairs/").status_code == 404


@pytest.mark.usefixtures("wake_ups")
def test_latex_has_the_same_rows(world: World) -> None:
    two_runs(world)
    program = judged(world)
    get(world, "program-page", program, measure=RBP)
    perform_jobs()
    agreement = rows_of(get(world, "program-agreement-latex", program))
    assert agreement[1][:8] == ["campaign", "", "4", "2", "1", "1", "0", "0.500"]
    assert agreement[-1][:3] == ["kind of run", "automatic", "4"]
    boards = rows_of(get(world, "program-boards-latex", program, measure=RBP))
    assert boards[1][2:] == ["0.625", "0.438", "0.688", "1", "1", "1"]
    assert boards[2][2:] == ["0.375", "0.438", "0.500", "2", "1", "2"]
    pairs = get(world, "program-pairs-latex", program, measure=RBP)
    assert rows_of(pairs) == [
        ["first", "second", "by people", "p", "by program", "p", "change"],
    ]
    assert "level 0.05" in pairs


def test_the_pairs_have_their_differences_and_p_values() -> None:
    pair = TurnedPair("first", "second", 0.25, 0.012, -0.125, math.nan, "lost")
    boards = ProgramBoards(
        topics=9, runs=(), orders=(), pair_count=1, turned=(pair,), families=(), by_kind=()
    )
    table = turned_pairs_table(boards, Program(name="Judge"), parse_measure("AP"))
    assert list(table.records()) == [
        {
            "first": "first", "second": "second", "people_difference": 0.25, "people_p": 0.012,
            "program_difference": -0.125, "program_p": None, "change": "lost", "measure": "AP",
        }
    ]  # fmt: skip
    assert rows_of(table.as_latex(title="A campaign", source="a URL"))[1] == [
        "first", "second", "+0.250", "0.012", "-0.125", "–", "lost",
    ]  # fmt: skip


@pytest.mark.usefixtures("wake_ups")
@pytest.mark.parametrize("runs", [0, 1])
def test_with_fewer_than_two_runs_there_is_no_order_to_compare(world: World, runs: int) -> None:
    for _ in range(runs):
        world.submitted_run(run_file())
    program = judged(world)
    get(world, "program-page", program, measure=RBP)
    perform_jobs()
    page = get(world, "program-page", program, measure=RBP)
    assert ("No ranked run" in page) == (runs == 0)
    assert "failed" not in page
    table = get(world, "program-boards-csv", program, measure=RBP)
    assert len(table.splitlines()) == 1 + runs


@pytest.mark.usefixtures("wake_ups")
def test_a_program_without_common_documents_is_told_so(world: World) -> None:
    program = make_program(world.campaign, world.organiser, name="Judge")
    page = get(world, "program-page", program)
    assert "No document has been judged by people and by Judge yet." in page
    assert "Judgments that people made elsewhere can be" in page
