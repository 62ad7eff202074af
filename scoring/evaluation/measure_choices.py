"""Which measures a campaign may ask for, and which of them people mean by the names they type."""

from collections.abc import Sequence
from dataclasses import replace

from django.core.exceptions import ValidationError

from scoring.core.measures.measure import Measure
from scoring.core.measures.names import BadMeasure, UnknownMeasure, parse_measure, with_default_rel

MOST = 40

# What a form offers to tick, by what is asked; every other measure is typed. RBP heads every board
# with the campaign's own persistences and is not among them.
OFFERED: dict[str, tuple[str, ...]] = {
    "The whole ranking": ("AP", "nDCG", "bpref", "infAP", "GMAP", "Q"),
    "The first ranks": ("P@5", "P@10", "P@20", "nDCG@5", "nDCG@10", "nDCG@20", "ERR@20"),
    "The first relevant document": ("RR", "RR@10", "Success@1", "Success@5", "Success@10"),
    "Recall": ("Rprec", "R@100", "R@1000", "IPrec@0.1"),
    "How much was judged": ("Judged@10", "Judged@20"),
}


def find_measure(name: str, offered: Sequence[Measure], *, rel: int = 1) -> Measure | None:
    """The offered measure that is called so. Raises UnknownMeasure and BadMeasure.

    First the measure of exactly this name; then the one that the name means at the campaign's
    `rel`, if the name says nothing of it; then, if the name says nothing of any parameter, the only
    measure of this family and cutoff. None otherwise: also where there are two of them.
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
    if "(" in name or measure.parameters:
        return None
    alike = [each for each in offered if _without_parameters(each) == str(measure)]
    return alike[0] if len(alike) == 1 else None


def canonical_name(name: str, offered: Sequence[Measure], *, rel: int = 1) -> str:
    """Of the offered measure that is called so; the name itself where there is none."""
    try:
        found = find_measure(name, offered, rel=rel)
    except (UnknownMeasure, BadMeasure):
        return name
    return name if found is None else str(found)


def _without_parameters(measure: Measure) -> str:
    return str(replace(measure, parameters=()))


def measures_named(names: Sequence[str], *, rel: int) -> list[str]:
    """Canonical names in the order given, each once. Raises `ValidationError`, by name."""
    faults, found = [], []
    for name in names:
        try:
            found.append(_measure_named(name, rel))
        except (UnknownMeasure, BadMeasure) as error:
            faults.append(f"{name}: {error}")
    if faults:
        raise ValidationError(faults)
    if len(set(found)) > MOST:
        raise ValidationError(f"Ask for at most {MOST}.")
    return [str(measure) for measure in dict.fromkeys(found)]


def _measure_named(name: str, rel: int) -> Measure:
    measure = parse_measure(name)
    meant, scored = parse_measure(name, default_rel=rel), with_default_rel(measure, rel)
    if meant != scored:  # a stored name does not tell rel=1 from none
        raise BadMeasure(f"documents are relevant from grade {rel} here; ask for that or higher")
    return measure
