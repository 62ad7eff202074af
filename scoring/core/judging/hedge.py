"""Hedge: runs are experts, and the document is judged that would cost them most.

J. A. Aslam, V. Pavlu and R. Savell. A unified model for metasearch, pooling, and system evaluation.
CIKM 2003, with the algorithm Hedge(beta) of Y. Freund and R. E. Schapire (1997).

A judged document d that a run has at rank r costs the run

    loss = 1/2 (-1)^rel(d) ln(Z / r),

so that a relevant document is a gain, and more so at a better rank. Only the first DEPTH documents
of a run count as retrieved for the topic, so that the order does not depend on how deep runs go. Z
is the number of documents that any run retrieves. A document that a run does not retrieve costs it
the mean of this over the ranks below its last, from its length + 1 to Z. Runs are weighted by
beta^(the sum of their losses), normalised to 1; before the first judgment all weights are equal.
The next document is the one with the greatest weighted mean loss over the runs, if it should not be
relevant. Documents that no run retrieves are equal, and no other has a smaller loss.

Beta is .1, and DEPTH 100. Runs without any document for the topic take no part: every document
costs them the same. The weights depend only on which documents are judged, and how, not on the
order.

What a document costs more than one that no run retrieves is compared, by its logarithm. After some
dozen judgments a few runs have nearly all the weight, and documents that only the others retrieve
differ by less than the rounding errors of the whole losses. Surpluses are equal if their ratio
differs from 1 by less than 1e-9. Then the document with the lower id goes first.
"""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.core.judging.topic_lists import TopicLists

BETA: Final = 0.1
DEPTH: Final = 100
EQUAL: Final = 1e-9  # far above the rounding errors of some hundred sums of losses


class Hedge:
    """The order of one topic. Judgments may come in any order."""

    def __init__(self, lists: TopicLists) -> None:
        self._lists = lists
        is_retrieved = lists.positions < DEPTH
        lengths = np.bincount(lists.run_rows[is_retrieved], minlength=lists.runs)
        self._retrieved = int(np.logical_or.reduceat(is_retrieved, lists.starts[:-1]).sum())
        logs = _logs(self._retrieved)
        # The sum of the logarithms from each rank on; none is left for a run that retrieves
        # everything.
        sums = np.append(np.cumsum(logs[::-1])[::-1], 0.0)[lengths]
        below = self._retrieved - lengths
        # float64[runs]: the mean of 1/2 ln(Z / r) over the ranks r = length + 1, ..., Z that a run
        # leaves to others.
        self._absent = np.where(below > 0, (logs[-1] - sums / np.maximum(below, 1)) / 2, 0.0)
        self._takes_part = lengths > 0
        self._totals = np.zeros(lists.runs)
        self._is_told = np.zeros(lists.documents, np.bool_)

    def tell(self, document: int, outcome: int) -> None:
        """1 relevant, 0 not; UNJUDGED if it is passed over and changes nothing."""
        self._is_told[document] = True
        if outcome < 0:
            return
        losses = self._absent.copy()
        places = slice(*self._lists.starts[document : document + 2].tolist())
        losses[self._lists.run_rows[places]] += self._surplus(places)
        self._totals += -losses if outcome else losses

    def next(self) -> tuple[int, float] | None:
        """The document to judge next and its weighted mean loss; None if all are judged."""
        if self._is_told.all():
            return None
        starts = self._lists.starts[:-1]
        with np.errstate(divide="ignore"):  # no surplus: ln 0 = -inf
            logs = np.log(self._surplus(slice(None)))
            logs += math.log(BETA) * self._totals[self._lists.run_rows]
            # No term of a sum overflows, and its greatest does not vanish.
            greatest = np.maximum(np.maximum.reduceat(logs, starts), np.finfo(float).min)
            logs -= np.repeat(greatest, np.diff(self._lists.starts))
            surpluses = greatest + np.log(np.add.reduceat(np.exp(logs), starts))
        surpluses[self._is_told] = np.nan
        document = int(np.argmax(surpluses >= np.nanmax(surpluses) - EQUAL))
        places = slice(*self._lists.starts[document : document + 2].tolist())
        losses = self._absent.copy()
        losses[self._lists.run_rows[places]] += self._surplus(places)
        # The least total is subtracted, against overflow.
        least = self._totals[self._takes_part].min()
        weights = np.where(self._takes_part, BETA ** (self._totals - least), 0.0)
        return document, float(weights @ losses / weights.sum())

    def _surplus(self, places: slice) -> NDArray[np.float64]:
        """float64[places]: the loss of a document that is retrieved there over that of one that is
        not; 0 where it is not. Not stored: for many topics it would take most of the memory."""
        logs, positions = _logs(self._retrieved), self._lists.positions[places]
        # Deeper positions have no logarithm here, and become 0 below.
        retrieved = (logs[-1] - logs[np.minimum(positions, DEPTH - 1, dtype=np.int64)]) / 2
        surplus = retrieved - self._absent[self._lists.run_rows[places]]
        return np.where(positions < DEPTH, surplus, 0.0)


def _logs(documents: int) -> NDArray[np.float64]:
    """float64[documents]: of 1, 2, ..."""
    return np.log(np.arange(1, documents + 1))
