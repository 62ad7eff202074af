"""What may be chosen on a board: measure, qrels version, team, run type; all from explicit lists.

Raises UnknownChoice for anything else: it names what this viewer is offered, and no more.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from django.db.models import Q
from django.http import QueryDict

from campaigns.access import Viewer
from campaigns.models import Qrels, Run
from campaigns.options import UnknownChoice, choice_or_404, shortened
from scoring.core.measures.catalogue import nearest_name
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import (
    BadMeasure,
    UnknownMeasure,
    make_measure,
    parse_measure,
)
from scoring.evaluation.measure_choices import find_measure
from scoring.evaluation.rules import rules_of

PERSISTENCE: Final = re.compile(r"0|0?\.[0-9]{1,3}", re.ASCII)
JUDGED: Final = parse_measure("Judged@10")
CALLED: Final = {"team": "team", "type": "run type", "judged": "choice of judged runs"}
POOLED: Final = {"yes": "in the judged pool", "no": "not in it"}


def chosen_measure(viewer: Viewer, name: str | None, *, asked_as: str = "measure") -> Measure:
    """The measure that is called so among those the campaign offers (`find_measure`); without a
    name its first."""
    offered = rules_of(viewer.campaign).measures
    if not name:
        return offered[0]
    names = [str(measure) for measure in offered]
    try:
        measure = find_measure(name, offered, rel=viewer.campaign.rel)
    except UnknownMeasure as error:
        nearest = nearest_name(name, names)
        hint = f" Did you mean {nearest}?" if nearest else ""
        why = f"There is no measure “{shortened(name)}” here.{hint}"
        raise UnknownChoice(asked_as, name, names, why=why) from error
    except BadMeasure as error:
        why = f"“{shortened(name)}” is no measure: {error}."
        raise UnknownChoice(asked_as, name, names, why=why) from error
    if measure is None:
        why = f"{parse_measure(name)} is not among this campaign’s measures."
        raise UnknownChoice(asked_as, name, names, why=why)
    return measure


def chosen_columns(viewer: Viewer, asked: QueryDict, ranked: Measure) -> tuple[Measure, ...]:
    """The measures shown beside the ranked one, in the order asked for, each once. Those that
    stand on every board are not shown twice."""
    names = filter(None, asked.getlist("columns"))
    chosen = [chosen_measure(viewer, name, asked_as="columns") for name in names]
    return tuple(each for each in dict.fromkeys(chosen) if each not in (ranked, JUDGED))


def chosen_persistence(measure: Measure, asked: str | None) -> Measure | None:
    """The measure at another p, from 0 to 0.999 in thousandths, where it is an RBP of one p; None
    where no p is asked for, and for measures without one."""
    if not asked or persistence_of(measure) is None:
        return None
    options = dict(measure.parameters) | {"p": typed_persistence(asked)}
    return make_measure("RBP", cutoff=measure.cutoff, **options)


def typed_persistence(asked: str) -> float:
    """0.60, 0.6 and .6 are one p."""
    if not PERSISTENCE.fullmatch(asked):
        raise UnknownChoice(
            "p", asked, why="p is a number from 0 to 0.999, with three decimals at most."
        )
    return float(asked)


def persistence_of(measure: Measure) -> float | None:
    """The p of an RBP of one p."""
    p = dict(measure.parameters).get("p") if measure.family == "RBP" else None
    return float(p) if p is not None else None


def versions_offered(viewer: Viewer) -> list[Qrels]:
    """The qrels versions whose board this viewer may ask for, the newest first: all of them for
    organisers, for others the active one and those that a published board was once made from."""
    versions = viewer.campaign.qrels.order_by("-version")
    if not viewer.is_organiser:
        is_known = Q(pk=viewer.campaign.active_qrels_id) | Q(published_at__isnull=False)
        versions = versions.filter(is_known)
    return list(versions)


def chosen_version(
    viewer: Viewer,
    version: str | None,
    offered: Sequence[Qrels] | None = None,
    *,
    asked_as: str = "qrels",
) -> Qrels | None:
    """The qrels version of this number; None, the active one, without a number."""
    if not version:
        return None
    offered = versions_offered(viewer) if offered is None else offered
    for qrels in offered:
        if str(qrels.version) == version:
            return qrels
    known = {str(qrels.version): str(qrels) for qrels in offered}
    raise UnknownChoice(asked_as, version, known, called="qrels version")


def chosen_filters(
    asked: Mapping[str, str], *, teams: Mapping[str, str], is_judged: bool
) -> dict[str, str]:
    """The filters that are set, each with a value that exists. `teams` are names by public id;
    `is_judged` says whether the board knows how far its runs were judged."""
    known: dict[str, Mapping[str, str]] = {
        "team": teams,
        "type": {each: each for each in Run.Type.values},
        "judged": POOLED if is_judged else {},
    }
    found = {
        name: choice_or_404(name, asked.get(name), values, called=CALLED[name])
        for name, values in known.items()
    }
    return {name: value for name, value in found.items() if value}


def sees_topic_means(viewer: Viewer) -> bool:
    """Whether the viewer may see every run's scores by topic."""
    return viewer.can_see_board and sees_by_topic(viewer)


def sees_by_topic(viewer: Viewer) -> bool:
    """Whether the viewer may see the scores by topic of the runs whose means they see."""
    return viewer.can_see_topics and viewer.audience <= viewer.campaign.per_topic_audience
