"""A measure as a value, and what is known about the family it belongs to, as data."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from scoring.core.measures.arrays import Scores
from scoring.core.measures.workings import Workings

Value: TypeAlias = int | float | str  # of a parameter


class UnknownMeasure(ValueError):
    """No family has this name."""


class BadMeasure(ValueError):
    """The name of a family is right, but a parameter or the cutoff is missing or wrong."""


@dataclass(frozen=True)
class Measure:
    """One measure, printed canonically: `P(rel=2)@10`. Made by `names.parse_measure` or
    `names.make_measure`, which check it; equal measures are equal values.

    `parameters` holds those that differ from their defaults, in the catalogue's order.
    """

    family: str
    parameters: tuple[tuple[str, Value], ...] = ()
    cutoff: int | float | None = None  # a rank; for interpolated precision a recall level

    def __str__(self) -> str:
        inside = ",".join(f"{key}={format_value(value)}" for key, value in self.parameters)
        name = f"{self.family}({inside})" if inside else self.family
        return name if self.cutoff is None else f"{name}@{format_value(self.cutoff)}"


def format_value(value: Value) -> str:
    """The shortest text that reads back as the value: 0.8, 0 (not 0.0), 1e-05, map.

    >>> format_value(0.8), format_value(0.0), format_value(1e-5), format_value("map")
    ('0.8', '0', '1e-05', 'map')
    """
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return str(value)


@dataclass(frozen=True)
class Parameter:
    """One parameter of a family. Without a default it must be given."""

    name: str
    kind: Literal["integer", "real", "word"]
    meaning: str
    default: Value | None = None
    at_least: float | None = None
    at_most: float | None = None
    below: float | None = None
    above: float | None = None
    words: tuple[str, ...] = ()  # the choices, for kind "word"
    only_with: tuple[str, Value] | None = (
        None  # it says nothing unless this other one has the value
    )
    instead_of: tuple[str, ...] = ()  # given or required only where none of these is given


@dataclass(frozen=True)
class Arguments:
    """The parameters of one measure, defaults filled in, and its cutoff."""

    values: Mapping[str, Value]
    cutoff: int | None
    level: float = 0.0  # what stands behind the @ of a measure at a recall level

    def has(self, name: str) -> bool:
        """Whether the parameter has a value: those that exclude each other do not all have one."""
        return name in self.values

    def integer(self, name: str) -> int:
        return int(self.values[name])

    def real(self, name: str) -> float:
        return float(self.values[name])

    def word(self, name: str) -> str:
        return str(self.values[name])

    def says(self, name: str) -> bool:
        """Whether the parameter exists and is yes."""
        return self.values.get(name) == YES

    def required_cutoff(self) -> int:
        """The cutoff of a family that has always one."""
        if self.cutoff is None:
            raise BadMeasure("a cutoff is needed")
        return self.cutoff


@dataclass(frozen=True)
class UserModel:
    """Whom a measure imagines (Carterette, SIGIR 2011): three parts."""

    browsing: str
    utility: str
    accumulation: str


NONE_USEFUL = "None that is both exact and useful, because it depends on R, which is unknown."


@dataclass(frozen=True)
class Facts:
    """What a page says about a family."""

    pretty_name: str
    description: str  # one sentence
    formula: str
    reference: str
    relevance: Literal["binary", "graded", "either"]  # either: a parameter decides
    needs_relevant: bool  # needs R, the relevant documents of the topic, retrieved or not
    range: tuple[float, float] = (0.0, 1.0)  # lowest and highest score, the latter may be infinite
    direction: Literal["higher", "lower"] = "higher"  # which scores are better
    view: Literal["rank", "set"] = "rank"
    has_residual: bool = False
    residual: str = NONE_USEFUL  # how it is bounded, or why it is not
    user_model: UserModel | None = None

    @property
    def is_lower_better(self) -> bool:
        return self.direction == "lower"


Cutoff: TypeAlias = Literal["required", "optional", "recall"]


class Syntax(Protocol):
    """What the names of a family's measures look like."""

    @property
    def name(self) -> str: ...

    @property
    def parameters(self) -> tuple[Parameter, ...]: ...

    @property
    def cutoff(self) -> Cutoff | None: ...

    def parameter(self, name: str) -> Parameter | None: ...


@dataclass(frozen=True, eq=False)
class Family:
    """All measures of one name. `version` counts up when a score changes its meaning or value."""

    name: str
    facts: Facts
    compute: Callable[[Arguments, Workings], Scores]
    version: int = 1
    parameters: tuple[Parameter, ...] = ()  # in the order in which they are printed
    # What stands behind the @: None means nothing, "recall" a level in [0, 1] that must be given.
    cutoff: Cutoff | None = None
    # How topics become one number. "geometric": scores are positive, their geometric mean.
    summary: Literal["mean", "sum", "geometric"] = "mean"
    # Whether sums go on over the ranks after the last document that are in the matrix.
    counts_ranks_past_end: Callable[[Arguments], bool] = lambda _: False
    trec_eval: str | None = None  # trec_eval's name for it without cutoff and parameters
    trec_eval_cut: str | None = None  # what stands before "_10" in trec_eval's name for @10

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of this name, None if the family has none such."""
        return next((each for each in self.parameters if each.name == name), None)

    def arguments(self, measure: Measure) -> Arguments:
        """The measure's parameters with the defaults filled in."""
        return arguments_of(self, measure)


def arguments_of(family: Syntax, measure: Measure) -> Arguments:
    """The measure's parameters with the defaults filled in.

    >>> measure = parse_measure("RR@10")
    >>> found = arguments_of(family_of(measure), measure)
    >>> found.integer("rel"), found.cutoff
    (1, 10)
    """
    typed = dict(measure.parameters)
    given = typed.copy()
    values: dict[str, Value] = {}
    for each in family.parameters:
        value = given.pop(each.name, each.default)
        if value is None and any(other in typed for other in each.instead_of):
            continue
        if value is None:
            raise BadMeasure(f"{family.name} needs {each.name}: it has no default")
        values[each.name] = value
    if given:
        raise BadMeasure(f"{family.name} has no parameter {', '.join(given)}")
    if family.cutoff == "recall":
        return Arguments(values, None, level=float(measure.cutoff or 0))
    return Arguments(values, None if measure.cutoff is None else int(measure.cutoff))


NO, YES = "no", "yes"  # words of a parameter that only says whether: `AUC(interpolated)` is yes
JUDGED_ONLY = Parameter(
    "judged_only",
    "word",
    "leave out unjudged documents, and move the documents below them up",
    default=NO,
    words=(NO, YES),
)
REL = Parameter("rel", "integer", "lowest relevant grade", default=1, at_least=1, at_most=127)
