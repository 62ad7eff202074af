"""Grades straight from the lines of a run are those by way of the ranking."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.core.data.alignment import align_fully
from scoring.core.data.direct_alignment import align_lines
from scoring.core.data.judgments import JudgmentTable, build_table
from scoring.core.data.ranking import rank

pytestmark = pytest.mark.usefixtures("either_way")

TOPICS = ("7", "101", "9")
# Ids of one word and of several, some alike but for one bit or one byte.
IDS = [b"D%d" % n for n in range(8)] + [b"FBIS3-%05d" % n for n in range(6)]
IDS += ["ä".encode(), b"clueweb12-0000tw-00-00001", b"clueweb12-0000tw-00-00010", b"D", b"z" * 70]

pairs = st.tuples(st.integers(0, 2), st.sampled_from(IDS))
scores = st.sampled_from([0.0, -0.0, 1.0, 2.0, 2.5, -3.0])


def table_of(judgments: dict[tuple[int, bytes], int]) -> JudgmentTable:
    return build_table(
        topics=TOPICS,
        qrels_topics=TOPICS,
        topic_index=np.array([topic for topic, _ in judgments], np.int32),
        doc_ids=np.array([doc for _, doc in judgments], "S80"),
        grades=np.array(list(judgments.values()), np.int16),
        highest_grade=2,
    )


@settings(deadline=None)
@given(
    lines=st.dictionaries(pairs, scores, min_size=1, max_size=60),
    judgments=st.dictionaries(pairs, st.integers(-2, 2), max_size=40),
    names=st.permutations([*TOPICS, "unknown"]).map(lambda names: names[:3]),
    max_depth=st.none() | st.integers(1, 6),
)
def test_the_two_ways_agree(lines, judgments, names, max_depth):
    columns = {
        "topics": names,
        "topic_index": np.array([topic for topic, _ in lines], np.int32),
        "doc_ids": np.array([doc for _, doc in lines], "S80"),
        "retrieval_scores": np.array(list(lines.values())),
    }
    table = table_of(judgments)
    ranking = rank(**columns, max_depth=max_depth)
    expected = align_fully(ranking, table, depth=ranking.max_length)
    found = align_lines(table, **columns, max_depth=max_depth)
    assert found.grades.tolist() == expected.grades.tolist()
    assert found.begins.tolist() == expected.begins.tolist()
    assert found.pooled.tolist() == expected.pooled.tolist()


@pytest.mark.parametrize("seed", range(3))
def test_many_tied_documents_with_ids_of_many_kinds(seed):
    """Ids whose varying bits do not fit into one word, and those that do."""
    random = np.random.default_rng(seed)
    letters = random.integers(33, 127, (3000, [3, 9, 20][seed]), np.uint8)
    doc_ids = np.unique(letters.view(f"S{letters.shape[1]}").ravel())
    random.shuffle(doc_ids)
    columns = {
        "topics": TOPICS,
        "topic_index": np.sort(random.integers(0, 3, len(doc_ids))).astype(np.int32),
        "doc_ids": doc_ids,
        "retrieval_scores": random.integers(0, 9, len(doc_ids)).astype(float),
    }
    judged = random.permutation(len(doc_ids))[:400]
    topic_of = columns["topic_index"]
    table = table_of(
        {(int(topic_of[i]), doc_ids[i]): int(random.integers(-1, 3)) for i in judged.tolist()}
    )
    ranking = rank(**columns)
    expected = align_fully(ranking, table, depth=ranking.max_length)
    found = align_lines(table, **columns)
    assert found.grades.tolist() == expected.grades.tolist()
    assert (found.grades >= 0).sum() > 250
