"""Orders of judging that are defined for one topic: move-to-front, Hedge and MaxMean.

Their papers give each topic the same number of judgments. Here the budget goes round the topics:
the next document is that of the topic with the fewest judged, chosen or skipped documents, among
equal ones by topic code, ascending as bytes. A topic without further documents drops out.

What is chosen depends only on the judgments there are, not on when they came. A document that is
chosen, or that nobody could judge, is passed over and changes nothing until it has a judgment. In a
batch that is no larger than the number of topics, each document is therefore chosen by all earlier
judgments of its topic, as in the papers.
"""

import heapq
from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scoring.core.data.grades import UNJUDGED
from scoring.core.judging.candidates import Candidates
from scoring.core.judging.topic_lists import TopicLists, topic_lists


class TopicOrder(Protocol):
    """The order of one topic. Documents are numbered as in `TopicLists`."""

    def tell(self, document: int, outcome: int) -> None: ...

    def next(self) -> tuple[int, float] | None: ...


class TopicOrders:
    """The state of such an order while judgments come in: feed by `note`, ask by `best`."""

    def __init__(self, candidates: Candidates, order: Callable[[TopicLists], TopicOrder]) -> None:
        self._candidates = candidates
        self._topics = [_Topic(lists, order) for lists in topic_lists(candidates)]
        self._firsts = np.array([topic.first for topic in self._topics], np.int64)

    def note(self, chosen: NDArray[np.int64], outcomes: NDArray[np.int8]) -> None:
        """Candidates have been handled: 1 relevant, 0 not, UNJUDGED nobody can say (yet)."""
        for topic, place, outcome in zip(
            self._topics_of(chosen), chosen.tolist(), outcomes.tolist(), strict=True
        ):
            topic.note(place, outcome)

    def expect(self, chosen: NDArray[np.int64], shares: NDArray[np.float64]) -> None:
        """Candidates will be judged. As many of a topic are taken to be relevant, evenly spread,
        as the shares of the runs that retrieve them say, float64[runs], on average."""
        for topic, place in zip(self._topics_of(chosen), chosen.tolist(), strict=True):
            runs = self._candidates.run_rows[slice(*self._candidates.starts[place : place + 2])]
            topic.expect(place, float(shares[runs].mean()))

    def best(self, count: int) -> NDArray[np.int64]:
        """int64[count or fewer]: the candidates to be judged next, in this order."""
        return self.best_with_weights(count)[0]

    def best_with_weights(self, count: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Also float64[count or fewer], what each was chosen by: the priority of its run
        (move-to-front), its weighted mean loss (Hedge), the mean of its run (MaxMean)."""
        # Topics stand by code, so that `at` decides among equal numbers.
        queue = [(topic.handled, at) for at, topic in enumerate(self._topics)]
        heapq.heapify(queue)
        following: dict[int, Iterator[tuple[int, float]]] = {}  # of the topics that are reached
        found: list[tuple[int, float]] = []
        while queue and len(found) < count:
            handled, at = heapq.heappop(queue)
            if at not in following:
                following[at] = self._topics[at].following()
            if (document := next(following[at], None)) is not None:
                found.append(document)
                heapq.heappush(queue, (handled + 1, at))
        places = np.array([place for place, _ in found], np.int64)
        return places, np.array([weight for _, weight in found], np.float64)

    def _topics_of(self, chosen: NDArray[np.int64]) -> list["_Topic"]:
        places = np.searchsorted(self._firsts, chosen, side="right") - 1
        return [self._topics[place] for place in places.tolist()]


class _Topic:
    """The order of one topic, by candidates, and what it has been told."""

    def __init__(self, lists: TopicLists, order: Callable[[TopicLists], TopicOrder]) -> None:
        self.first = lists.first
        self._lists, self._new_order = lists, order
        self._outcomes: dict[int, int] = {}
        self._order: TopicOrder | None = None
        self._expected = 0.0  # relevant documents not yet assigned

    @property
    def handled(self) -> int:
        return len(self._outcomes)

    def note(self, place: int, outcome: int) -> None:
        document = place - self.first
        if document in self._outcomes:
            self._order = None  # it was told something else
        elif self._order is not None:
            self._order.tell(document, outcome)
        self._outcomes[document] = outcome

    def expect(self, place: int, share: float) -> None:
        self._expected += share
        outcome = int(self._expected >= 1)
        self._expected -= outcome
        self.note(place, outcome)

    def following(self) -> Iterator[tuple[int, float]]:
        """Candidates and their weights, each as if those before it will not be judged."""
        order = self._order
        if order is None:
            order = self._new_order(self._lists)
            # In any order, since the orders depend only on what is judged, and how.
            for document in sorted(self._outcomes):
                order.tell(document, self._outcomes[document])
        self._order = order
        found = order.next()
        while found is not None:
            yield self.first + found[0], found[1]
            self._order = None  # from here on it knows of documents that are not handled yet
            order.tell(found[0], UNJUDGED)
            found = order.next()
