"""All 143 runs of TREC-COVID round 1 against the figures NIST published.

The way of a run from bytes to mean, end to end; only the last test reads the files by itself.
"""

import csv
import gzip
import os
from pathlib import Path

import numpy as np
import pytest

from campaigns.trec.qrels import read_qrels
from campaigns.trec.runs import read_run
from scoring.core.data.alignment import align, align_fully
from scoring.core.data.judgments import build_table
from scoring.core.data.ranking import rank
from scoring.core.measures.graded import GradedTopics, default_gain_map, evaluate
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.means import mean_scores, topics_of_mean
from scoring.core.ties.ties import TiedTopics, bounds, expected

DATA = os.environ.get("TRACKSIDE_DATA")
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not DATA, reason="TRACKSIDE_DATA does not name the folder of real runs"),
]

AP = parse_measure("AP")
GRADED = parse_measure("RBP(p=0.5,gain=map)")
TOPICS = [str(number) for number in range(1, 31)]


def read(path):
    """What `rank` takes of a run."""
    parsed = read_run(path.read_bytes(), known_topics=TOPICS)
    return {
        "topics": parsed.topics,
        "topic_index": parsed.topic_index,
        "doc_ids": parsed.doc_ids,
        "retrieval_scores": parsed.retrieval_scores,
    }


@pytest.fixture(scope="module")
def folder():
    return Path(DATA) / "trec-covid-round1"


@pytest.fixture(scope="module")
def table(folder):
    parsed = read_qrels((folder / "qrels.txt.gz").read_bytes(), known_topics=TOPICS)
    return build_table(
        topics=TOPICS,
        qrels_topics=parsed.topics,
        topic_index=parsed.topic_index,
        doc_ids=parsed.doc_ids,
        grades=parsed.grades,
        highest_grade=2,
    )


def graded_topics(run, table):
    grades = align(rank(**run), table, depth=1000)
    return GradedTopics(grades, table.grade_counts, default_gain_map(2))


def mean(measure, run, table):
    included = topics_of_mean(table, rel=1, no_relevant="zero")
    return mean_scores(evaluate([measure], graded_topics(run, table))[measure], included)


@pytest.fixture(scope="module")
def official(folder):
    with (folder / "leaderboard.csv").open(newline="") as file:
        return {row["run"]: row for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def computed(folder, table, official):
    """Run -> measure -> its mean to four digits."""
    included = topics_of_mean(table, rel=1, no_relevant="zero")
    found = {}
    for tag in official:
        graded = graded_topics(read(folder / "runs" / f"{tag}.gz"), table)
        scores = evaluate([AP, GRADED], graded)
        found[tag] = {m: f"{mean_scores(s, included).base:.4f}" for m, s in scores.items()}
    return found


def test_the_qrels_are_those_of_round_1(table):
    assert table.grade_counts.sum(axis=0).tolist() == [6339, 1115, 1237]
    assert table.is_judged_topic.all()


def test_mean_ap_is_nists_for_all_runs_but_one(computed, official):
    assert len(computed) == 143
    differing = [tag for tag in official if computed[tag][AP] != official[tag]["MAP"]]
    assert differing == ["BERT"]


def test_graded_rbp_is_nists_for_all_runs_but_one(computed, official):
    differing = [tag for tag in official if computed[tag][GRADED] != official[tag]["RBP(p=.5)"]]
    assert differing == ["BERT"]


def test_bert_needs_single_precision_to_reach_nists_figures(folder, table, official):
    run = read(folder / "runs" / "BERT.gz")
    single = run["retrieval_scores"].astype(np.float32).astype(np.float64)
    rounded = run | {"retrieval_scores": single}
    assert f"{mean(AP, run, table).base:.4f}" == "0.0652"
    assert f"{mean(AP, rounded, table).base:.4f}" == "0.0653" == official["BERT"]["MAP"]
    assert f"{mean(GRADED, run, table).base:.4f}" == "0.1646"
    assert f"{mean(GRADED, rounded, table).base:.4f}" == official["BERT"]["RBP(p=.5)"] == "0.1625"


def columns(path):
    with gzip.open(path) as lines:
        return list(zip(*(line.split() for line in lines), strict=True))


def test_rbp_of_one_run_is_the_paper_s_formula_written_out(folder, table):
    topics, _, doc_ids, grades = columns(folder / "qrels.txt.gz")
    judgments = {(t, d): int(g) for t, d, g in zip(topics, doc_ids, grades, strict=True)}
    lists = {}
    topics, _, doc_ids, _, retrieval_scores, _ = columns(folder / "runs" / "BBGhelani1.gz")
    for topic, doc_id, score in zip(topics, doc_ids, map(float, retrieval_scores), strict=True):
        lists.setdefault(topic, []).append((score, doc_id))
    measure = parse_measure("RBP(p=0.8)")
    run = read(folder / "runs" / "BBGhelani1.gz")
    found = evaluate([measure], graded_topics(run, table))[measure]
    for topic, retrieved in lists.items():
        base, residual = 0.0, 0.8 ** len(retrieved)
        for i, (_, doc_id) in enumerate(sorted(retrieved, reverse=True), start=1):
            grade = judgments.get((topic, doc_id))
            base += 0.2 * 0.8 ** (i - 1) * (grade is not None and grade >= 1)
            residual += 0.2 * 0.8 ** (i - 1) * (grade is None)
        row = TOPICS.index(topic.decode())
        assert found.base[row] == pytest.approx(base, abs=1e-12)
        assert found.residual[row] == pytest.approx(residual, abs=1e-12)


def test_ties_of_real_runs_lie_between_the_worst_and_the_best_ordering(folder, table, official):
    names = ("AP", "P@10", "nDCG@10", "RR", "RBP(p=0.8)", "Rprec", "ESL(n=5)", "Judged@10")
    measures = [parse_measure(name) for name in names]
    tied_documents = 0
    for tag in list(official)[::12]:
        ranking = rank(**read(folder / "runs" / f"{tag}.gz"))
        tied_documents += ranking.tied_documents
        aligned = align_fully(ranking, table, depth=1000)
        graded = GradedTopics(
            aligned.grades, table.grade_counts, default_gain_map(2), aligned.pooled
        )
        tied = TiedTopics(graded, aligned.begins)
        docno, means, ends = (
            evaluate(measures, graded),
            expected(measures, tied),
            bounds(measures, tied),
        )
        for measure in measures:
            low = np.minimum(ends[measure].worst, ends[measure].best) - 1e-12
            high = np.maximum(ends[measure].worst, ends[measure].best) + 1e-12
            for base in (docno[measure].base, means[measure].base):
                assert (np.isnan(base) | ((low <= base) & (base <= high))).all()
    assert tied_documents > 1000
