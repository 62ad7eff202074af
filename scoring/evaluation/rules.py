"""The rules by which a campaign scores runs, in the core's form, and their digest."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from campaigns.models import Campaign
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.graded import default_gain_map
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import parse_measure, rel_of, with_default_rel
from scoring.core.statistics.means import topics_of_mean

# Incremented when order, ties, depth or alignment change, because every score changes then.
GROUND_RULES = 1


@dataclass(frozen=True, eq=False)
class ScoringRules:
    """What every score of a campaign depends on, and the campaign's measures."""

    measures: tuple[Measure, ...]
    unrequested: frozenset[Measure]  # those with graded gains for which no organiser asked
    gain_map: NDArray[np.float64]  # float64[highest_grade + 1]
    rel: int
    no_relevant: str  # "exclude" or "zero"
    held_out: frozenset[str]  # codes of topics used for feedback and left out of leaderboards
    digest: str

    @property
    def versions(self) -> set[tuple[str, int]]:
        """Canonical name and definition version of every measure."""
        return {(str(measure), version_of(measure)) for measure in self.measures}

    def topics_of_mean(
        self, measure: Measure, grade_counts: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """bool[topics]: those that count, held out or not. A measure with a higher `rel` has its
        own topics without relevant documents."""
        rel = max(self.rel, rel_of(measure) or 1)
        return topics_of_mean(grade_counts, rel=rel, no_relevant=self.no_relevant)

    def is_held_out(self, topics: Sequence[str]) -> NDArray[np.bool_]:
        """bool[topics]."""
        return np.array([topic in self.held_out for topic in topics], dtype=bool)

    def topics_of_board(
        self, measure: Measure, topics: Sequence[str], grade_counts: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """bool[topics]: those that means on the leaderboard are taken over."""
        return self.topics_of_mean(measure, grade_counts) & ~self.is_held_out(topics)


def rules_of(campaign: Campaign) -> ScoringRules:
    """A process computes them once for all campaigns, and states of a campaign, that have the same
    settings."""
    settings = _Settings(
        persistences=tuple(campaign.persistences),
        measures=tuple(campaign.measures),
        leading_measure=campaign.leading_measure,
        highest_grade=campaign.highest_grade,
        rel=campaign.rel,
        gain_map=tuple(campaign.gain_map or ()),
        no_relevant=campaign.no_relevant,
        feedback_topics=tuple(campaign.feedback_topics),
    )
    return _rules_of(settings)


class _Settings(NamedTuple):
    """The fields of a campaign that its rules follow from."""

    persistences: tuple[float, ...]
    measures: tuple[str, ...]
    leading_measure: str
    highest_grade: int
    rel: int
    gain_map: tuple[float, ...]  # empty: the default
    no_relevant: str
    feedback_topics: tuple[str, ...]


@lru_cache(maxsize=256)
def _rules_of(settings: _Settings) -> ScoringRules:
    gain_map = (
        np.asarray(settings.gain_map, dtype=np.float64)
        if settings.gain_map
        else default_gain_map(settings.highest_grade)
    )
    gain_map.setflags(write=False)  # all who ask for these rules share it
    return ScoringRules(
        measures=_measures_of(settings),
        unrequested=_unrequested(settings),
        gain_map=gain_map,
        rel=settings.rel,
        no_relevant=settings.no_relevant,
        held_out=frozenset(settings.feedback_topics),
        digest=_digest(settings, gain_map.tolist()),
    )


def version_of(measure: Measure) -> int:
    """The definition version of the measure's family, stored with every score."""
    return family_of(measure).version


def _measures_of(settings: _Settings) -> tuple[Measure, ...]:
    """The leading measure first. Graded gains follow the binary ones if the organisers set a gain
    map; otherwise they are the last."""
    binary = [f"RBP(p={p})" for p in settings.persistences]
    if settings.gain_map:
        names = [*binary, *_graded(settings), *settings.measures]
    else:
        names = [*binary, *settings.measures, *_graded(settings)]
    measures = dict.fromkeys(_parsed(settings, names))
    # The sort is stable: it moves the leading measure to the front and keeps the order of the rest.
    return tuple(sorted(measures, key=lambda each: str(each) != settings.leading_measure))


def _unrequested(settings: _Settings) -> frozenset[Measure]:
    """Organisers ask for graded gains by a gain map, by a leading measure that has them, or by the
    name of the measure."""
    graded = _graded(settings)
    if settings.gain_map or settings.leading_measure in graded:
        return frozenset()
    requested = set(_parsed(settings, settings.measures))
    return frozenset(each for each in _parsed(settings, graded) if each not in requested)


def _graded(settings: _Settings) -> list[str]:
    """With one grade above 0 the gain map changes nothing."""
    if settings.highest_grade <= 1:
        return []
    return [f"RBP(p={p},gain=map)" for p in settings.persistences]


def _parsed(settings: _Settings, names: Iterable[str]) -> Iterator[Measure]:
    return (with_default_rel(parse_measure(name), settings.rel) for name in names)


def _digest(settings: _Settings, gain_map: list[float]) -> str:
    # Without the measures: one that is added must not make the scores of the others outdated.
    terms: dict[str, object] = {
        "ground_rules": GROUND_RULES,
        "highest_grade": settings.highest_grade,
        "rel": settings.rel,
        "gain_map": gain_map,
        "no_relevant": settings.no_relevant,
    }
    if settings.feedback_topics:  # only if there are some, so that older digests do not change
        terms["held_out"] = sorted(set(settings.feedback_topics))
    return hashlib.sha256(json.dumps(terms, sort_keys=True).encode()).hexdigest()[:16]
