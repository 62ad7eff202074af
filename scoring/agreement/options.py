"""The options of the agreement page, all in the URL.

    m=AP&m=RR        the measures of the map; default: all measures of quality
    ref=AP           the references; default: those of Table III of the RBP paper
    statistic=tau_b  tau, tau_b, tau_ap or rbo
    p=0.9            of rbo
    qrels=2          a version of the qrels; default: the active one
    a=AP&b=RR        two orderings to compare
    against=1        the qrels version of b; default: that of a
    axes=ranks       the axes of the chart of two orderings: scores or ranks

Raises UnknownChoice for a value that is not offered.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from django.http import Http404, QueryDict

from campaigns.access import Viewer
from campaigns.models import Qrels
from campaigns.options import choice_or_404
from scoring.core.measures.catalogue import is_of_quality
from scoring.core.measures.measure import Measure
from scoring.evaluation.rules import rules_of
from scoring.output.measure_names import measure_label
from scoring.results.options import chosen_measure, chosen_version, typed_persistence

STATISTICS: Final = {"tau": "τ", "tau_b": "τ-b", "tau_ap": "τ_AP", "rbo": "RBO"}
AXES: Final = ("scores", "ranks")
PERSISTENCES: Final = ("0.5", "0.8", "0.9", "0.95", "0.98")
DEFAULT_PERSISTENCE: Final = "0.9"
TABLE_III: Final = ("RR", "P", "Rprec", "AP")  # families of its columns


@dataclass(frozen=True)
class MapChoice:
    """`references` need not be among the `measures`."""

    measures: tuple[Measure, ...]
    references: tuple[Measure, ...]
    statistic: str
    persistence: float
    qrels: Qrels | None

    @property
    def statistic_name(self) -> str:
        return STATISTICS[self.statistic]

    @property
    def is_symmetrical(self) -> bool:
        return self.statistic != "tau_ap"


@dataclass(frozen=True)
class Ordering:
    """The runs by their means of a measure under a qrels version."""

    measure: Measure
    qrels: Qrels


@dataclass(frozen=True)
class PairChoice:
    a: Ordering
    b: Ordering
    axes: str
    persistence: float

    @property
    def names(self) -> tuple[str, str]:
        """The measures, with the qrels versions if these differ, for files."""
        return self._named(str)

    @property
    def labels(self) -> tuple[str, str]:
        """The same for pages."""
        return self._named(measure_label)

    def _named(self, name: Callable[[Measure], str]) -> tuple[str, str]:
        a, b = name(self.a.measure), name(self.b.measure)
        if self.a.qrels.pk == self.b.qrels.pk:
            return a, b
        return f"{a}, {self.a.qrels}", f"{b}, {self.b.qrels}"

    @property
    def versions(self) -> tuple[Qrels, Qrels]:
        return self.a.qrels, self.b.qrels

    @property
    def is_one_measure(self) -> bool:
        """Whether the scores of both have the same scale."""
        return self.a.measure == self.b.measure


def chosen_map(viewer: Viewer, params: QueryDict, offered: Sequence[Qrels]) -> MapChoice:
    """`offered` are the qrels versions to choose from."""
    usual = usual_measures(viewer)
    measures = _chosen_measures(viewer, params, "m") or usual
    references = _chosen_measures(viewer, params, "ref") or usual_references(usual)
    return MapChoice(
        measures=measures,
        references=references,
        statistic=choice_or_404("statistic", params.get("statistic"), STATISTICS, usual="tau"),
        persistence=_persistence(params.get("p")),
        qrels=_version(viewer, params.get("qrels"), offered),
    )


def chosen_pair(viewer: Viewer, params: QueryDict, offered: Sequence[Qrels]) -> PairChoice:
    """Without `b`, the measure of `a` under the other version."""
    qrels = _version(viewer, params.get("qrels"), offered)
    if qrels is None:
        raise Http404("There are no qrels, so no run has a score.")
    against = chosen_version(viewer, params.get("against"), offered, parameter="against") or qrels
    a = chosen_measure(viewer, params.get("a"), parameter="a")
    b = chosen_measure(viewer, params.get("b") or str(a), parameter="b")
    return PairChoice(
        a=Ordering(a, qrels),
        b=Ordering(b, against),
        axes=choice_or_404("axes", params.get("axes"), AXES, usual=AXES[0]),
        persistence=_persistence(params.get("p")),
    )


def usual_measures(viewer: Viewer) -> tuple[Measure, ...]:
    """The campaign's measures of quality."""
    offered = rules_of(viewer.campaign).measures
    return tuple(measure for measure in offered if is_of_quality(measure))


def usual_references(measures: Sequence[Measure]) -> tuple[Measure, ...]:
    # Reversed, so that the first measure of a family is the one that is kept.
    by_family = {measure.family: measure for measure in reversed(measures)}
    references = tuple(by_family[name] for name in TABLE_III if name in by_family)
    # A campaign may score by none of these families.
    return references or tuple(measures[: len(TABLE_III)])


def _chosen_measures(viewer: Viewer, params: QueryDict, name: str) -> tuple[Measure, ...]:
    """In the campaign's order, each once."""
    typed = filter(None, params.getlist(name))
    chosen = {chosen_measure(viewer, measure, parameter=name) for measure in typed}
    return tuple(each for each in rules_of(viewer.campaign).measures if each in chosen)


def _version(viewer: Viewer, version: str | None, offered: Sequence[Qrels]) -> Qrels | None:
    return chosen_version(viewer, version, offered) or viewer.campaign.active_qrels


def _persistence(typed: str | None) -> float:
    return typed_persistence(typed or DEFAULT_PERSISTENCE)
