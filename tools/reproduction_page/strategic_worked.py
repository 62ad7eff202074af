"""The worked numbers of the paper on strategic judgments, and its facts about TREC-8."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from scoring.core.data.grades import UNJUDGED
from scoring.core.data.ranking import rank
from scoring.core.judging.candidates import Candidates, collect_candidates
from scoring.core.judging.selection import Strategy, bounds_of_runs, choose, weigh
from scoring.core.statistics.pairs import all_pairs
from tests.scoring.core.drawn import base, bounds
from tools.reproduction_page.campaigns import Campaign
from tools.reproduction_page.rows import Exhibit, Row

TABLE_1: Final = (
    *("18 22 15 13 11 25 10 84", "22 10 11 19 38 18 33 17"),
    *("21 35 16 11 38 33 18 17", "10 18 11 22 87 13 17 20"),
)
P: Final = 0.8


def exhibits(trec8: Campaign) -> tuple[Exhibit, ...]:
    return (
        Exhibit("Section 2: base and residual", tuple(_example())),
        Exhibit("Table 1 and section 3: four runs, six judgments by method A", tuple(_table_1())),
        Exhibit("Section 3: the judgments of TREC-8", tuple(_facts(trec8))),
    )


def _example() -> Iterator[Row]:
    low, high = bounds("RBP(p=0.8)", "011001?001")
    yield Row("base, residual, sum of `011001?001`", ".380 .160 .540", [low, high - low, high])
    yield Row("residual of 21 judged documents", ".01", [bounds("RBP(p=0.8)", "-" * 21)[1]])
    fourth = base("RBP(p=0.8)", "---$") / (1 - P)
    yield Row("share of users who read the fourth document, p = .8", ".5", [fourth])


def _table_1() -> Iterator[Row]:
    candidates = _candidates()
    outcomes = np.full(len(candidates), UNJUDGED, np.int8)
    chosen = choose(candidates, Strategy("A", P), outcomes, count=6)
    names = [candidates.doc_ids[x].decode() for x in chosen]
    yield Row("documents chosen", "18 22 11 10 21 13", names)
    weights = weigh(candidates, Strategy("A", P), outcomes)[chosen].tolist()
    yield Row("their weights", "– – – – – –", weights)
    judged = [sum(name in names for name in run.split()) for run in TABLE_1]
    yield Row("documents of runs 1 to 4 that are judged", "5 – 3 –", judged)
    outcomes[chosen] = 0
    residuals = bounds_of_runs(candidates, outcomes, P).residual[:, 0]
    yield Row("residuals of runs 1 to 4", "– – – –", residuals.tolist())
    ratio = float(residuals[2] / residuals[3])
    yield Row("run 3 relative to run 4: nearly twice as large", "<2", [ratio])
    why = (
        "The residuals of the six judged documents have this mean. With the first five of them "
        "alone it is .50. We found no reading of the paper that gives .49."
    )
    yield Row("mean residual", ".49", [float(residuals.mean())], why)


def _candidates() -> Candidates:
    runs = [row.split() for row in TABLE_1]
    rankings = [
        rank(
            topics=["1"],
            topic_index=np.zeros(len(run), np.int32),
            doc_ids=np.array(run, np.bytes_),
            retrieval_scores=-np.arange(len(run), dtype=np.float64),
        )
        for run in runs
    ]
    return collect_candidates(rankings, topics=["1"])


def _facts(trec8: Campaign) -> Iterator[Row]:
    relevant = trec8.table.grade_counts[:, 1]
    judged = len(trec8.table.grades)
    yield Row("runs", "129", [len(trec8.names)])
    yield Row("judgments", "86,830", [judged])
    yield Row("judgments per topic", "1,737", [judged / len(relevant)])
    pooled = int((trec8.complete >= 100).sum())
    why = (
        "Up to two runs of a group were pooled. Three runs of Dartmouth are judged to depth 100: "
        "all first 100 documents of one of them are also in the pools of others."
    )
    yield Row("pooled runs: those whose first 100 documents are judged", "71", [pooled], why)
    yield Row("relevant documents per topic: mean", "95", [float(relevant.mean())])
    yield Row("highest and lowest", "347 6", [int(relevant.max()), int(relevant.min())])
    yield Row("pairs of 43 runs", "903", [len(all_pairs(43))])
