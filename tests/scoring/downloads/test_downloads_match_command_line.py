"""Two runs, curves, topics and the report: the numbers that the command line has of the same files.

Of a curve the command line knows single points: RBP at one p, and a ranking cut at one depth (-M).
Orders under a shallow pool and the bootstrap it does not know: those are made of its scores, by
plain loops and by the core.
"""

import csv
import io
import itertools
import re
import shlex
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from campaigns import lifecycle
from campaigns.models import Audience, Campaign, Run
from scoring.core.statistics.intervals import bootstrap_intervals
from tests.agreement_boards import get as of_campaign
from tests.flow_world import perform_jobs
from tests.scoring.agreement.test_agreement_page import simulated
from tests.scoring.cli.command import Command
from tests.scoring.pools.test_pool_page import (
    MEASURES,
    QRELS,
    RUNS,
    TOPICS,
    campaign,
    command,
    first_ranks,
    get,
    shown,
    table,
)
from tests.scoring.report.test_report_page import by_loops

# The fixtures: six runs of three teams and four topics; twelve runs and eight topics.
__all__ = ["campaign", "command", "simulated"]

pytestmark = pytest.mark.django_db
PAIR = ("bee1", "ant2")

Scores = dict[tuple[str, str, str], dict[str, str]]  # of the command line, by run, topic, measure


def evaluated(
    command: Command, measures: Sequence[str], *flags: object, qrels: str = QRELS,
    tags: Sequence[str] = tuple(RUNS),
) -> Scores:  # fmt: skip
    """Every topic of these runs, and their mean as "all"."""
    files = [command.write("judged", qrels), *(command.write(tag, RUNS[tag]) for tag in tags)]
    asked = [word for measure in measures for word in ("-m", measure)]
    usual = ("-q", "-c", "--no-relevant", "zero", "--format", "csv")
    answer = command("evaluate", *files, *asked, *usual, *flags)
    assert answer.status == 0, answer.err
    rows = csv.DictReader(io.StringIO(answer.out))
    return {(row["run"], row["topic"], row["measure"]): row for row in rows}


def told(command: Command, *words: object) -> list[dict[str, str]]:
    """The CSV of another command about all runs, or those that are named."""
    answer = command(*words)
    assert answer.status == 0, answer.err
    return list(csv.DictReader(io.StringIO(answer.out)))


def files_of(command: Command, *tags: str) -> list[str]:
    return [command.write("judged", QRELS), *(command.write(t, RUNS[t]) for t in tags or RUNS)]


def same(ours: object, theirs: object) -> bool:
    """Two cells of tables: equal to 1e-12, or both empty."""
    if "" in (ours, theirs) or None in (ours, theirs):
        return (ours or "") == (theirs or "")
    return float(ours) == pytest.approx(float(theirs), abs=1e-12)


def pooled(depth: int) -> str:
    """The lines of the qrels that a pool of this depth would have given."""
    ranks = first_ranks()
    lines = [line.split() for line in QRELS.splitlines()]
    kept = [line for line in lines if min(ranks[line[0], line[2]].values()) <= depth]
    return "".join(f"{' '.join(line)}\n" for line in kept)


@pytest.mark.parametrize(
    "rules",
    [
        {"no_relevant": "exclude"},
        {"no_relevant": "zero", "rel": 2, "gain_map": [0.0, 0.25, 1.0]},
    ],
)
def test_the_command_that_a_package_names_makes_the_packages_numbers(
    campaign: Campaign, command: Command, rules: dict[str, object]
) -> None:
    shown(campaign)
    changed = Campaign.objects.get()
    for name, value in rules.items():
        setattr(changed, name, value)
    lifecycle.change_settings(campaign=changed, fields=list(rules), actor=None)
    perform_jobs()
    with zipfile.ZipFile(io.BytesIO(b"".join(get("package").streaming_content))) as packed:
        said = packed.read("README.md").decode()
        board = csv.DictReader(io.StringIO(packed.read("leaderboard.csv").decode()))
        rows = {(row["run"], row["measure"]): row for row in board}
    words = shlex.split(re.search(r"^    trackside (.*)$", said, re.MULTILINE)[1])
    graded = ["-m", "RBP(p=0.8,gain=map)"]
    where = words.index("run.gz")
    for tag in RUNS:
        answer = command(words[0], *files_of(command, tag), *words[where + 1 :], *graded)
        assert answer.status == 0, answer.err
        means = [r for r in csv.DictReader(io.StringIO(answer.out)) if r["topic"] == "all"]
        assert len(means) == 2
        for mean, row in ((mean, rows[tag, mean["measure"]]) for mean in means):
            assert same(row["base"], mean["value"])
            assert same(row["residual"], mean["residual"])


# --- two runs -----------------------------------------------------------------------------------


def two(name: str, **asked: str) -> list[dict[str, str]]:
    a, b = (Run.objects.get(tag=tag).public_id for tag in PAIR)
    return table(name, a=a, b=b, **asked)


@pytest.mark.parametrize("measure", MEASURES)
def test_two_runs_differ_by_topic_as_their_scores_do(
    campaign: Campaign, command: Command, measure: str
) -> None:
    theirs = evaluated(command, [measure], tags=PAIR)
    rows = {row["topic"]: row for row in two("compare-csv", measure=measure)}
    assert set(rows) == set(TOPICS)
    for topic, row in rows.items():
        a, b = (theirs[tag, topic, measure] for tag in PAIR)
        difference = float(a["value"]) - float(b["value"])
        bounds: tuple[float | None, float | None] = (None, None)
        if a["residual"]:
            bounds = (difference - float(b["residual"]), difference + float(a["residual"]))
        assert same(row["a_score"], a["value"])
        assert same(row["b_score"], b["value"])
        assert same(row["difference"], difference)
        assert same(row["lowest"], bounds[0])
        assert same(row["highest"], bounds[1])
    assert any(row["lowest"] for row in rows.values()) == measure.startswith("RBP")


@pytest.mark.parametrize("measure", MEASURES)
def test_two_runs_are_compared_by_the_same_tests(
    campaign: Campaign, command: Command, measure: str
) -> None:
    a, b = (Run.objects.get(tag=tag).public_id for tag in PAIR)
    found = get("compare", a=a, b=b, measure=measure).context["comparison"]
    for test, p_value in (("t", found.t_p), ("wilcoxon", found.wilcoxon_p)):
        asked = ("significance", *files_of(command, *PAIR), "-m", measure, "--test", test)
        [row] = told(command, *asked)
        assert (row["a"], row["b"]) == PAIR
        assert same(found.difference, row["difference"])
        assert same(p_value, row["p"])
        if test == "wilcoxon":
            assert found.is_exact == row["method"].startswith("exact")
    theirs = evaluated(command, [measure], tags=PAIR)
    values = [[float(theirs[tag, t, measure]["value"]) for t in TOPICS] for tag in PAIR]
    differences = np.subtract(*values)[None, :]
    drawn = bootstrap_intervals(differences, samples=10_000, seed=1)
    expected = [float(drawn.lower[0]), float(drawn.upper[0])]
    assert list(found.interval) == pytest.approx(expected, abs=1e-12)
    by_hand = differences.mean() / differences.std(ddof=1)
    assert found.effect == pytest.approx(by_hand, abs=1e-12)


def test_two_runs_at_every_p(campaign: Campaign, command: Command) -> None:
    rows = two("compare-bands-csv")
    names = [f"RBP(p={row['p']})" for row in rows]
    assert len(names) == 19
    theirs = evaluated(command, names, tags=PAIR)
    for row, name in zip(rows, names, strict=True):
        for side, tag in zip("ab", PAIR, strict=True):
            mean = theirs[tag, "all", name]
            assert same(row[f"{side}_base"], mean["value"])
            assert same(row[f"{side}_residual"], mean["residual"])


# --- the curves of one run ----------------------------------------------------------------------


def curve(name: str, **asked: str) -> list[dict[str, str]]:
    """Of one run, for somebody who may see the qrels."""
    url = reverse(f"scoring:{name}", args=["pooled", Run.objects.get(tag="bee1").public_id])
    answer = Client().get(url, asked)
    assert answer.status_code == 200
    return list(csv.DictReader(io.StringIO(answer.content.decode())))


GAINS = pytest.mark.parametrize(
    ("gain", "form"), [("binary", "RBP(p={})"), ("map", "RBP(p={},gain=map)")]
)


@GAINS
def test_bounds_against_p(campaign: Campaign, command: Command, gain: str, form: str) -> None:
    rows = curve("run-p-csv", gain=gain)
    assert len(rows) > 20
    names = {row["p"]: form.format(row["p"]) for row in rows if float(row["p"]) > 0}
    assert len(names) == len(rows) - 1  # p = 0 is no RBP: only the first document is looked at
    theirs = evaluated(command, list(names.values()), tags=["bee1"])
    for row in rows:
        if row["p"] in names:
            mean = theirs["bee1", "all", names[row["p"]]]
            assert same(row["base"], mean["value"])
            assert same(row["residual"], mean["residual"])


@GAINS
def test_bounds_against_depth(campaign: Campaign, command: Command, gain: str, form: str) -> None:
    rows = curve("run-depth-csv", gain=gain)
    name = form.format("0.8")
    assert [row["depth"] for row in rows][-1] == "40"
    assert {row["p"] for row in rows} == {"0.8"}
    for row in rows:
        mean = evaluated(command, [name], "-M", row["depth"], tags=["bee1"])["bee1", "all", name]
        assert same(row["base"], mean["value"])
        assert same(row["residual"], mean["residual"])


def test_precision_against_recall(campaign: Campaign, command: Command) -> None:
    levels, teeth = curve("run-recall-csv", topic="1"), curve("run-precision-csv", topic="1")
    names = {row["recall"]: f"IPrec@{float(row['recall']):g}" for row in levels}
    theirs = evaluated(command, list(names.values()), tags=["bee1"])
    for row in levels:
        name = names[row["recall"]]
        assert same(row["mean"], theirs["bee1", "all", name]["value"])
        assert same(row["topic_precision"], theirs["bee1", "1", name]["value"])
    cuts = [f"{name}@{row['rank']}" for row in teeth for name in ("P", "R")]
    theirs = evaluated(command, cuts, tags=["bee1"])
    assert {row["relevant"] for row in teeth} == {"0", "1"}
    for row in teeth:
        assert same(row["precision"], theirs["bee1", "1", f"P@{row['rank']}"]["value"])
        assert same(row["recall"], theirs["bee1", "1", f"R@{row['rank']}"]["value"])


# --- topics -------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", MEASURES)
def test_topics_by_runs(campaign: Campaign, command: Command, measure: str) -> None:
    theirs = evaluated(command, [measure])
    cells = table("topic-matrix-csv", measure=measure)
    assert len(cells) == len(TOPICS) * len(RUNS)
    for cell in cells:
        assert same(cell["base"], theirs[cell["run"], cell["topic"], measure]["value"])
    means = {tag: float(theirs[tag, "all", measure]["value"]) for tag in RUNS}
    assert {cell["run"]: int(cell["rank"]) for cell in cells} == {
        tag: 1 + sum(other > mean + 1e-12 for other in means.values())
        for tag, mean in means.items()
    }
    scores = {t: [float(theirs[tag, t, measure]["value"]) for tag in RUNS] for t in TOPICS}
    whole = sum(np.var(column) for column in scores.values())
    shares = {cell["topic"]: cell["variance_share"] for cell in cells}
    assert all(same(shares[t], np.var(scores[t]) / whole) for t in TOPICS)


@pytest.mark.parametrize("measure", MEASURES)
def test_the_list_of_topics_and_each_topic(
    campaign: Campaign, command: Command, measure: str
) -> None:
    shown(campaign, qrels_audience=Audience.EVERYONE)
    theirs = evaluated(command, [measure])
    grades = [line.split() for line in QRELS.splitlines()]
    columns = ("mean", "lowest", "lower_quartile", "upper_quartile", "highest")
    for row in table("topics-csv", measure=measure):
        topic = row["topic"]
        scores = [float(theirs[tag, topic, measure]["value"]) for tag in RUNS]
        expected = [np.mean(scores), *np.quantile(scores, (0, 0.25, 0.75, 1))]
        assert [float(row[each]) for each in columns] == pytest.approx(expected, abs=1e-12)
        judged = [int(line[3]) for line in grades if line[0] == topic]
        assert (row["judged"], row["relevant"]) == (
            str(len(judged)), str(sum(grade > 0 for grade in judged)),
        )  # fmt: skip
        url = reverse("scoring:topic-csv", args=["pooled", topic])
        text = Client().get(url, {"measure": measure}).content.decode()
        runs = {each["run"]: each for each in csv.DictReader(io.StringIO(text))}
        assert set(runs) == set(RUNS)
        for tag, each in runs.items():
            assert same(each["base"], theirs[tag, topic, measure]["value"])
            assert same(each["residual"], theirs[tag, topic, measure]["residual"])


# --- the report ---------------------------------------------------------------------------------


def test_table_iii(campaign: Campaign, command: Command) -> None:
    asked = [word for measure in MEASURES for word in ("-m", measure)]
    printed = told(command, "agreement", *files_of(command), *asked)
    whole = {frozenset((row["measure_a"], row["measure_b"])): row["tau"] for row in printed}
    under = {
        depth: evaluated(command, MEASURES, qrels=qrels)
        for depth, qrels in (("10", pooled(10)), ("all", QRELS))
    }
    rows = {(row["measure"], row["pool_depth"]): row["AP"] for row in
            table("report-agreement-csv", depth="10")}  # fmt: skip
    for measure, depth in itertools.product(MEASURES, under):
        first, second = (
            {tag: float(scores[tag, "all", name]["value"]) for tag in RUNS}
            for scores, name in ((under[depth], measure), (under["all"], "AP"))
        )
        assert same(rows[measure, depth], by_loops(first, second))
        if depth == "all" and measure != "AP":
            assert same(rows[measure, depth], whole[frozenset((measure, "AP"))])


def test_table_iv(simulated: tuple[Campaign, Path], command: Command) -> None:
    """Twelve runs over eight topics: enough for some to be told apart."""
    campaign, folder = simulated
    of_campaign("report", campaign)
    perform_jobs()
    page = of_campaign("report", campaign).content.decode()
    body = page[page.index('class="pairs counts measures"') :]
    files = [folder / "qrels.txt", *sorted((folder / "runs").iterdir())]
    found = set()
    for measure in ("RBP(p=0.5)", "AP"):
        row = re.search(rf">{re.escape(measure)}<(.*?)</tr>", body, re.S)
        assert row is not None
        counted = []
        for test, level in itertools.product(("t", "wilcoxon", "randomisation"), ("0.05", "0.01")):
            asked = ("--test", test, "--alpha", level, "--correction", "none", "--count")
            answer = command("significance", *files, "-m", measure, *asked)
            counted.append(answer.out.split()[0])
        assert re.findall(r'class="num[^"]*">([\d,]+)<', row[1]) == [*counted, "66"]
        found.update(counted)
    assert len(found) > 2


def test_figures_2_and_4(campaign: Campaign, command: Command) -> None:
    below, above = (evaluated(command, MEASURES, qrels=qrels) for qrels in (pooled(10), QRELS))
    for measure in ("AP", "RBP(p=0.8)"):
        for row in table("pools-csv", measure=measure, depth="10"):
            key = (row["run"], "all", measure)
            assert same(row["base"], below[key]["value"])
            assert same(row["base_all"], above[key]["value"])


def test_figures_5_and_6(campaign: Campaign, command: Command) -> None:
    rows = table("report-bounds-csv", depth="5")
    first_two = list(dict.fromkeys(row["run"] for row in rows))
    by_rank = [row for row in rows if row["ranks"] in ("1", "2", "5", "17", "40", "100")]
    by_p = [row for row in rows if not row["ranks"]]
    assert (len(by_rank), len(by_p)) == (2 * 2 * 6, 2 * 2 * 99)
    qrels = {"5": pooled(5), "all": QRELS}
    for depth, text in qrels.items():
        names = sorted({f"RBP(p={row['p']})" for row in by_p})
        whole = evaluated(command, names, qrels=text, tags=first_two)
        cut = {
            ranks: evaluated(command, names, "-M", ranks, qrels=text, tags=first_two)
            for ranks in {row["ranks"] for row in by_rank}
        }
        for row in (*by_rank, *by_p):
            if row["pool_depth"] == depth:
                scores = cut[row["ranks"]] if row["ranks"] else whole
                mean = scores[row["run"], "all", f"RBP(p={row['p']})"]
                assert same(row["base"], mean["value"])
                assert same(row["residual"], mean["residual"])
