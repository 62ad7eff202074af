"""Move-to-front pooling: the run that found a relevant document last is read on.

G. V. Cormack, C. R. Palmer and C. L. A. Clarke. Efficient construction of large test collections.
SIGIR 1998, section 6: the documents of a run are judged in the order of their ranks, and the next
document comes from the run with the highest priority. A relevant document sets the priority of its
run to the maximum, any other reduces it. A document that was judged for another run counts as if
it were judged now. This is the paper's local variant, which treats each topic by itself.

What the paper leaves open is done as follows.

1. A document that is not relevant reduces the priority by 1. The priority of a run is thus the
   number of documents since its last relevant one, negated. All runs begin at the maximum, 0.
2. Among equal priorities, the run that has just found a relevant document goes first, then the one
   whose next document has the best rank, then the one whose next document has the lowest id. Runs
   that are still equal read their document together. So the order of the runs does not matter.
"""

import heapq

from scoring.core.judging.topic_lists import TopicLists


class MoveToFront:
    """The order of one topic. Judgments may come in any order."""

    def __init__(self, lists: TopicLists) -> None:
        self._lists = lists.by_run
        self._outcomes: dict[int, int] = {}
        # Each run that is not read to its end: documents since the last relevant one, whether the
        # last one was not relevant, position of the next document, the document, the run.
        self._queue = [
            (0, True, 0, found[0], run) for run, found in enumerate(self._lists) if found
        ]
        heapq.heapify(self._queue)

    def tell(self, document: int, outcome: int) -> None:
        """1 relevant, 0 not; UNJUDGED if it is passed over and changes nothing."""
        self._outcomes[document] = outcome

    def next(self) -> tuple[int, float] | None:
        """The document to judge next and the priority of its run, 0 or less; None if all are."""
        while self._queue:
            since, is_behind, position, document, _ = key = self._queue[0]
            if document not in self._outcomes:
                # Not negated, which would give -0.0 for 0.
                return document, 0.0 - since
            # It is judged: all runs that are equal to the first read on.
            runs = []
            while self._queue and self._queue[0][:-1] == key[:-1]:
                runs.append(heapq.heappop(self._queue)[-1])
            # A document that was passed over leaves the priority as it is.
            outcome = self._outcomes[document]
            if outcome >= 0:
                since, is_behind = (0, False) if outcome else (since + 1, True)
            for run in runs:
                if position + 1 < len(self._lists[run]):
                    following = self._lists[run][position + 1]
                    heapq.heappush(self._queue, (since, is_behind, position + 1, following, run))
        return None
