"""The validation report of a run: its topics, its depth, its ties and contradictions.

It depends on the file and the list of topics only, not on qrels or other teams.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from django.db.models import QuerySet

from campaigns.models import Run
from campaigns.stored_files import FileLost
from campaigns.trec.problems import Problem
from scoring.core.data.ranking import Ranking
from scoring.evaluation.storage import load_ranking
from scoring.models import StoredRanking

SHOWN_CODES = 25
SHALLOW = 15  # documents
LARGE = 2_000_000  # documents: comparing more would delay other runs
UNLIKE = 0.05  # Jaccard index


def validation_report(
    warnings: Iterable[Problem], ranking: Ranking, codes: Sequence[str]
) -> dict[str, Any]:
    """Figures of one run for the campaign's topics, for JSON."""
    present = set(ranking.topics)
    missing = [code for code in codes if code not in present]
    lengths = ranking.lengths
    # In the tied group of the document before.
    is_tied = ranking.tie_groups != ranking.positions
    tied_topics = np.unique(_topic_of_each(ranking)[is_tied]).size
    return {
        "topics": len(codes) - len(missing),
        "of_topics": len(codes),
        "missing": missing[:SHOWN_CODES],
        "missing_count": len(missing),
        "documents": len(ranking.doc_ids),
        "depth": {
            "min": int(lengths.min(initial=ranking.max_length)),
            "median": float(np.median(lengths)) if lengths.size else 0.0,
            "max": ranking.max_length,
        },
        "tied_documents": ranking.tied_documents,
        "tied_topics": int(tied_topics),
        "is_all_tied": bool(lengths.size) and bool((ranking.tie_groups == 0).all()),
        "rank_disagreements": _rank_disagreements(warnings),
    }


def same_rankings(run: Run, ranking_digest: str) -> list[str]:
    """The team's other runs with the same ranking, whatever their file name or compression. Call
    this with locked names, so that of two runs that are checked at the same time one knows the
    other."""
    twins = _others_of_team(run).filter(digest=ranking_digest).select_related("run")
    return [str(twin.run) for twin in twins[:SHOWN_CODES]]


def probing_flags(run: Run, ranking: Ranking) -> list[str]:
    """For organisers: signs that the run probes the judgments."""
    before = _others_of_team(run).last()
    flags = []
    # Few documents of most topics: each score then tells much about single judgments.
    if ranking.lengths.size and np.mean(ranking.lengths < SHALLOW) > 0.5:
        flags.append("shallow")
    if before is None or max(len(ranking.doc_ids), before.document_count) > LARGE:
        return flags
    try:
        previous = load_ranking(before)
    except FileLost:  # a check does not fail because of an earlier run
        return flags
    if len(ranking.topics) > 2:
        mine, theirs = _lists(ranking), _lists(previous)
        if sum(mine.get(topic) != theirs.get(topic) for topic in mine | theirs) == 1:
            flags.append("one topic changed")
    if _overlap(ranking, previous) < UNLIKE:
        flags.append("unlike the previous run")
    return flags


def _others_of_team(run: Run) -> QuerySet[StoredRanking]:
    return StoredRanking.objects.filter(run__team=run.team_id).exclude(run=run).order_by("run")


def _lists(ranking: Ranking) -> dict[str, bytes]:
    """The ranked documents of each topic, to be compared."""
    return {
        topic: ranking.hashes[begin:end].tobytes()
        for topic, begin, end in zip(
            ranking.topics, ranking.offsets[:-1], ranking.offsets[1:], strict=True
        )
    }


def _overlap(one: Ranking, other: Ranking) -> float:
    """Jaccard index of what two runs retrieve, topic by topic."""
    codes = {topic: number for number, topic in enumerate({*one.topics, *other.topics})}
    # A document is ranked once for a topic, so what occurs twice is in both runs. Sorting tells it
    # in a tenth of the time of np.unique and np.intersect1d.
    pairs = np.concatenate([_pairs(ranking, codes) for ranking in (one, other)])
    pairs.sort()
    shared = int(np.count_nonzero(pairs[1:] == pairs[:-1]))
    union = pairs.size - shared
    return shared / union if union else 1.0


def _pairs(ranking: Ranking, codes: dict[str, int]) -> np.ndarray:
    """uint64[documents]: topic and document in one number."""
    numbers = np.array([codes[topic] for topic in ranking.topics], np.uint64)
    # Fibonacci hashing (Knuth, The Art of Computer Programming, vol. 3, section 6.4): multiples
    # of 2**64 divided by the golden ratio differ in many bits, even for neighbouring numbers.
    salt = (numbers + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    return np.asarray(ranking.hashes ^ salt[_topic_of_each(ranking)])


def _topic_of_each(ranking: Ranking) -> np.ndarray:
    return np.repeat(np.arange(len(ranking.topics), dtype=np.int32), ranking.lengths)


def _rank_disagreements(warnings: Iterable[Problem]) -> int:
    """How many lines have ranks that contradict their scores, as counted by the reader."""
    # The reader reports the count in the text of its warning only.
    for warning in warnings:
        if warning.code == "RANK_ORDER" and (count := re.search(r"\d[\d,]*", warning.message)):
            return int(count[0].replace(",", ""))
    return 0
