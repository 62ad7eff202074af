"""The depth of a pool, read from the qrels: by hand, by a literal twin, and on two TREC pools."""

import csv
import math
import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.cli.opening import open_qrels, open_run
from scoring.core.data.judgments import JudgmentTable
from scoring.core.data.ranking import rank
from scoring.core.judging.pooled_judgments import complete_depths, judged_places, pool_depth
from scoring.library.prepared import rank_run
from tests.scoring.core.rankings import ranking
from tests.scoring.core.test_alignment import table_of

Lists = Mapping[str, str]  # topic -> documents, one letter each, best first

DATA = os.environ.get("TRACKSIDE_DATA", "")

POOLED = {"1": "abcd", "2": "efgh"}


def named(lists: Lists) -> JudgmentTable:
    judgments = [(topic, each, 0) for topic, documents in lists.items() for each in documents]
    return table_of(judgments, topics=sorted({"1", "2", "3", *lists}))


def depths_of(runs: list[Lists], table: JudgmentTable) -> list[int]:
    places = [
        judged_places(ranking({topic: list(documents) for topic, documents in run.items()}), table)
        for run in runs
    ]
    return complete_depths(places, table).tolist()


def test_a_run_is_complete_as_far_as_the_qrels_name_it_on_every_topic() -> None:
    """Worked by hand: the qrels name a, b, c, d on topic 1 and e, f, g, h on topic 2."""
    runs = [
        {"1": "abxc", "2": "efgx"},  # 2 and 3
        {"1": "dcxx", "2": "hgxx"},  # 2 and 2
        {"1": "xabc", "2": "efgh"},  # 0, and to the end
        {"1": "abcd", "2": "efxy"},  # to the end, and 2
        {"1": "abcd", "2": "efg"},  # to the end of both, 4 documents at most
        {"1": "abc"},  # to the end of the one that it has
        {"9": "abc"},  # a topic that nobody judged
    ]
    found = depths_of(runs, named(POOLED))
    assert found == [2, 2, 0, 2, 4, 3, 0]
    assert pool_depth(np.array(found, np.int32)) == 2


def test_a_document_that_is_in_the_pool_and_has_no_grade_is_no_gap() -> None:
    table = table_of([("1", "a", 1), ("1", "b", -1), ("1", "c", 0), ("2", "a", -1)])
    assert depths_of([{"1": "abcx", "2": "xyz"}], table) == [3]


def test_one_topic_of_twenty_may_lack_a_document() -> None:
    """A document that could not be judged does not hide how deep the pool is."""
    table = named({str(topic): "ab" for topic in range(20)})
    whole = {str(topic): "abxx" for topic in range(20)}
    assert depths_of([whole | {"7": "xabx"}], table) == [2]
    assert depths_of([whole | {"7": "xabx", "8": "xabx"}], table) == [0]


@pytest.mark.parametrize(
    ("complete", "depth"),
    [
        ([7, 7, 8, 0, 0, 0], 7),  # what 0 says is no depth
        ([3, 9, 9, 3], 3),
        ([20, 41], 20),
        ([0, 0], 0),
        ([], 0),
    ],
)
def test_the_pool_is_as_deep_as_most_runs_are_complete(complete: list[int], depth: int) -> None:
    assert pool_depth(np.array(complete, np.int32)) == depth


lists = st.dictionaries(
    st.sampled_from("123"), st.lists(st.sampled_from("abcdefgh"), unique=True).map("".join)
)


@given(st.lists(lists, max_size=4), lists)
def test_it_agrees_with_a_literal_twin(runs: list[Lists], qrels: Lists) -> None:
    table = named(qrels)
    expected = [slow_depth(run, qrels) for run in runs]
    assert depths_of(runs, table) == expected
    assert pool_depth(np.array(expected, np.int32)) == slow_pool_depth(expected)


def slow_depth(run: Lists, qrels: Lists) -> int:
    judged = [topic for topic in qrels if qrels[topic]]
    longest = max((len(run.get(topic, "")) for topic in judged), default=0)
    allowed = math.floor(0.05 * len(judged))
    for k in range(longest, 0, -1):
        gaps = 0
        for topic in judged:
            gaps += any(document not in qrels[topic] for document in run.get(topic, "")[:k])
        if gaps <= allowed:
            return k
    return 0


def slow_pool_depth(complete: list[int]) -> int:
    counts = Counter(depth for depth in complete if depth)
    return min((d for d in counts if counts[d] == max(counts.values())), default=0)


@pytest.mark.data
@pytest.mark.skipif(not DATA, reason="TRACKSIDE_DATA does not name the folder of real runs")
@pytest.mark.parametrize("is_stated", [True, False])
def test_trec_covid_round_1_was_pooled_to_depth_7(is_stated: bool) -> None:
    """With the 56 runs that NIST names, and with all 143, as if it had named none."""
    folder = Path(DATA) / "trec-covid-round1"
    with open(folder / "leaderboard.csv", newline="") as file:
        tags = [
            row["run"]
            for row in csv.DictReader(file)
            if row["contributed judgments"] == "yes" or not is_stated
        ]
    paths = [folder / "runs" / f"{tag}.gz" for tag in tags]
    assert len(paths) == (56 if is_stated else 143)
    assert depth_of_files(folder / "qrels.txt.gz", paths) == 7


@pytest.mark.data
@pytest.mark.skipif(not DATA, reason="TRACKSIDE_DATA does not name the folder of real runs")
def test_trec_8_was_pooled_to_depth_100() -> None:
    """Every third of the 129 runs; 71 of all contributed, and the data do not say which."""
    folder = Path(DATA) / "trec8-adhoc"
    paths = sorted((folder / "runs").iterdir())[::3]
    assert depth_of_files(folder / "qrels.trec8.adhoc.txt.gz", paths) == 100


def depth_of_files(qrels: Path, paths: list[Path]) -> int:
    table = open_qrels(str(qrels))
    places = [judged_places(rank_run(open_run(str(path)), max_depth=1000), table) for path in paths]
    return pool_depth(complete_depths(places, table))


def test_tied_documents_are_cut_in_the_order_of_the_ranking() -> None:
    """All four documents have one score: by id, descending, d and c are the first two."""
    tied = rank(
        topics=["1"],
        topic_index=np.zeros(4, np.int32),
        doc_ids=np.array([b"b", b"d", b"a", b"c"]),
        retrieval_scores=np.ones(4),
    )
    table = named({"1": "cd"})
    assert complete_depths([judged_places(tied, table)], table).tolist() == [2]
    table = named({"1": "bd"})
    assert complete_depths([judged_places(tied, table)], table).tolist() == [1]
