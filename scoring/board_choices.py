"""What may be chosen on a board: measure, qrels version, team, run type; all from explicit lists.

Raises Http404 for anything else, so that a guess finds out nothing.
"""

import re
from collections.abc import Collection, Mapping, Sequence

from django.db.models import Q
from django.http import Http404

from campaigns.access import Viewer
from campaigns.models import Qrels, Run
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import (
    BadMeasure,
    UnknownMeasure,
    make_measure,
    parse_measure,
)
from scoring.definitions import rules_of

PERSISTENCE = re.compile(r"0\.(?!00)[0-9]{2}", re.ASCII)
FILTERS = ("team", "type")  # by a team's public id, and by the type of run


def chosen_measure(viewer: Viewer, name: str | None) -> Measure:
    """The measure of this name among those the campaign offers; without a name its first."""
    offered = rules_of(viewer.campaign).measures
    if not name:
        return offered[0]
    try:
        measure = parse_measure(name)
    except (UnknownMeasure, BadMeasure) as error:
        raise Http404(str(error)) from error
    if measure not in offered:
        raise Http404(f"{measure} is not among this campaign's measures.")
    return measure


def chosen_persistence(measure: Measure, asked: str | None) -> Measure | None:
    """The measure at another p, from 0.01 to 0.99 in hundredths, where it is an RBP of one p; None
    where no p is asked for, and for measures without one."""
    if not asked or persistence_of(measure) is None:
        return None
    if not PERSISTENCE.fullmatch(asked):
        raise Http404("p is a number from 0.01 to 0.99.")
    options = dict(measure.parameters) | {"p": float(asked)}
    return make_measure("RBP", cutoff=measure.cutoff, **options)


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
    viewer: Viewer, version: str | None, offered: Sequence[Qrels] | None = None
) -> Qrels | None:
    """The qrels version of this number; None, the active one, without a number."""
    if not version:
        return None
    for qrels in versions_offered(viewer) if offered is None else offered:
        if str(qrels.version) == version:
            return qrels
    raise Http404("There is no such qrels version.")


def chosen_filters(asked: Mapping[str, str], *, teams: Collection[str]) -> dict[str, str]:
    """The filters that are set, each with a value that exists."""
    known: dict[str, Collection[str]] = {"team": teams, "type": Run.Type.values}
    filters = {name: asked[name] for name in FILTERS if asked.get(name)}
    for name, value in filters.items():
        if value not in known[name]:
            raise Http404(f"There is no {name} {value}.")
    return filters
