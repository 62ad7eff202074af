"""Discounted cumulated gain, plain and normalised, as trec_eval computes it: log2(i + 1)."""

import math

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import Scores
from scoring.core.measures.gains import EXP, GRADE, MAP, collected, gains_of_grades, ideal
from scoring.core.measures.measure import Arguments, Facts, Family, Parameter, UserModel
from scoring.core.measures.precision import NONE_USEFUL
from scoring.core.measures.weighted import Weights, weighted_scores
from scoring.core.measures.workings import Places, Workings

GAIN = Parameter(
    "gain",
    "word",
    "what a document is worth: its grade, 2^grade − 1, or the campaign's gain map",
    default=GRADE,
    words=(GRADE, EXP, MAP),
)
JARVELIN_KEKALAINEN = (
    "K. Järvelin and J. Kekäläinen. Cumulated gain-based evaluation of IR techniques. "
    "ACM TOIS 20(4), 2002; discount log2(i + 1) as in trec_eval."
)
USER = UserModel(
    browsing=(
        "The user steps down the ranking to a rank picked with a probability that follows the "
        "logarithm of the rank."
    ),
    utility="Each document is worth its gain.",
    accumulation="The sum of the gains of all documents read.",
)


def compute_dcg(arguments: Arguments, workings: Workings) -> Scores:
    """An unjudged document could have the highest gain, so could the ranks after the last one."""
    kind, cutoff = arguments.word("gain"), arguments.required_cutoff()
    ranks = workings.ranks_of(cutoff)
    discounts = 1 / np.log2(np.arange(2, cutoff + 2))
    after = np.zeros(cutoff + 1)
    after[:-1] = np.cumsum(discounts[::-1])[::-1]
    places, gains = collected(kind, workings, ranks)
    return weighted_scores(
        workings,
        Weights(discounts[:ranks], after[: ranks + 1]),
        places,
        gains,
        highest_gain=float(gains_of_grades(kind, workings.graded).max()),
    )


def compute_ndcg(arguments: Arguments, workings: Workings) -> Scores:
    """0 where no judged document has a gain. The ideal takes all judged documents of the topic,
    to the cutoff, and is summed as the run is: a perfect ranking has exactly 1."""
    kind, cutoff = arguments.word("gain"), arguments.cutoff
    reached = _discounted(*collected(kind, workings, workings.ranks_of(cutoff)))
    best = _discounted(*ideal(kind, workings.graded, cutoff))
    return Scores(np.divide(reached, best, out=np.zeros_like(best), where=best > 0), None)


def _discounted(places: Places, gains: NDArray[np.float64]) -> NDArray[np.float64]:
    return places.sums(gains / np.log2(places.positions + 2))


DCG = Family(
    name="DCG",
    version=1,
    compute=compute_dcg,
    parameters=(GAIN,),
    cutoff="required",
    facts=Facts(
        pretty_name="Discounted cumulated gain",
        description="The gains of the first k documents, each divided by the log of its rank.",
        formula="Σ_{i≤k} G_i / log2(i + 1)",
        reference=JARVELIN_KEKALAINEN,
        range=(0.0, math.inf),
        direction="higher",
        relevance="graded",
        needs_relevant=False,
        view="rank",
        has_residual=True,
        residual="The highest gain at every one of the first k ranks that is unjudged or missing.",
        user_model=USER,
    ),
)

NDCG = Family(
    name="nDCG",
    version=1,
    compute=compute_ndcg,
    parameters=(GAIN,),
    cutoff="optional",
    trec_eval="ndcg",
    trec_eval_cut="ndcg_cut",
    facts=Facts(
        pretty_name="Normalised discounted cumulated gain",
        description=(
            "Discounted cumulated gain as a share of what the ideal ranking of all judged "
            "documents would have."
        ),
        formula="DCG@k / DCG@k of the ideal ranking",
        reference=JARVELIN_KEKALAINEN,
        range=(0.0, 1.0),
        direction="higher",
        relevance="graded",
        needs_relevant=True,
        view="rank",
        has_residual=False,
        residual=NONE_USEFUL,
        user_model=USER,
    ),
)
