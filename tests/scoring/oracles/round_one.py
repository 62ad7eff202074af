"""TREC-COVID round 1 on our own way from bytes to grades, and in forms that other tools take."""

import gzip
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from scoring.cli.opening import open_qrels
from scoring.core.data.alignment import align_fully
from scoring.core.data.judgments import JudgmentTable
from scoring.core.data.ranking import Ranking
from scoring.core.measures.graded import GradedTopics, default_gain_map

DATA = os.environ.get("TRACKSIDE_DATA", "")
WITH_DATA = [
    pytest.mark.data,
    pytest.mark.skipif(not DATA, reason="TRACKSIDE_DATA does not name the folder of real runs"),
]
IN_FULL = os.environ.get("ORACLES_IN_FULL") == "1"
# Steps through the 143 runs.
EACH_TWELFTH_OR_ALL = [
    pytest.param(12, id="each-twelfth"),
    pytest.param(1, id="all", marks=pytest.mark.exhaustive),
]

Grades = Mapping[str, Mapping[str, int]]  # topic -> document -> grade


def run_paths() -> list[Path]:
    """All 143 files, in the order of their tags."""
    return sorted((Path(DATA) / "trec-covid-round1" / "runs").iterdir())


def qrels_path() -> Path:
    return Path(DATA) / "trec-covid-round1" / "qrels.txt.gz"


def judgment_table() -> JudgmentTable:
    return open_qrels(str(qrels_path()))


def plain_grades() -> Grades:
    """The qrels read as plainly as can be, for tools that take what their caller has read."""
    grades: dict[str, dict[str, int]] = {}
    with gzip.open(qrels_path(), "rt") as lines:
        for line in lines:
            topic, _, doc_id, grade = line.split()
            grades.setdefault(topic, {})[doc_id] = int(grade)
    return grades


def graded_topics(ranking: Ranking, table: JudgmentTable) -> GradedTopics:
    aligned = align_fully(ranking, table, depth=max(ranking.max_length, 1))
    gain_map = default_gain_map(table.highest_grade)
    return GradedTopics(aligned.grades, table.grade_counts, gain_map, pooled=aligned.pooled)


def ordered_documents(ranking: Ranking) -> Iterator[tuple[str, list[str]]]:
    """Each topic with its documents, best first."""
    doc_ids = [doc_id.decode() for doc_id in ranking.doc_ids.tolist()]
    edges = ranking.offsets.tolist()
    for topic, begin, end in zip(ranking.topics, edges, edges[1:], strict=False):
        yield topic, doc_ids[begin:end]
