"""How much each document matters to the runs: the sizes to which probabilities are proportional.

The weight of rank r is

- for RBP, (1 - p) p^(r-1);
- for AP, (1 + 1/r + 1/(r+1) + ... + 1/n) / (2n), n being the depth: what AP gives a rank if nothing
  is known of the documents (J. A. Aslam, V. Pavlu and E. Yilmaz. A statistical method for system
  evaluation using incomplete judgments. SIGIR 2006, section 3.1; statAP).

A document's size is the root of the sum of the squares of its weights in all runs: with
probabilities in this proportion, the variances of the runs' scores have the smallest sum if all
documents are equally hard to judge (Neyman's allocation). The plain sum favours documents that many
runs share, at the cost of runs that are unlike the others.

The size can be mixed with the same size for all documents, so that no document has a probability
near 0: measures that give weight to deep ranks then keep a usable estimate.
"""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scoring.core.judging.candidates import Candidates

OverRuns: TypeAlias = Literal["square", "sum"]


def rbp_rank_weights(persistence: float, depth: int) -> NDArray[np.float64]:
    """float64[depth]: the weight of each rank in RBP(p). Raises ValueError unless 0 <= p < 1.

    >>> rbp_rank_weights(0.5, 3).tolist()
    [0.5, 0.25, 0.125]
    """
    if not 0 <= persistence < 1:
        raise ValueError(f"persistence must lie in 0 <= p < 1, not {persistence}")
    weights: NDArray[np.float64] = (1 - persistence) * persistence ** np.arange(float(depth))
    return weights


def ap_rank_weights(depth: int) -> NDArray[np.float64]:
    """float64[depth]: the weight of each rank in AP before anything is judged; their sum is 1.

    >>> ap_rank_weights(2).tolist()  # (1 + 1 + 1/2) / 4 and (1 + 1/2) / 4
    [0.625, 0.375]
    """
    inverse = 1.0 / np.arange(1, depth + 1)
    weights: NDArray[np.float64] = (1 + np.cumsum(inverse[::-1])[::-1]) / (2 * depth)
    return weights


def document_sizes(
    candidates: Candidates,
    rank_weights: NDArray[np.float64],
    *,
    over_runs: OverRuns = "square",
    uniform: float = 0.0,
) -> NDArray[np.float64]:
    """float64[candidates]: the size of each document.

    `rank_weights` are float64[ranks], at least as many as the candidates are deep. The sums do not
    depend on the order of the runs: they go from high ranks to low ones. The share `uniform` of all
    size is given to all documents alike. Raises ValueError for too few ranks, or for a share
    outside 0 <= uniform <= 1.

    Both runs have a and b at the first two ranks, sqrt(.5² + .25²):

    >>> document_sizes(candidates, rbp_rank_weights(0.5, 5)).round(4).tolist()[:3]
    [0.559, 0.559, 0.125]
    """
    if not 0 <= uniform <= 1:
        raise ValueError(f"uniform must lie in 0..1, not {uniform}")
    if over_runs not in ("square", "sum"):
        raise ValueError(f"over_runs must be 'square' or 'sum', not {over_runs!r}")
    if candidates.positions.max(initial=-1) >= len(rank_weights):
        raise ValueError(f"candidates deeper than {len(rank_weights)} ranks")
    if not len(candidates):
        return np.empty(0)
    of_place = np.repeat(np.arange(len(candidates)), np.diff(candidates.starts))
    order = np.lexsort((candidates.positions, of_place))
    weights = rank_weights[candidates.positions[order]]
    if over_runs == "square":
        sizes = np.sqrt(np.add.reduceat(weights**2, candidates.starts[:-1]))
    else:
        sizes = np.add.reduceat(weights, candidates.starts[:-1])
    mixed: NDArray[np.float64] = (1 - uniform) * sizes + uniform * sizes.mean()
    return mixed


def weighted_counts(
    cells: NDArray[np.integer], weights: NDArray[np.float64], count: int
) -> NDArray[np.float64]:
    """float64[count]: the sum of the weights of each cell.

    >>> weighted_counts(np.array([0, 2, 0]), np.array([0.5, 1.0, 0.25]), 3).tolist()
    [0.75, 0.0, 1.0]
    """
    return np.bincount(cells, weights=weights, minlength=count).astype(np.float64, copy=False)
