"""Two runs side by side: by topic, by tests, and only for those who see scores by topic."""

import csv
import io

import numpy as np
import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import DjangoAssertNumQueries
from scipy import stats

from campaigns.models import Run
from scoring.comparison.persistence import AtPersistence
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.means import Interval
from scoring.output.numbers import p_of_test
from scoring.pools.summaries import signed
from tests.flow_world import World, run_file

pytestmark = pytest.mark.usefixtures("wake_ups")

SHOWN = {
    "stage": "published", "board_audience": 2, "runs_audience": 2, "per_topic_audience": 2,
}  # fmt: skip
TOPICS = [str(number) for number in range(1, 13)]
AP = {"measure": "AP"}


@pytest.fixture
def board(world: World) -> World:
    for position, code in enumerate(TOPICS[2:], start=2):
        world.campaign.topics.create(code=code, position=position, fields=[])
    world.change(measures=["AP", "ESL(n=1)"], **SHOWN)
    world.add_qrels(b"".join(b"%b 0 d%d 1\n" % (t.encode(), n % 5) for n, t in enumerate(TOPICS)))
    for tag, step in (("steady", 1), ("moody", 3)):
        world.submitted_run(run_of(tag, step))
    return world


def run_of(tag: str, step: int) -> bytes:
    """Another place for the relevant document on every topic."""
    lines = []
    for number, topic in enumerate(TOPICS):
        for rank in range(5):
            document = (rank * step + number * number + step) % 5
            lines.append(f"{topic} Q0 d{document} {rank + 1} {9 - rank} {tag}\n")
    return "".join(lines).encode()


def get(world: World, name: str = "compare", **asked: str) -> HttpResponse:
    return Client().get(reverse(f"scoring:{name}", args=[world.campaign.slug]), asked)


def ids(*tags: str) -> list[str]:
    return [Run.objects.get(tag=tag).public_id for tag in tags]


def rows(world: World, a: str, b: str, **asked: str) -> dict[str, dict[str, str]]:
    text = get(world, "compare-csv", a=a, b=b, **asked).content.decode()
    return {row["topic"]: row for row in csv.DictReader(io.StringIO(text))}


def test_differences_and_tests_are_those_of_the_scores(board: World) -> None:
    steady, moody = ids("steady", "moody")
    found = get(board, a=steady, b=moody, **AP).context["comparison"]
    by_topic = rows(board, steady, moody, **AP)
    assert set(by_topic) == set(TOPICS)
    a = np.array([float(row["a_score"]) for row in by_topic.values()])
    b = np.array([float(row["b_score"]) for row in by_topic.values()])
    differences = [float(row["difference"]) for row in by_topic.values()]
    assert differences == pytest.approx((a - b).tolist(), abs=1e-15)
    assert differences == sorted(differences, reverse=True)
    assert found.difference == pytest.approx((a - b).mean(), abs=1e-15)
    assert found.t_p == pytest.approx(stats.ttest_rel(a, b).pvalue, rel=1e-12)
    assert (found.wins, found.losses, found.draws) == (
        int((a > b).sum()), int((a < b).sum()), int((a == b).sum()),
    )  # fmt: skip
    assert found.interval[0] <= found.difference <= found.interval[1]


def test_the_other_way_round_everything_turns(board: World) -> None:
    steady, moody = ids("steady", "moody")
    one = get(board, a=steady, b=moody, **AP).context["comparison"]
    other = get(board, a=moody, b=steady, **AP).context["comparison"]
    assert (one.wins, one.losses) == (other.losses, other.wins)
    assert one.difference == -other.difference
    assert (one.t_p, one.wilcoxon_p) == (other.t_p, other.wilcoxon_p)


def test_bounds_are_what_unjudged_documents_of_both_allow(board: World) -> None:
    for row in rows(board, *ids("steady", "moody"), measure="RBP(p=0.5)").values():
        assert float(row["lowest"]) <= float(row["difference"]) <= float(row["highest"])


def test_the_pale_lines_are_explained_where_there_are_some(board: World) -> None:
    steady, moody = ids("steady", "moody")
    bounded = get(board, a=steady, b=moody, measure="RBP(p=0.5)").content.decode()
    assert "The pale lines" in bounded
    unbounded = get(board, a=steady, b=moody, **AP).content.decode()
    assert "The pale lines" not in unbounded
    assert "AP has no residual" in unbounded


def test_where_less_is_better_less_wins(board: World) -> None:
    steady, moody = ids("steady", "moody")
    found = get(board, a=steady, b=moody, measure="ESL(n=1)").context["comparison"]
    assert found.is_lower_better
    assert found.wins == sum(row.first < row.second for row in found.topics)


def test_without_a_choice_it_is_the_two_best(board: World) -> None:
    page = get(board)
    assert page.status_code == 200
    assert {page.context["comparison"].first.name, page.context["comparison"].second.name} == {
        "steady", "moody",
    }  # fmt: skip


def test_a_run_compared_with_itself_and_unknown_runs(board: World) -> None:
    (steady,) = ids("steady")
    assert "Choose another run" in get(board, a=steady, b=steady).content.decode()
    assert get(board, a="nobody").status_code == 404


def test_one_run_alone_and_no_judgments(world: World) -> None:
    world.change(**SHOWN)
    assert "no judgments yet" in get(world).content.decode()
    world.add_qrels()
    assert "No ranked run" in get(world).content.decode()
    world.submitted_run(b"1 Q0 d1 1 1 alone\n")
    assert "A comparison needs two" in get(world).content.decode()


def test_on_few_topics_the_lowest_p_of_wilcoxons_test_is_told(world: World) -> None:
    world.change(**SHOWN)
    world.add_qrels()
    world.submitted_run(run_file("one", documents=("d1", "d2")))
    world.submitted_run(run_file("two", documents=("d2", "d3")))
    page = " ".join(get(world, **AP).content.decode().split())
    assert "two topics give no p below 0.5, so no difference can be significant by this" in page


def test_on_many_topics_there_is_no_such_sentence(board: World) -> None:
    assert "no difference can be significant" not in get(board, **AP).content.decode()


@pytest.mark.parametrize("facts", [{"board_audience": 0}, {"per_topic_audience": 0}])
def test_who_sees_no_scores_by_topic_compares_nothing(board: World, facts: dict) -> None:
    board.change(**facts)
    page = get(board)
    assert page.status_code == 200
    assert "steady" not in page.content.decode()
    assert get(board, "compare-csv").status_code == 404


def test_few_queries(board: World, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_max_num_queries(12):
        get(board, **AP)


def test_two_runs_ticked_on_the_board_are_set_side_by_side(board: World) -> None:
    steady, moody = ids("steady", "moody")
    form = get(board, "leaderboard", **AP).content.decode()
    assert form.count(' name="run" value="') == 2
    answer = get(board, run=[moody, steady], **AP)
    assert answer.status_code == 302
    found = Client().get(answer["Location"]).context["comparison"]
    assert (found.first.name, found.second.name, str(found.measure)) == ("moody", "steady", "AP")


def test_one_or_three_selected_runs_are_explained(board: World) -> None:
    board.submitted_run(run_of("third", 2))
    steady, moody, third = ids("steady", "moody", "third")
    three = get(board, run=[third, moody, steady], **AP)
    assert "3 runs were selected. The first two of them are compared." in three.content.decode()
    found = three.context["comparison"]
    assert (found.first.name, found.second.name) == ("third", "moody")
    one = get(board, run=third, **AP)
    assert "One run was selected" in one.content.decode()
    assert one.context["comparison"].first.name == "third"
    assert one.context["comparison"].second.name != "third"
    assert get(board, run="nothing", **AP).status_code == 404


def test_the_bands_of_both_runs_at_every_p(board: World) -> None:
    """Every topic has one relevant document; both runs give five, judged in this one case only."""
    steady, moody = ids("steady", "moody")
    text = get(board, "compare-bands-csv", a=steady, b=moody, **AP).content.decode()
    found = list(csv.DictReader(io.StringIO(text)))
    assert [row["p"] for row in found] == [str(n / 100) for n in range(5, 100, 5)]
    relevant = {topic: f"d{number % 5}" for number, topic in enumerate(TOPICS)}
    for row in found:
        p = float(row["p"])
        for side, tag in (("a", "steady"), ("b", "moody")):
            base = residual = 0.0
            lines = run_of(tag, {"steady": 1, "moody": 3}[tag]).decode().splitlines()
            for line in lines:
                topic, _, document, rank, *_ = line.split()
                weight = (1 - p) * p ** (int(rank) - 1) / len(TOPICS)
                if document == relevant[topic]:
                    base += weight
                else:
                    residual += weight
            residual += p**5
            assert float(row[f"{side}_base"]) == pytest.approx(base, abs=1e-12)
            assert float(row[f"{side}_residual"]) == pytest.approx(residual, abs=1e-12)
            assert float(row[f"{side}_upper"]) == pytest.approx(base + residual, abs=1e-12)
    page = get(board, a=steady, b=moody, **AP)
    assert len(page.context["band_figure"]["data"]) == 4
    assert page.context["leads"] == [
        sum(row.leader == place for row in page.context["bands"]) for place in (1, 2)
    ]


def test_who_leads_whatever_the_unjudged_are() -> None:
    measure = parse_measure("RBP(p=0.5)")
    for first, second, leader in (
        (Interval(0.5, 0.1), Interval(0.3, 0.125), 1),
        (Interval(0.25, 0.25), Interval(0.625, 0.1), 2),
        (Interval(0.5, 0.1), Interval(0.25, 0.25), 0),  # they touch
    ):
        assert AtPersistence(0.5, measure, first, second).leader == leader


def test_small_p_values_are_never_printed_as_nothing() -> None:
    assert [p_of_test(p) for p in (0.00009, 0.0001, 0.0412, 1.0, float("nan"))] == [
        "p < 0.0001", "p = 0.0001", "p = 0.0412", "p = 1.0000", "–",
    ]  # fmt: skip
    assert [signed(change) for change in (-0.00001, 0.00001, -0.0002)] == [
        ">−0.0001", "<+0.0001", "−0.0002",
    ]  # fmt: skip
