"""Changes of judgments between two versions of the qrels."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.qrels import ParsedQrels

UNJUDGED = -1  # any negative grade, and no line at all


@dataclass(frozen=True)
class Change:
    """`before` and `after` are grades, None where the document is not judged."""

    topic: str
    doc_id: str
    before: int | None
    after: int | None


@dataclass(frozen=True, eq=False)
class JudgmentChanges:
    """The changed judgments by topic and document, as columns."""

    topics: tuple[str, ...]
    topic_index: NDArray[np.int64]  # int64[changes]
    doc_ids: NDArray[np.bytes_]  # S{w}[changes]
    before: NDArray[np.int16]  # int16[changes], UNJUDGED where not judged
    after: NDArray[np.int16]
    unchanged: int  # judgments, of grade 0 or more, that are in both

    def __len__(self) -> int:
        return len(self.before)

    def __iter__(self) -> Iterator[Change]:
        return self.first(len(self))

    def first(self, count: int) -> Iterator[Change]:
        for topic, doc_id, before, after in zip(
            self.topic_index[:count].tolist(),
            self.doc_ids[:count].tolist(),
            self.before[:count].tolist(),
            self.after[:count].tolist(),
            strict=True,
        ):
            yield Change(self.topics[topic], doc_id.decode(), _grade(before), _grade(after))

    @property
    def added(self) -> int:
        return int((self.before == UNJUDGED).sum())

    @property
    def removed(self) -> int:
        return int((self.after == UNJUDGED).sum())

    @property
    def regraded(self) -> int:
        return len(self) - self.added - self.removed

    @property
    def topic_count(self) -> int:
        return len(np.unique(self.topic_index))

    @property
    def kinds(self) -> list[tuple[int | None, int | None, int]]:
        """Old grade, new grade, and the number of such changes, sorted; not judged first."""
        counts = Counter(zip(self.before.tolist(), self.after.tolist(), strict=True))
        return [(_grade(b), _grade(a), number) for (b, a), number in sorted(counts.items())]


def changes_between(
    old: ParsedQrels, new: ParsedQrels, *, topics: Sequence[str]
) -> JudgmentChanges:
    """Sorts both versions together by topic, document and version, so that the judgments of one
    document are adjacent. Negative grades count as not judged. `topics` are in row order."""
    position = {code: number for number, code in enumerate(topics)}
    index = np.concatenate([_positions(qrels, position) for qrels in (old, new)])
    doc_ids = np.concatenate([old.doc_ids, new.doc_ids])
    grades = np.maximum(np.concatenate([old.grades, new.grades]), UNJUDGED)
    is_new = np.repeat([False, True], [len(old.grades), len(new.grades)])
    order = np.lexsort((is_new, doc_ids, index))
    index, doc_ids, grades, is_new = (a[order] for a in (index, doc_ids, grades, is_new))

    follows = np.zeros(len(order), dtype=bool)
    follows[1:] = (index[1:] == index[:-1]) & (doc_ids[1:] == doc_ids[:-1])
    precedes = np.append(follows[1:], False)
    before = np.where(is_new, UNJUDGED, grades)
    after = np.where(is_new, grades, UNJUDGED)
    after[precedes] = grades[np.flatnonzero(precedes) + 1]
    is_first = ~follows  # one row for each judgment: the old one if there are two
    differs = is_first & (before != after)
    same = is_first & (before == after) & (before != UNJUDGED)
    return JudgmentChanges(
        topics=tuple(topics),
        topic_index=index[differs],
        doc_ids=doc_ids[differs],
        before=before[differs],
        after=after[differs],
        unchanged=int(same.sum()),
    )


def _positions(qrels: ParsedQrels, position: dict[str, int]) -> NDArray[np.int64]:
    known = np.array([position[code] for code in qrels.topics], dtype=np.int64)
    return known[qrels.topic_index]


def _grade(grade: int) -> int | None:
    return None if grade == UNJUDGED else grade
