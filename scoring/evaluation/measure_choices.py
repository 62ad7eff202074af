"""Which measures a campaign may use, and which measure a typed name means."""

from collections.abc import Sequence
from dataclasses import replace

from django.core.exceptions import ValidationError

from scoring.core.measures.measure import Measure
from scoring.core.measures.names import BadMeasure, UnknownMeasure, parse_measure, with_default_rel

MOST = 40

# The checkboxes of the form, by group; all other measures are typed. RBP is not among them, because
# every leaderboard begins with it, with the campaign's own persistences.
OFFERED: dict[str, tuple[str, ...]] = {
    "The whole ranking": ("AP", "nDCG", "bpref", "infAP", "GMAP", "Q"),
    "The first ranks": ("P@5", "P@10", "P@20", "nDCG@5", "nDCG@10", "nDCG@20", "ERR@20"),
    "The first relevant document": ("RR", "RR@10", "Success@1", "Success@5", "Success@10"),
    "Recall": ("Rprec", "R@100", "R@1000", "IPrec@0.1"),
    "Share of judged documents": ("Judged@10", "Judged@20"),
}


def find_measure(name: str, offered: Sequence[Measure], *, rel: int = 1) -> Measure | None:
    """The offered measure with this name. Raises UnknownMeasure and BadMeasure.

    First the measure with exactly this name; then, if the name has no `rel`, the one with the
    campaign's `rel`; then, if the name has no parameters, the only measure of this family and
    cutoff. None otherwise, also if there are two of them.
    """
    bare = [each for each in offered if _without_parameters(each) == name.strip()]
    try:
        measure = parse_measure(name)
    except BadMeasure:  # RBP needs a p, but a campaign may have only one
        if len(bare) == 1:
            return bare[0]
        raise
    if measure in offered:
        return measure
    at_rel = parse_measure(name, default_rel=rel)
    if at_rel in offered:
        return at_rel
    # A name that states parameters means exactly that measure, not one that resembles it.
    if "(" in name or measure.parameters:
        return None
    alike = [each for each in offered if _without_parameters(each) == str(measure)]
    return alike[0] if len(alike) == 1 else None


def canonical_name(name: str, offered: Sequence[Measure], *, rel: int = 1) -> str:
    """The canonical name of the offered measure; the name itself if there is none."""
    try:
        measure = find_measure(name, offered, rel=rel)
    except (UnknownMeasure, BadMeasure):
        return name
    return name if measure is None else str(measure)


def _without_parameters(measure: Measure) -> str:
    return str(replace(measure, parameters=()))


def measures_named(names: Sequence[str], *, rel: int) -> list[str]:
    """Canonical names in the given order, each once. Raises `ValidationError`, by name."""
    # All faults are collected, so that a person can correct the whole list at once.
    faults, measures = [], []
    for name in names:
        try:
            measures.append(_measure_named(name, rel))
        except (UnknownMeasure, BadMeasure) as error:
            faults.append(f"{name}: {error}")
    if faults:
        raise ValidationError(faults)
    if len(set(measures)) > MOST:
        raise ValidationError(f"Choose at most {MOST} measures.")
    return [str(measure) for measure in dict.fromkeys(measures)]


def _measure_named(name: str, rel: int) -> Measure:
    measure = parse_measure(name)
    meant, scored = parse_measure(name, default_rel=rel), with_default_rel(measure, rel)
    if meant != scored:  # stored names do not distinguish rel=1 from no rel
        raise BadMeasure(
            f"documents of this campaign are relevant from grade {rel}: use rel={rel} or higher"
        )
    return measure
