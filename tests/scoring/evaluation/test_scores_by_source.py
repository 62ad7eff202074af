"""Scores under judgments of people and of a program: what each of them establishes, and where every
page and file says so."""

import io
import json
import re
import zipfile
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from campaigns.judging.program_judgments import import_grades
from campaigns.models import Audience, Judgment, Qrels
from campaigns.qrels import versions
from scoring.core.data.artefacts import unpack_vector
from scoring.core.measures.graded import GradedTopics, evaluate, has_residual
from scoring.core.statistics.means import known_by_people
from scoring.models import Score
from tests.campaigns.judging.making import make_assessor
from tests.campaigns.judging.programs import make_program
from tests.flow_world import World, perform_jobs, run_file
from tests.scoring.core.test_catalogue import EXAMPLES

RBP = "RBP(p=0.5)"
OTHER = run_file("other", documents=("d2", "d1"))


def freeze(world: World, sources: str = Qrels.Sources.PEOPLE_THEN_PROGRAM) -> Qrels:
    """A person judges the first document of topic 1, and a program four documents."""
    campaign, person = world.campaign, make_assessor(world.campaign)
    for doc_id in ("d1", "d2", "d3"):
        campaign.documents.get_or_create(doc_id=doc_id)
    topic = campaign.topics.get(code="1")
    Judgment.objects.create(campaign=campaign, topic=topic, doc_id="d1", grade=1, assessor=person)
    program = make_program(campaign, world.organiser, name="Judge")
    grades = b"1 0 d1 0\n1 0 d2 1\n2 0 d1 1\n2 0 d3 0\n"
    import_grades(program=program, data=grades, actor=world.organiser)
    qrels = versions.freeze_judgments(
        campaign=campaign, note="", actor=world.organiser, sources=sources,
        program=None if sources == "people" else program,
    )  # fmt: skip
    perform_jobs()
    campaign.refresh_from_db()
    return qrels


def publish(world: World) -> Client:
    """What everyone sees then."""
    world.change(
        stage="published", is_accepting=False, board_audience=Audience.EVERYONE,
        per_topic_audience=Audience.EVERYONE, runs_audience=Audience.EVERYONE,
        qrels_audience=Audience.EVERYONE,
    )  # fmt: skip
    return Client()


@pytest.mark.usefixtures("wake_ups")
def test_a_score_has_three_parts(world: World) -> None:
    """By hand, weights 1/2, 1/4, 1/8 and a tail of 1/8. Topic 1: people 1/2, program 1/4. Topic 2:
    program 1/2, which also finds that d3 is worth nothing; d2 and the tail are unjudged."""
    run = world.submitted_run(run_file())
    qrels = freeze(world)
    row = world.board(RBP)[0]
    assert (row["base_of_people"], row["base"], row["residual"]) == (1 / 4, 5 / 8, 5 / 16)
    assert row["judged_by"] == "people: 1; Judge: 3"
    score = Score.objects.get(evaluation__run=run, evaluation__qrels=qrels, measure=RBP)
    assert unpack_vector(bytes(score.people)).tolist() == [0.5, 0.0]
    without_residual = Score.objects.get(evaluation__run=run, measure="AP")
    assert (without_residual.people, without_residual.mean_people) == (None, None)


@pytest.mark.usefixtures("wake_ups")
def test_a_program_alone_leaves_nothing_to_people(world: World) -> None:
    world.submitted_run(run_file())
    freeze(world, Qrels.Sources.PROGRAM)
    row = world.board(RBP)[0]
    assert (row["base_of_people"], row["judged_by"]) == (0.0, "Judge: 4")


@pytest.mark.usefixtures("wake_ups")
def test_everything_that_shows_the_scores_states_who_judged(world: World) -> None:
    run = world.submitted_run(run_file())
    qrels = freeze(world)
    browser, slug = publish(world), world.campaign.slug

    def get(name: str, *parts: object, **query: str) -> str:
        response = browser.get(reverse(f"scoring:{name}", args=[slug, *parts]), query)
        assert response.status_code == 200
        content = response.getvalue() if response.streaming else response.content
        return content.decode()

    page = get("leaderboard", measure=RBP)
    assert qrels.statement in page
    assert 'class="by-program"' in page
    assert "from judgments of people" in page
    assert "judged by a program: the first band" in page
    for table in (get("leaderboard-csv", measure=RBP), get("scores-csv")):
        head, first, *_ = table.splitlines()
        assert head.endswith(",judged_by")
        assert first.endswith(",people: 1; Judge: 3")
    assert "1 judgment is by people" in get("leaderboard-latex", measure=RBP)
    assert "(judged by program)" in get("badge")
    assert 'fill="#b0752a"' in get("badge")
    assert 'class="by-program"' in get("run-detail", run.public_id)
    assert qrels.statement in get("downloads")


def chart_of(page: str) -> list[dict[str, Any]]:
    found = re.search(r'id="chart-data"[^>]*>(.*?)</script>', page)
    assert found is not None
    traces: list[dict[str, Any]] = json.loads(found[1])["data"]
    return traces


@pytest.mark.usefixtures("wake_ups")
def test_the_chart_has_three_parts(world: World) -> None:
    """The first run is that of `test_a_score_has_three_parts`. The second, by hand: topic 1 people
    1/4, program 1/2; topic 2 program 1/4."""
    world.submitted_run(run_file())
    world.submitted_run(OTHER)
    freeze(world)
    browser, url = publish(world), reverse("scoring:leaderboard", args=[world.campaign.slug])
    page = browser.get(url, {"measure": RBP}).content.decode()
    residual, program = chart_of(page)
    assert (residual["y"], residual["error_y"]["array"]) == (
        [5 / 8, 1 / 2], [5 / 16, 1 / 2],
    )  # fmt: skip
    assert residual["hoverinfo"] == "skip"
    assert (program["y"], program["error_y"]["array"]) == ([1 / 4, 1 / 8], [3 / 8, 3 / 8])
    assert program["meta"] == {"bar": "own"}
    assert "by people alone %{customdata[5]}" in program["hovertemplate"]
    assert program["customdata"][0][2:] == ["0.63", "+0.31", "0.94", "0.25"]
    assert '<path class="residuals" d="M0.5 375V62M1.5 500V0"/>' in page
    assert '<path class="by-program" d="M0.5 750V375M1.5 875V500"/>' in page
    assert '<path d="M0.3 750h.4M1.3 875h.4"/>' in page
    assert "a bar for what the judgments of a program add" in page
    unbounded = browser.get(url, {"measure": "AP"}).content.decode()
    assert len(chart_of(unbounded)) == 1


@pytest.mark.usefixtures("wake_ups")
def test_a_package_states_who_judged(world: World) -> None:
    world.submitted_run(run_file())
    qrels = freeze(world)
    browser = publish(world)
    response = browser.get(reverse("scoring:package", args=[world.campaign.slug]))
    with zipfile.ZipFile(io.BytesIO(response.getvalue())) as packed:
        files = {name: packed.read(name).decode() for name in packed.namelist()}
    for name in (
        "README.md",
        "CITATION.cff",
        "ro-crate-metadata.json",
        "croissant.json",
        "datacite.json",
    ):
        assert qrels.statement in files[name], name
    stated = json.loads(files["datapackage.json"])["trackside"]["qrels"]
    assert (stated["sources"], stated["statement"]) == (qrels.sources, qrels.statement)
    assert stated["programs"][0]["name"] == "Judge"
    assert files["qrels.txt"] == "1 0 d1 1\n1 1 d2 1\n2 1 d1 1\n2 1 d3 0\n"
    assert files["leaderboard.csv"].splitlines()[0].endswith("base_of_people,judged_by")


@pytest.mark.usefixtures("wake_ups")
def test_nothing_changes_where_people_judged_all(world: World) -> None:
    world.submitted_run(run_file())
    world.submitted_run(OTHER)
    freeze(world, Qrels.Sources.PEOPLE)
    browser, slug = publish(world), world.campaign.slug
    page = browser.get(reverse("scoring:leaderboard", args=[slug]), {"measure": RBP})
    assert "by-program" not in page.content.decode()
    assert "from judgments of people" not in page.content.decode()
    (only,) = chart_of(page.content.decode())
    assert only["y"] == [1 / 2, 1 / 4]  # over topic 1, the only one with a relevant document
    assert "by people alone" not in only["hovertemplate"]
    table = browser.get(reverse("scoring:leaderboard-csv", args=[slug])).getvalue().decode()
    assert "judged_by" not in table
    assert "base_of_people" not in world.board(RBP)[0]
    assert "program" not in browser.get(reverse("scoring:badge", args=[slug])).content.decode()
    assert not Score.objects.exclude(people=None).exists()


def test_the_part_of_people_by_hand() -> None:
    nan = float("nan")
    base, people = np.array([0.5, 0.5, 0.5, nan]), np.array([0.2, nan, 0.5 + 1e-16, 0.1])
    assert known_by_people(base, people)[:3].tolist() == [0.2, 0.0, 0.5]
    assert np.isnan(known_by_people(base, people)[3])


BOUNDED = [measure for measure in EXAMPLES if has_residual(measure)]


@given(cells=st.lists(st.tuples(st.integers(-1, 2), st.booleans()), min_size=1, max_size=6))
def test_fewer_judgments_never_raise_a_lower_bound(cells: list[tuple[int, bool]]) -> None:
    """Of any measure with a residual, so that the three parts never overlap; where nothing is
    judged it may be undefined."""
    both = np.array([[grade for grade, _ in cells]], np.int8)
    people = np.array([[-1 if is_program else grade for grade, is_program in cells]], np.int8)
    found = [
        evaluate(BOUNDED, GradedTopics(each, counts(each), np.array([0.0, 0.5, 1.0])))
        for each in (both, people)
    ]
    for measure in BOUNDED:
        base, known = found[0][measure].base[0], found[1][measure].base[0]
        assert np.isnan(base) or np.isnan(known) or known <= base + 1e-12, measure


def counts(grades: np.ndarray) -> np.ndarray:
    return np.array([[int((grades == grade).sum()) for grade in range(3)]])
