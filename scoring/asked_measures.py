"""Which measures a campaign may ask for, by the names that people type."""

from collections.abc import Sequence

from django.core.exceptions import ValidationError

from scoring.core.measures.measure import Measure
from scoring.core.measures.names import BadMeasure, UnknownMeasure, parse_measure, with_default_rel

MOST = 40


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
