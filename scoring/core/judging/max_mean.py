"""MaxMean: runs are the arms of a bandit, and the one with the best record is pulled.

D. E. Losada, J. Parapar and A. Barreiro. Feeling lucky? Multi-armed bandits for ordering judgements
in pooling-based evaluation. SAC 2016; extended in Information Processing & Management 53 (2017).

The probability that a document of a run is relevant has the distribution Beta(a, b), where a is 1
plus the relevant documents judged so far of those that the run retrieves for the topic, and b is 1
plus the others: Beta(1, 1), uniform, before the first judgment. The next document is the first
unjudged one of the run with the greatest mean a / (a + b). A judgment counts for all runs that
retrieve the document, whichever was pulled, and for ever: this is the stationary variant (MM). In
the non-stationary one (MM-NS) old judgments count less.

The authors break ties at random. Here the run goes first whose name is the lowest, ascending as
bytes, so that the order of the runs does not matter. The state depends only on which documents are
judged, and how, not on the order.
"""

import numpy as np

from scoring.core.judging.topic_lists import TopicLists


class MaxMean:
    """The order of one topic. Judgments may come in any order."""

    def __init__(self, lists: TopicLists) -> None:
        self._lists = lists
        self._relevant = np.zeros(lists.runs, np.int64)
        self._judged = np.zeros(lists.runs, np.int64)
        self._is_told = np.zeros(lists.documents, np.bool_)
        self._positions = np.zeros(lists.runs, np.int64)
        firsts = [found[0] if found else lists.documents for found in lists.by_run]
        self._fronts = np.array(firsts, np.int64)  # the next document of each run; none: documents

    def tell(self, document: int, outcome: int) -> None:
        """1 relevant, 0 not; UNJUDGED if it is passed over and changes nothing."""
        holders = self._lists.runs_with(document)
        if outcome >= 0:
            self._relevant[holders] += outcome
            self._judged[holders] += 1
        self._is_told[document] = True
        # Other runs wait for a document that is still open.
        for run in holders[self._fronts[holders] == document].tolist():
            found, position = self._lists.by_run[run], int(self._positions[run])
            while position < len(found) and self._is_told[found[position]]:
                position += 1
            self._positions[run] = position
            self._fronts[run] = found[position] if position < len(found) else self._lists.documents

    def next(self) -> tuple[int, float] | None:
        """The document to judge next and the mean of its run; None if all are judged."""
        is_open = self._fronts < self._lists.documents
        if not is_open.any():
            return None
        # -1 is below every mean: a run that is read to its end is not pulled.
        means = np.where(is_open, (1 + self._relevant) / (2 + self._judged), -1.0)
        best = np.flatnonzero(means == means.max())
        run = best[np.argmin(self._lists.by_name[best])]
        return int(self._fronts[run]), float(means[run])
