"""The file of a sample: which documents people judge, and with which probabilities."""

import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Final

from campaigns.trec.compression import read_text
from campaigns.trec.csv_rows import NO_ROW, csv_rows, separator_of
from campaigns.trec.problems import Problem, ProblemList, refuse, shown
from scoring.library.table import Table

COLUMNS: Final = ("topic", "doc_id", "stratum", "documents", "probability", "joint_probability")
_MAX_BYTES: Final = 1 << 28
_CLOSE: Final = 1e-9


@dataclass(frozen=True)
class SampledDocument:
    """One line. A stratum has two of them; stratum 0 are those judged for certain."""

    line: int
    topic: str
    doc_id: str
    stratum: int
    documents: int  # of the topic, from which the sample was drawn
    probability: float
    joint: float  # that both documents of the stratum are drawn


def sample_of_table(table: Table) -> list[SampledDocument]:
    """What `trackside.sample` returned. Raises FormatError; the lines are those of its CSV."""
    return read_sample(io.BytesIO(table.to_csv().encode()))


def read_sample(source: BinaryIO) -> list[SampledDocument]:
    """CSV with the columns of `trackside sample`, in any order. Plain or gzipped. Raises
    FormatError with the first 25 problems and the number of all."""
    findings = ProblemList()
    with findings.gathered():
        text = read_text(source, findings, max_bytes=_MAX_BYTES)
        lines = csv_rows(text, separator_of(text))
        header = [cell.strip() for cell in next(lines, NO_ROW).cells]
        rows = [(row.line, row.cells) for row in lines if row.cells]
        missing = [name for name in COLUMNS if name not in header]
        if missing:
            refuse("FIELDS", f"no column {missing[0]}: give the output of trackside sample", 1)
        places = {name: header.index(name) for name in COLUMNS}
        found = [each for row in rows if (each := _document(*row, places, len(header), findings))]
        if not rows:
            refuse("EMPTY", "the file has no sampled document")
        for problem in _contradictions(found):
            findings.add(problem)
    return found


def _document(
    line: int, cells: Sequence[str], places: Mapping[str, int], width: int, findings: ProblemList
) -> SampledDocument | None:
    if len(cells) != width:
        message = f"{len(cells)} fields, expected {width} as in the first row"
        findings.add(Problem("FIELDS", line, message))
        return None
    values = {name: cells[place].strip() for name, place in places.items()}
    faults = list(_faults(values))
    for name, message in faults:
        findings.add(Problem("TABLE", line, message, places[name] + 1, shown(values[name])))
    if faults:
        return None
    return SampledDocument(
        line,
        values["topic"],
        values["doc_id"],
        int(values["stratum"]),
        int(values["documents"]),
        float(values["probability"]),
        float(values["joint_probability"]),
    )


def _faults(values: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in ("topic", "doc_id"):
        if not values[name]:
            yield name, f"{name} is empty"
    for name in ("stratum", "documents"):
        # Nine digits fit into an int32.
        if not (values[name].isascii() and values[name].isdigit() and len(values[name]) < 10):
            yield name, f"{name} is not a whole number"
    for name in ("probability", "joint_probability"):
        if not 0 < _number(values[name]) <= 1:
            yield name, f"{name} does not lie in 0 < probability <= 1"


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _contradictions(found: Sequence[SampledDocument]) -> Iterator[Problem]:
    seen: dict[tuple[str, str], int] = {}
    strata: dict[int, list[SampledDocument]] = {}
    documents: dict[str, int] = {}
    for each in found:
        first = seen.setdefault((each.topic, each.doc_id), each.line)
        if first != each.line:
            message = f"the document is sampled twice in its topic, first in line {first}"
            yield Problem("DUP", each.line, message, None, shown(each.doc_id))
        if documents.setdefault(each.topic, each.documents) != each.documents:
            yield Problem("TABLE", each.line, "documents differs within the topic")
        if each.stratum:
            strata.setdefault(each.stratum, []).append(each)
        elif each.probability != 1:
            yield Problem("TABLE", each.line, "stratum 0 is judged for certain: probability 1")
    for members in strata.values():
        yield from _stratum_fault(members)


def _stratum_fault(members: Sequence[SampledDocument]) -> Iterator[Problem]:
    first, last = members[0], members[-1]
    stratum = f"stratum {first.stratum}"
    if len(members) != 2:
        message = f"{stratum} has {len(members)} documents here: two are sampled of each"
        yield Problem("TABLE", last.line, message)
    elif first.topic != last.topic:
        yield Problem("TABLE", last.line, f"{stratum} has documents of two topics")
    elif first.joint != last.joint:
        yield Problem("TABLE", last.line, f"{stratum} has two joint probabilities")
    elif first.joint > first.probability * last.probability + _CLOSE:
        message = f"{stratum}: the joint probability is above the product of the two"
        yield Problem("TABLE", last.line, message)
