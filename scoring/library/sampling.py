"""`trackside.sample`: documents for people to judge, with their probabilities."""

from collections.abc import Sequence
from typing import Final, get_args

import numpy as np

from scoring.core.data.ranking import Ranking
from scoring.core.judging.candidates import collect_candidates
from scoring.core.sampling.design import CERTAIN, design_sample
from scoring.core.sampling.drawing import draw_sample
from scoring.core.sampling.sizes import (
    OverRuns,
    ap_rank_weights,
    document_sizes,
    rbp_rank_weights,
)
from scoring.library.bad_input import BadArgument, BadInput
from scoring.library.prepared import rank_run
from scoring.library.sources import RunSources, read_runs
from scoring.library.table import Table

DEFAULT_DEPTH: Final = 100


def sample(
    runs: RunSources,
    *,
    budget: int,
    p: float | None = None,
    over_runs: OverRuns = "square",
    uniform: float = 0.0,
    depth: int = DEFAULT_DEPTH,
    seed: int = 1,
) -> Table:
    """Documents for people to judge, with their probabilities, as `trackside sample` draws them.

    One row for each document: `topic, doc_id, stratum, documents, probability, joint_probability`.
    Two documents are drawn of each stratum; those of stratum 0 are judged for certain. The sizes of
    documents follow the weights of RBP with persistence `p`, or without it those of AP, over the
    first `depth` documents of each run. Raises BadInput.

    >>> runs = {"x": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, "y": {"1": {"b": 2.0, "d": 1.0}}}
    >>> drawn = sample(runs, budget=3, p=0.5, seed=2)
    >>> len(drawn), drawn.names[:3]
    (3, ('topic', 'doc_id', 'stratum'))
    """
    if over_runs not in get_args(OverRuns):
        known = " nor ".join(map(repr, get_args(OverRuns)))
        raise BadArgument([("over_runs", f"{over_runs!r} is neither {known}")])
    refuse_bad_sampling(budget, p, uniform, depth, seed)
    rankings = [rank_run(run.parsed, max_depth=depth) for run in read_runs(runs)]
    return sampled_documents(
        rankings,
        budget=budget,
        persistence=p,
        over_runs=over_runs,
        uniform=uniform,
        depth=depth,
        seed=seed,
    )


def sampled_documents(
    rankings: Sequence[Ranking],
    *,
    budget: int,
    persistence: float | None,
    over_runs: OverRuns,
    uniform: float,
    depth: int,
    seed: int,
) -> Table:
    """The rows of `sample`, by topic and document id."""
    if not rankings:
        raise BadInput(["runs: give at least one"])
    topics = sorted({topic for each in rankings for topic in each.topics}, key=str.encode)
    candidates = collect_candidates(rankings, topics=topics)
    weights = (
        ap_rank_weights(depth) if persistence is None else rbp_rank_weights(persistence, depth)
    )
    try:
        sizes = document_sizes(candidates, weights, over_runs=over_runs, uniform=uniform)
        design = design_sample(candidates, sizes, budget=budget)
    except ValueError as error:
        # The message begins with what is wrong: the budget, or a size.
        name, _, why = str(error).partition(" ")
        if name == "budget":
            raise BadArgument([(name, f"it {why}")]) from None
        why = "it is so small that documents far down get no size; give all a share by uniform"
        raise BadArgument([("p", why)]) from None
    drawn = draw_sample(design, seed=seed)
    # `drawn.documents` has those judged for certain, and then the two of each stratum.
    joint = np.concatenate([np.ones(len(drawn.certain)), np.repeat(drawn.joint, 2)])
    order = np.argsort(drawn.documents, kind="stable")
    chosen = drawn.documents[order]
    rows = candidates.topic_rows[chosen]
    strata = design.strata[chosen]
    return Table(
        {
            "topic": [topics[row] for row in rows.tolist()],
            "doc_id": [doc_id.decode() for doc_id in candidates.doc_ids[chosen].tolist()],
            # Numbers in the file begin at 1: stratum 0 is for what is judged for certain.
            "stratum": np.where(strata == CERTAIN, 0, strata + 1),
            "documents": np.bincount(candidates.topic_rows)[rows],
            "probability": drawn.document_probabilities[order],
            "joint_probability": joint[order],
        }
    )


def refuse_bad_sampling(
    budget: int, p: float | None, uniform: float, depth: int, seed: int
) -> None:
    faults = []
    if budget < 1:
        faults.append(("budget", "give at least one document"))
    if p is not None and not 0 <= p < 1:
        faults.append(("p", f"{p} does not lie in 0 <= p < 1"))
    if not 0 <= uniform <= 1:
        faults.append(("uniform", f"{uniform} does not lie in 0..1"))
    if depth < 1:
        faults.append(("depth", f"{depth} is not a whole number above 0"))
    if seed < 0:
        faults.append(("seed", "it must not be negative"))
    if faults:
        raise BadArgument(faults)
