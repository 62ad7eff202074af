"""All real runs, qrels and topics are read, some of them compared completely with the slow twin."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from campaigns.trec.qrels import read_qrels
from campaigns.trec.runs import read_run
from campaigns.trec.runs_table import read_runs_table
from campaigns.trec.topics import read_topics, write_topics_xml
from tests.campaigns.trec.slow_twin import fast_judgments, fast_rows, slow_qrels, slow_run

DATA = os.environ.get("TRACKSIDE_DATA", "")
pytestmark = [
    pytest.mark.usefixtures("either_way"),
    pytest.mark.data,
    pytest.mark.skipif(not DATA, reason="TRACKSIDE_DATA does not name the folder of real data"),
]
COVID = Path(DATA) / "trec-covid-round1"
DL19 = Path(DATA) / "trec-dl19-passage"
COLLECTIONS = (
    COVID,
    DL19,
    *(Path(DATA) / name for name in ("trec8-adhoc", "trec_eval", "vaswani-npl")),
)


def unpacked(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def test_all_143_trec_covid_runs_are_accepted() -> None:
    table = {row.tag for row in read_runs_table((COVID / "leaderboard.csv").read_bytes()).rows}
    topics = [topic.code for topic in read_topics((COVID / "topics.xml").read_bytes())]
    paths = sorted((COVID / "runs").iterdir())
    assert len(paths) == 143
    for path in paths:
        with path.open("rb") as file:
            run = read_run(file, known_topics=topics, max_depth=1000)
        assert run.tag in table
        assert run.line_count == unpacked(path).count(b"\n")


@pytest.mark.parametrize(
    "name",
    ["Technion-MEDMM", "RMITBM1", "elhuyar_indri", "BERT", "10x10.prf.unipd.it", "ielab-prf"],
)
def test_trec_covid_runs_equal_the_slow_twin(name: str) -> None:
    data = unpacked(COVID / "runs" / f"{name}.gz")
    run, slow = read_run(data), slow_run(data)
    assert (run.tag, run.topics) == (slow.tag, slow.topics)
    assert fast_rows(run) == slow.rows


def test_all_12_trec_dl19_runs_keep_their_43_topics_and_equal_the_slow_twin() -> None:
    topics = {topic.code for topic in read_topics((DL19 / "topics.dl19-passage.txt").read_bytes())}
    assert len(topics) == 43
    paths = sorted((DL19 / "runs").iterdir())
    assert len(paths) == 12
    for path in paths:
        data = unpacked(path)
        run = read_run(data, known_topics=topics, unknown_topics="drop")
        slow = slow_run(data, topics)
        assert "DROPPED_TOPICS" in {warning.code for warning in run.warnings}
        assert (run.tag, run.topics) == (slow.tag, slow.topics)
        assert fast_rows(run) == slow.rows


def test_all_qrels_equal_the_slow_twin() -> None:
    paths = [path for each in COLLECTIONS for path in each.rglob("*qrels*") if path.is_file()]
    assert len(paths) >= 20
    for path in paths:
        with path.open("rb") as file:
            assert fast_judgments(read_qrels(file)) == slow_qrels(unpacked(path))


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("trec-covid-round1/topics.xml", 30),
        ("trec-dl19-passage/topics.dl19-passage.txt", 43),
        ("vaswani-npl/query-text.trec.gz", 93),
    ],
)
def test_all_topics_are_read_and_written(name: str, count: int) -> None:
    topics = read_topics((Path(DATA) / name).read_bytes())
    assert len(topics) == count
    assert read_topics(write_topics_xml(topics)) == topics
