"""From `-m` to lines of output: trec_eval's names, their parameters and nicknames, and our own.

1. A text with `(` or `@` is one of our measures. Any other is looked up among trec_eval's: a
   nickname (`official`), one line (`P_10`), or a measure with or without parameters (`P.5,10`).
   What trec_eval does not have is read as other tools write it (`Success.10`).
2. Lines come in trec_eval's order, cutoffs ascending, and then those that only we have, in the
   order in which they were asked for.
3. Parameters replace trec_eval's own, also where a nickname asks for the measure too.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Final, Literal, TypeAlias

from scoring.core.measures.aliases import advice, from_other_tools, from_trec_eval, to_trec_eval
from scoring.core.measures.catalogue import FAMILIES, nearest_name
from scoring.core.measures.measure import BadMeasure, Measure, UnknownMeasure
from scoring.core.measures.names import make_measure, parse_measure, rel_of
from scoring.core.measures.trec_eval import ALL_TREC, RELSTRING
from scoring.library.bad_input import BadInput

Kind = Literal["score", "residual", "utility", "levels", "relstring", "runid"]
GainMap: TypeAlias = tuple[tuple[int, float], ...]  # grade, worth


@dataclass(frozen=True)
class Line:
    """One line of output a topic, and one over all topics."""

    label: str  # in trec_eval's text
    name: str  # in tables
    measure: Measure | None = None
    kind: Kind = "score"
    # The four of utility, the recall levels of 11pt_avg, the length of relstring.
    numbers: tuple[float, ...] = ()
    gains: GainMap = ()  # of ndcg.1=3,2=9, in place of the grades
    root: str = ""  # what trec_eval calls it without numbers
    note: str = ""  # how it differs from what another tool calls so

    @property
    def place(self) -> tuple[int, float]:
        """Where trec_eval prints it, cutoffs ascending; last what trec_eval does not have."""
        matched = _NUMBERED.fullmatch(self.label)
        return _PLACE.get(self.root, len(_PLACE)), float(matched[2]) if matched else 0.0


_NUMBERED: Final = re.compile(r"(.+)_([0-9]+(?:\.[0-9]+)?)")
_HUGE: Final = re.compile(r"[@_]([0-9]{10,})$|\(.*=([0-9]{10,})[,)]")
_RBP_OF_RANX: Final = re.compile(r"rbp\.[0-9]{2}", re.IGNORECASE)
_HIGHEST: Final = 999_999_999  # whole number that a measure may have
# What trec_eval computes from preferences, and from the judgments of several groups of assessors.
_PREFERENCES: Final = re.compile(r"(all_)?prefs(_.+)?")
_GROUPS: Final = re.compile(r"(map|P)_avgjg(_[0-9]+)?")
_TREC_PERSISTENCE: Final = 0.9  # of trec_eval's rbp: its name has a default, RBP(p=) has none


def _root(name: str) -> str:
    matched = _NUMBERED.fullmatch(name)
    return matched[1] if matched else name


# What each of trec_eval's measures prints by default; in trec_eval's order.
_PRINTED: Final[dict[str, list[str]]] = {"runid": ["runid"]}
for _name in (*ALL_TREC[:-3], "yaap", "rbp", "rbp_resid", *ALL_TREC[-3:]):
    _PRINTED.setdefault(_root(_name), []).append(_name)

_PLACE: Final = {root: place for place, root in enumerate(_PRINTED)}
_BY_RANK: Final = {"P", "recall", "ndcg_cut", "map_cut", "relative_P", "success", "unj"}
_BY_REAL: Final = {"iprec_at_recall", "Rprec_mult"}
OFFICIAL: Final = (
    *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"),
    *("recip_rank", "iprec_at_recall", "P"),
)
_NICKNAMES: Final[dict[str, Sequence[str]]] = {
    "official": OFFICIAL,
    "all_trec": [root for root in _PRINTED if root not in ("yaap", "rbp", "rbp_resid")],
    "set": [
        *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility"),
        *("set_P", "set_recall", "set_relative_P", "set_map", "set_F"),
    ],
}


def read_measures(texts: Sequence[str], *, rel: int = 1, called: str = "-m") -> tuple[Line, ...]:
    """The lines that are asked for; nothing asks for `official`. `rel` is the default of measures
    that have one, `called` what messages call the argument. Raises BadInput with every text that is
    not understood."""
    asked = _RequestedLines(rel)
    faults = []
    for text in texts or ["official"]:
        try:
            asked.take(text.strip())
        except (BadMeasure, UnknownMeasure, ValueError) as error:
            faults.append(f"{called} {text}: {_of_subtopics(text) or error}")
    if faults:
        raise BadInput(faults)
    return asked.lines()


def _of_subtopics(text: str) -> str:
    """Where a measure of diversity is computed; "" for other texts."""
    diversity = import_module("scoring.core.diversity.measures")  # only mistakes wait for it
    try:
        diversity.parse_diversity_measure(text)
    except (BadMeasure, UnknownMeasure):
        return ""
    return "this needs judgments by subtopic: use `trackside diversity`, in Python ts.diversity"


def single_measures(
    texts: Sequence[str], *, rel: int = 1, called: str = "-m"
) -> tuple[Measure, ...]:
    """The measures of `-m` where only scores are wanted, in the order in which they were asked for.
    Raises BadInput for anything else."""
    faults: list[str] = []
    found: list[Line] = []
    for text in texts:
        try:
            found += read_measures([text], rel=rel, called=called)
        except BadInput as error:
            faults += error.messages
    # ndcg with gains of its own is scored apart from the other measures.
    wrong = [line.label for line in found if line.kind != "score" or line.gains]
    faults += [f"{called} {label}: no single score, it cannot be compared" for label in wrong]
    if faults:
        raise BadInput(faults)
    return tuple(dict.fromkeys(line.measure for line in found if line.measure is not None))


def refuse_huge(text: str) -> None:
    """A number with too many digits is called too large: elsewhere it is taken for none."""
    huge = _HUGE.search(text)
    if huge:
        raise BadMeasure(f"{huge[1] or huge[2]} is too large: write {_HIGHEST} at most")


class _RequestedLines:
    """What has been asked for so far."""

    def __init__(self, rel: int) -> None:
        self._rel = rel
        self._roots: dict[str, None] = {}
        self._given: dict[str, list[Line]] = {}  # lines of measures with parameters
        self._others: list[Line] = []

    def take(self, text: str) -> None:
        refuse_huge(text)
        root, dot, parameters = text.partition(".")
        # First, because rbp has parameters in trec_eval as well, of the form rbp.p=0.8.
        if _RBP_OF_RANX.fullmatch(text):
            line = self._own(f"RBP(p=0.{parameters})")
            note = f"{text} is {line.name}, of binary relevance; ranx multiplies by the grades"
            self._others.append(replace(line, note=note))
        elif "(" in text or "@" in text:
            self._others.append(self._own(text))
        elif _NUMBERED.fullmatch(text) and from_trec_eval(text):
            self._others.append(self._named(text))
        elif root in _NICKNAMES and not dot:
            self._roots |= dict.fromkeys(_NICKNAMES[root])
        elif root in _PRINTED and dot:
            lines = self._with_parameters(root, parameters)
            self._given.setdefault(root, []).extend(replace(line, root=root) for line in lines)
        elif root in _PRINTED:
            self._roots[root] = None
        elif dot and from_other_tools(text) == text:
            raise BadMeasure(f"{root!r} is not a trec_eval measure{_hint(root)}")
        else:
            self._others.append(self._own(text))

    def lines(self) -> tuple[Line, ...]:
        found = [line for lines in self._given.values() for line in lines]
        for root in self._roots:
            if root not in self._given:
                found += [self._named(name) for name in _PRINTED[root]]
        # What is asked for twice is printed once.
        by_label = {line.label: line for line in (*found, *self._others)}
        return tuple(sorted(by_label.values(), key=lambda line: line.place))

    def _own(self, text: str) -> Line:
        """A measure in our own notation, called as trec_eval calls it if it has it."""
        measure = self._parse(text)
        label = str(measure)
        # trec_eval has one level of relevance for all measures, which its labels do not show.
        if rel_of(measure) in (None, self._rel):
            label = to_trec_eval(measure) or label
        return Line(label, str(measure), measure, root=_root(label))

    def _named(self, name: str) -> Line:
        """The line that trec_eval calls so."""
        root = _root(name)
        if name == "runid":
            return Line(name, name, kind="runid", root=root)
        if name == RELSTRING:
            # Ten documents, as trec_eval shows without a parameter.
            return Line(name, name, kind="relstring", numbers=(10,), root=root)
        if name in ("rbp", "rbp_resid"):
            return replace(_rbp_line(name, name, _TREC_PERSISTENCE), root=root)
        measure = self._parse(name)
        return Line(name, str(measure), measure, root=root)

    def _parse(self, text: str) -> Measure:
        try:
            return parse_measure(text, default_rel=self._rel)
        except UnknownMeasure:
            if "(" in text or "@" in text:
                raise
            said = advice(text) or f"there is no measure {text!r}{_hint(text)}"
            raise UnknownMeasure(said) from None

    def _with_parameters(self, root: str, text: str) -> list[Line]:
        if root in _BY_RANK:
            return [self._named(f"{root}_{rank}") for rank in _ranks(text)]
        if root in _BY_REAL:
            found = []
            for value in _distinct(_reals(text)):
                # trec_eval's label has two decimals; the measure keeps what was asked for.
                measure = self._parse(f"{root}_{value:.9f}")
                found.append(Line(f"{root}_{value:.2f}", str(measure), measure))
            return found
        label = f"{root}_{text}"
        if root == "set_F":
            (beta,) = _so_many(_reals(text), 1, "one number, for example set_F.0.5")
            measure = make_measure("SetF", rel=self._rel, beta=beta)
            return [Line(label, str(measure), measure)]
        if root == "utility":
            numbers = _so_many(_reals(text), 4, "four numbers, for example utility.1,-1,0,0")
            return [Line(label, label, self._parse(root), "utility", numbers)]
        if root == "11pt_avg":
            measure = self._parse(root)
            return [Line(label, label, measure, "levels", tuple(_levels(text)))]
        if root == RELSTRING:
            (length,) = _so_many(_ranks(text), 1, "one length, for example relstring.20")
            return [Line(label, label, kind="relstring", numbers=(length,))]
        if root == "ndcg":
            return [Line(label, label, make_measure("nDCG", gain="map"), gains=_gains(text))]
        if root in ("rbp", "rbp_resid") and text.startswith("p="):
            return [_rbp_line(root, label, _real(text[2:]))]
        raise BadMeasure(f"{root} has no parameters here")


def _rbp_line(root: str, label: str, persistence: float) -> Line:
    """Graded, as trec_eval means it; by our definition, as its own is faulty."""
    measure = make_measure("RBP", p=persistence, gain="map")
    return Line(label, str(measure), measure, "residual" if root == "rbp_resid" else "score")


def _hint(name: str) -> str:
    if name.lower() in ("all", "trec"):
        return "; did you mean all_trec (all of trec_eval's) or official (the usual ones)?"
    if _PREFERENCES.fullmatch(name):
        return ": Trackside reads no preferences. Use trec_eval for its prefs measures"
    if _GROUPS.fullmatch(name):
        return f": compute {name.partition('_')[0]} from the judgments of each group by itself"
    known = [family.name for family in FAMILIES] + [*_PRINTED, *_NICKNAMES]
    nearest = nearest_name(name, known)
    return f"; did you mean {nearest}?" if nearest else ""


def _real(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadMeasure(f"{text!r} is not a number") from None


def _reals(text: str) -> list[float]:
    return [_real(part.strip()) for part in text.split(",")]


def _levels(text: str) -> list[float]:
    levels = _reals(text)
    for level in levels:
        if not 0 <= level <= 1:
            raise BadMeasure(f"a recall level lies in 0..1, not {level:g}")
    return levels


def _ranks(text: str) -> list[int]:
    """As trec_eval reads them: what follows a decimal point is left out."""
    ranks = []
    for part in text.split(","):
        whole = re.sub(r"\.[0-9]*$", "", part.strip(), count=1)
        if re.fullmatch(r"[0-9]{10,}", whole, re.ASCII):
            raise BadMeasure(f"{whole} is too large: write {_HIGHEST} at most")
        if not re.fullmatch(r"[0-9]{1,9}", whole, re.ASCII) or int(whole) < 1:
            raise BadMeasure(f"{part!r} is not a whole number above 0")
        ranks.append(float(whole))
    return [int(rank) for rank in _distinct(ranks)]


def _distinct(values: list[float]) -> list[float]:
    if len(set(values)) < len(values):
        raise BadMeasure("a cutoff is given twice")
    return sorted(values)


def _so_many(values: Sequence[float], count: int, what: str) -> tuple[float, ...]:
    if len(values) != count:
        raise BadMeasure(f"it takes {what}")
    return tuple(values)


def _gains(text: str) -> GainMap:
    """`1=3,2=9,4=4.5`: grades that are not named keep their own value."""
    gains: dict[int, float] = {}
    for part in text.split(","):
        grade, equals, gain = part.partition("=")
        if not equals and part.isdigit():
            raise BadMeasure(
                f"{part!r} is not a gain such as 1=3 in ndcg.1=3,2=9; "
                f"for a cutoff write ndcg_cut.{part}"
            )
        if not re.fullmatch(r"[0-9]{1,3}", grade, re.ASCII) or int(grade) > 127 or not gain:
            raise BadMeasure(f"{part!r} is not of the form grade=gain, as in ndcg.1=3,2=9")
        gains[int(grade)] = _real(gain)
        if not 0 <= gains[int(grade)] < float("inf"):
            raise BadMeasure(f"{part!r}: a gain must not be negative")
    return tuple(sorted(gains.items()))
