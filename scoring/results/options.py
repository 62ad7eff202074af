"""The options of a board, such as measure, qrels version, team and run type.

Raises UnknownChoice for a value that is not offered. It lists only what this viewer may choose.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from django.db.models import Exists, Q
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
from scoring.models import Snapshot

PERSISTENCE: Final = re.compile(r"0|0?\.[0-9]{1,3}", re.ASCII)
JUDGED: Final = parse_measure("Judged@10")
LABELS: Final = {"team": "team", "type": "run type", "judged": "value of the pool filter"}
POOLED: Final = {"yes": "in the judged pool", "no": "not in the judged pool"}


def chosen_measure(viewer: Viewer, name: str | None, *, parameter: str = "measure") -> Measure:
    """The campaign's measure of this name (`find_measure`), by default the first."""
    offered = rules_of(viewer.campaign).measures
    if not name:
        return offered[0]
    names = [str(measure) for measure in offered]
    try:
        measure = find_measure(name, offered, rel=viewer.campaign.rel)
    except UnknownMeasure as error:
        nearest = nearest_name(name, names)
        hint = f" Did you mean {nearest}?" if nearest else ""
        why = f"“{shortened(name)}” is not a valid measure.{hint}"
        raise UnknownChoice(parameter, name, names, why=why) from error
    except BadMeasure as error:
        why = f"“{shortened(name)}” is not a valid measure: {error}."
        raise UnknownChoice(parameter, name, names, why=why) from error
    if measure is None:
        why = f"{parse_measure(name)} is not among this campaign’s measures."
        raise UnknownChoice(parameter, name, names, why=why)
    return measure


def chosen_columns(viewer: Viewer, params: QueryDict, ranked: Measure) -> tuple[Measure, ...]:
    """The further measures, in the order of the parameters, each once, without those that every
    board has."""
    names = filter(None, params.getlist("columns"))
    chosen = [chosen_measure(viewer, name, parameter="columns") for name in names]
    return tuple(each for each in dict.fromkeys(chosen) if each not in (ranked, JUDGED))


def chosen_persistence(measure: Measure, p: str | None) -> Measure | None:
    """The measure at another p, from 0 to 0.999 in thousandths, if it is an RBP with one p; None
    without `p`, and for other measures."""
    if not p or persistence_of(measure) is None:
        return None
    options = dict(measure.parameters) | {"p": typed_persistence(p)}
    return make_measure("RBP", cutoff=measure.cutoff, **options)


def typed_persistence(p: str) -> float:
    """0.60, 0.6 and .6 are the same p."""
    if not PERSISTENCE.fullmatch(p):
        raise UnknownChoice(
            "p", p, why="p is a number from 0 to 0.999, with three decimals at most."
        )
    return float(p)


def persistence_of(measure: Measure) -> float | None:
    """The p of an RBP with one p."""
    p = dict(measure.parameters).get("p") if measure.family == "RBP" else None
    return float(p) if p is not None else None


def versions_offered(viewer: Viewer) -> list[Qrels]:
    """The qrels versions whose board this viewer may see, newest first: all for organisers; for
    others the active one and those with a published board. Each with `has_snapshots`, whether the
    campaign has any, which saves the leaderboard a query."""
    snapshots = Snapshot.objects.filter(campaign=viewer.campaign)
    versions = viewer.campaign.qrels.order_by("-version").annotate(has_snapshots=Exists(snapshots))
    if not viewer.is_organiser:
        is_known = Q(pk=viewer.campaign.active_qrels_id) | Q(published_at__isnull=False)
        versions = versions.filter(is_known)
    return list(versions)


def chosen_version(
    viewer: Viewer,
    version: str | None,
    offered: Sequence[Qrels] | None = None,
    *,
    parameter: str = "qrels",
) -> Qrels | None:
    """The qrels version of this number; None without a number, which means the active one."""
    if not version:
        return None
    offered = versions_offered(viewer) if offered is None else offered
    for qrels in offered:
        if str(qrels.version) == version:
            return qrels
    known = {str(qrels.version): str(qrels) for qrels in offered}
    raise UnknownChoice(parameter, version, known, called="qrels version")


def chosen_filters(
    params: Mapping[str, str], *, teams: Mapping[str, str], is_judged: bool
) -> dict[str, str]:
    """The filters that are set. `teams` are names by public id; `is_judged`: the board knows
    whether its runs are judged."""
    offered: dict[str, Mapping[str, str]] = {
        "team": teams,
        "type": {each: each for each in Run.Type.values},
        "judged": POOLED if is_judged else {},
    }
    chosen = {
        name: choice_or_404(name, params.get(name), values, called=LABELS[name])
        for name, values in offered.items()
    }
    return {name: value for name, value in chosen.items() if value}


def shown_qrels(viewer: Viewer) -> Qrels | None:
    """The version behind the scores. None if the viewer sees no scores, because they may not know
    whether there are qrels."""
    campaign = viewer.campaign
    sees_some = viewer.can_see_board or (viewer.team is not None and campaign.shows_own_scores)
    return campaign.active_qrels if sees_some else None


def sees_topic_means(viewer: Viewer) -> bool:
    """Whether the viewer may see every run's scores by topic."""
    return viewer.can_see_board and sees_by_topic(viewer)


def can_compare_runs(viewer: Viewer) -> bool:
    """Whether the viewer may compare two runs by topic: any, or only those of their own team."""
    return sees_topic_means(viewer) or viewer.can_see_own_topic_scores


def sees_by_topic(viewer: Viewer) -> bool:
    """Whether the viewer may see the scores by topic of the runs whose means they see."""
    return viewer.can_see_topics and viewer.audience <= viewer.campaign.per_topic_audience
