"""From names to measures: `Name(key=value,...)@cutoff`, as ir_measures writes them, and the names
of trec_eval. `str(measure)` goes the other way; `aliases.to_trec_eval` to trec_eval's."""

import re
from collections.abc import Callable, Mapping

from scoring.core.measures.aliases import (
    PARAMETERS,
    from_other_tools,
    from_trec_eval,
    is_family,
    spelled,
    unknown,
)
from scoring.core.measures.catalogue import family_named, family_of
from scoring.core.measures.measure import (
    NO,
    YES,
    BadMeasure,
    Measure,
    Parameter,
    Syntax,
    UnknownMeasure,
    Value,
    format_value,
)

__all__ = [
    "BadMeasure",
    "UnknownMeasure",
    "make_measure",
    "parse_measure",
    "parse_measure_of",
    "rel_of",
    "with_default_rel",
]

_NAME = re.compile(r"([A-Za-zα][A-Za-z0-9_-]*)(?:\(([^()]*)\))?(?:@([^@()]*))?", re.ASCII)
_INTEGER = re.compile(r"[0-9]+", re.ASCII)
_HIGHEST = 10**9 - 1
_REAL = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?", re.ASCII)
_YES_OR_NO = {"True": YES, "true": YES, "False": NO, "false": NO}  # as ir_measures prints them
_LONGEST_NAME = 200


def parse_measure(text: str, *, default_rel: int = 1) -> Measure:
    """The measure of this name; spaces around its parts and the order of its keys are free.

    `default_rel` is the `rel` of measures that have one and are not given one: an explicit
    `rel=1` stays 1. Raises UnknownMeasure, suggesting the nearest name, or BadMeasure with the
    reason.

    >>> str(parse_measure("ndcg_cut_10")), str(parse_measure(" P( rel = 2 )@10 "))
    ('nDCG@10', 'P(rel=2)@10')
    >>> str(parse_measure("P@10", default_rel=2))
    'P(rel=2)@10'
    """
    text = _stripped(text)
    name, inside, cutoff = _split(from_trec_eval(text) or from_other_tools(text), text)
    name, _, implied = spelled(name).rstrip(")").partition("(")
    if not is_family(name):
        raise UnknownMeasure(unknown(name))
    family = family_named(name)
    given = _read_parameters(family, ",".join(filter(None, (implied, inside))))
    measure = _make(family, given, None if cutoff is None else _read_cutoff(family, cutoff))
    return measure if "rel" in given else with_default_rel(measure, default_rel)


def parse_measure_of(text: str, family_named: Callable[[str], Syntax]) -> Measure:
    """The measure of this name, of families that are not in the catalogue. Raises as
    `family_named` and `parse_measure` do.

    >>> from scoring.core.diversity.measures import diversity_family
    >>> str(parse_measure_of("StRecall@5", diversity_family))
    'StRecall@5'
    """
    text = _stripped(text)
    name, inside, cutoff = _split(text, text)
    family = family_named(name)
    given = _read_parameters(family, inside or "")
    return _make(family, given, None if cutoff is None else _read_cutoff(family, cutoff))


def _stripped(text: str) -> str:
    text = text.strip()
    if len(text) > _LONGEST_NAME:
        raise BadMeasure(f"a measure's name has at most {_LONGEST_NAME} characters")
    return text


def _split(name: str, text: str) -> tuple[str, str | None, str | None]:
    """Family, parameters and cutoff of a name; `text` is what was typed."""
    matched = _NAME.fullmatch(name)
    if matched is None:
        raise BadMeasure(f"{text!r} is not of the form Name(key=value,...)@cutoff")
    return matched[1], matched[2], matched[3]


def make_measure(
    name: str, /, *, cutoff: int | float | None = None, **parameters: Value
) -> Measure:
    """The measure of these parts: `make_measure("RBP", p=0.8)`. Raises as `parse_measure` does.

    >>> str(make_measure("P", cutoff=10, rel=2))
    'P(rel=2)@10'
    """
    return _make(family_named(name), parameters, cutoff)


def with_default_rel(measure: Measure, rel: int) -> Measure:
    """The measure with the campaign's `rel`, where its family has one and none is set.

    A measure does not remember whether rel=1 was typed; where that matters, give `default_rel` to
    `parse_measure` instead.

    >>> [str(with_default_rel(parse_measure(name), 2)) for name in ("AP", "DCG@10")]
    ['AP(rel=2)', 'DCG@10']
    """
    family, given = family_of(measure), dict(measure.parameters)
    parameter = family.parameter("rel")
    if parameter is None or "rel" in given or not _applies(family, parameter, given):
        return measure
    return _make(family, given | {"rel": rel}, measure.cutoff)


def rel_of(measure: Measure) -> int | None:
    """The lowest grade that counts as relevant; None where it goes by gains or judgments.

    >>> rel_of(parse_measure("P(rel=2)@10")), rel_of(parse_measure("DCG@10"))
    (2, None)
    """
    family, given = family_of(measure), dict(measure.parameters)
    parameter = family.parameter("rel")
    if parameter is None or not _applies(family, parameter, given):
        return None
    return family.arguments(measure).integer("rel")


def _make(family: Syntax, given: Mapping[str, Value], cutoff: int | float | None) -> Measure:
    """Checks everything, puts the parameters in order and drops the defaults."""
    unknown = [name for name in given if family.parameter(name) is None]
    if unknown:
        known = ", ".join(each.name for each in family.parameters) or "none"
        raise BadMeasure(f"{family.name} has no parameter {unknown[0]!r} (it has: {known})")
    kept = []
    for each in family.parameters:
        others = [name for name in each.instead_of if name in given]
        if each.name not in given:
            if each.default is None and not others:
                example = f", as in {family.name}(p=0.8)" if each.name == "p" else ""
                raise BadMeasure(
                    f"{family.name} needs {each.name} ({each.meaning}): no default{example}"
                )
            continue
        if others:
            raise BadMeasure(f"{family.name}: {each.name} and {others[0]} exclude each other")
        value = _checked(family, each, given[each.name])
        # Before the next check: a default may be written where the parameter says nothing.
        if value == each.default:
            continue
        if not _applies(family, each, given):
            other, wanted = each.only_with or ("", "")
            raise BadMeasure(f"{family.name}: {each.name} says nothing unless {other}={wanted}")
        kept.append((each.name, value))
    return Measure(family.name, tuple(kept), _checked_cutoff(family, cutoff))


def _applies(family: Syntax, parameter: Parameter, given: Mapping[str, Value]) -> bool:
    if parameter.only_with is None:
        return True
    name, wanted = parameter.only_with
    other = family.parameter(name)
    return given.get(name, other.default if other else None) == wanted


def _checked(family: Syntax, parameter: Parameter, value: Value) -> Value:
    """The value in its own type and range."""
    said = f"{family.name}: {parameter.name}={format_value(value)}"
    if parameter.kind == "word":
        if value not in parameter.words:
            raise BadMeasure(f"{said} is none of {', '.join(parameter.words)}")
        return value
    if isinstance(value, (str, bool)) or (parameter.kind == "integer" and value != int(value)):
        raise BadMeasure(f"{said} is not of the kind '{parameter.kind}'")
    if value != parameter.default and not _is_inside(parameter, value):
        low = "" if parameter.at_least is None else f"{parameter.at_least:g} <= "
        low = low if parameter.above is None else f"{parameter.above:g} < "
        high = "" if parameter.at_most is None else f" <= {parameter.at_most:g}"
        below = "" if parameter.below is None else f" < {parameter.below:g}"
        raise BadMeasure(f"{said} is outside {low}{parameter.name}{high}{below}")
    return int(value) if parameter.kind == "integer" else float(value) + 0.0  # never -0.0


def _is_inside(parameter: Parameter, value: float) -> bool:
    low, above = parameter.at_least, parameter.above
    high, below = parameter.at_most, parameter.below
    return (
        (low is None or value >= low)
        and (above is None or value > above)
        and (high is None or value <= high)
        and (below is None or value < below)
    )


def _checked_cutoff(family: Syntax, cutoff: int | float | None) -> int | float | None:
    if cutoff is None:
        if family.cutoff in ("required", "recall"):
            example = "0.1" if family.cutoff == "recall" else "10"
            raise BadMeasure(f"{family.name} needs a cutoff, as in {family.name}@{example}")
        return None
    if family.cutoff is None:
        raise BadMeasure(f"{family.name} has no cutoff")
    if family.cutoff == "recall":
        if not 0 <= cutoff <= 1:
            raise BadMeasure(f"{family.name}: a recall level lies in 0..1, not {cutoff}")
        return float(cutoff) + 0.0
    if cutoff != int(cutoff):
        raise BadMeasure(f"{family.name}: the cutoff {cutoff} is not a whole number")
    if cutoff < 1:
        raise BadMeasure(f"{family.name}: the cutoff must be at least 1, not {cutoff}")
    return int(cutoff)


def _read_parameters(family: Syntax, inside: str) -> dict[str, Value]:
    given: dict[str, Value] = {}
    for part in inside.split(",") if inside.strip() else []:
        name, equals, text = (piece.strip() for piece in part.partition("="))
        text = text.strip("'\"")
        if family.parameter(name) is None and (name, text) in PARAMETERS:
            ours = PARAMETERS[name, text]
            if ours is None:
                continue
            name, text = ours
        flag = family.parameter(name)
        if flag is not None and set(flag.words) == {NO, YES}:
            equals, text = ("=", YES) if not equals else (equals, _YES_OR_NO.get(text, text))
        if not (name and equals and text):
            raise BadMeasure(f"{family.name}: {part.strip()!r} is not of the form key=value")
        if name in given:
            raise BadMeasure(f"{family.name}: {name} is given twice")
        parameter = family.parameter(name)
        given[name] = text if parameter is None else _read_value(family, parameter, text)
    return given


def _read_value(family: Syntax, parameter: Parameter, text: str) -> Value:
    if parameter.kind == "integer" and _INTEGER.fullmatch(text):
        return _read_integer(family, text)
    if parameter.kind == "real" and _REAL.fullmatch(text):
        return float(text)
    if parameter.kind == "word":
        return text
    what = "a whole number" if parameter.kind == "integer" else "a number"
    raise BadMeasure(f"{family.name}: {parameter.name}={text!r} is not {what}")


def _read_cutoff(family: Syntax, text: str) -> int | float:
    text = text.strip()
    if family.cutoff == "recall":
        if not _REAL.fullmatch(text):
            raise BadMeasure(f"{family.name}: the recall level {text!r} is not a number")
        return float(text)
    if not _INTEGER.fullmatch(text):
        raise BadMeasure(f"{family.name}: the cutoff {text!r} is not a whole number")
    return _read_integer(family, text)


def _read_integer(family: Syntax, digits: str) -> int:
    if len(digits.lstrip("0")) > len(str(_HIGHEST)):
        raise BadMeasure(f"{family.name}: {digits} is too large: {_HIGHEST} at most")
    return int(digits)
