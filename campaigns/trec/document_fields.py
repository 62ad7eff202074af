"""Fields of documents, where several could be the id or the text: a person has to say which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, BinaryIO, Final

from campaigns.trec.csv_rows import table_rows
from campaigns.trec.documents import MAX_BYTES, table_of, text_lines
from campaigns.trec.documents_checks import ID_NAMES, TEXT_NAMES
from campaigns.trec.documents_json import json_objects, json_record, paragraphs_of
from campaigns.trec.problems import ProblemList

LOOKED_AT: Final = 20  # documents at the beginning of a file
SHOWN_ROWS: Final = 3
SHOWN_CHARACTERS: Final = 200
# Ids of passages: others are those of the documents that they are from.
OF_PASSAGES: Final = ID_NAMES[: ID_NAMES.index("doc_id")]

Record = Mapping[str, str]


@dataclass(frozen=True)
class AmbiguousFields:
    """Names of which one must be chosen, none if there is no question, and their values in the
    first documents."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    rows: tuple[Record, ...]


def ambiguous_fields(
    source: BinaryIO | bytes, *, max_bytes: int = MAX_BYTES, max_seconds: float | None = None
) -> AmbiguousFields | None:
    """Looks at the first documents in JSON or in a table with a header. None if they leave no
    question, also where they are faulty. Raises FormatError: another type of file, TOO_SLOW."""
    lines = text_lines(source, ProblemList(), max_bytes=max_bytes, max_seconds=max_seconds)
    records = list(islice(_records(lines), LOOKED_AT))
    ids, texts = _ids(records), _texts(records)
    if not ids and not texts:
        return None
    rows = [
        {name: record.get(name, "")[:SHOWN_CHARACTERS] for name in (*ids, *texts)}
        for record in records[:SHOWN_ROWS]
    ]
    return AmbiguousFields(ids, texts, tuple(rows))


def _records(lines: Iterator[tuple[int, str]]) -> Iterator[Record]:
    for number, line in lines:
        if not line.strip():
            continue
        if line.lstrip().startswith(("{", "[")):
            for _, text in islice(json_objects((number, line), lines), LOOKED_AT + 1):
                with suppress(ValueError):
                    yield _texts_of(json_record(text))
        elif (table := table_of(line, number)) and table.names:
            for row in islice(table_rows(lines, table.separator), LOOKED_AT):
                if len(row.cells) == len(table.names):
                    yield dict(zip(table.names, row.cells, strict=True))
        return


def _texts_of(record: Mapping[str, Any]) -> Record:
    texts = {name: value for name, value in record.items() if isinstance(value, str)}
    for name in TEXT_NAMES:
        with suppress(ValueError):  # else it is told when the documents are read
            texts[name] = paragraphs_of(record, name)
    return texts


def _ids(records: list[Record]) -> tuple[str, ...]:
    """Names that all records have, and whose values differ."""
    known = [name for name in ID_NAMES if records and all(each.get(name) for each in records)]
    if any(name in known for name in OF_PASSAGES):
        return ()
    # Of names with the same values the first.
    columns = {tuple(each[name].strip() for each in records): name for name in reversed(known)}
    return tuple(name for name in known if name in columns.values()) if len(columns) > 1 else ()


def _texts(records: list[Record]) -> tuple[str, ...]:
    """Names that have a text, if a record has two."""
    known = [name for name in TEXT_NAMES if any(each.get(name, "").strip() for each in records)]
    has_two = any(
        len({each[name].strip() for name in known if each.get(name, "").strip()}) > 1
        for each in records
    )
    return tuple(known) if has_two else ()
