"""Topics and documents in the layouts that `trackside convert` writes. Reading them gives the same
topics and documents, except where a writer says what its layout lacks."""

import csv
import html
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import BinaryIO, Final, TypeAlias

from campaigns.trec.documents import read_documents
from campaigns.trec.documents_checks import ParsedDocument
from campaigns.trec.problems import FormatError, shown
from campaigns.trec.topics import topics_xml_blocks
from campaigns.trec.topics_checks import ParsedTopic, query_field, squeezed
from campaigns.trec.topics_text import LABELS
from scoring.cli.opening_topics import read_many_topics
from scoring.library.bad_input import BadInput

Warn: TypeAlias = Callable[[str], None]
Topics: TypeAlias = Sequence[ParsedTopic]
Documents: TypeAlias = Iterable[ParsedDocument]

TOPIC_ID: Final = "query_id"
DOCUMENT_NAMES: Final = ("doc_id", "title", "text")
BEIR_ID, BEIR_TEXT = "_id", "text"
_LABELLED: Final = {"num": "Number:", "title": "Topic:", "desc": "Description:",
                    "narr": "Narrative:"}  # fmt: skip


# --- topics --------------------------------------------------------------------------------------


def write_topics(topics: Topics, layout: str, warn: Warn) -> bytes:
    """Raises BadInput for a topic that would be another one when it is read again, because of a
    name or a text that the layout cannot hold."""
    written = _written(topics, layout, warn)
    kept = [
        ParsedTopic(each.code, (query_field(each.fields),) if each.fields else ())
        for each in topics
    ]
    expected = kept if layout == "msmarco" else topics
    # A text with line breaks or tags can also be read as more topics, or none.
    for topic, again in zip_longest(expected, _read_again(written)):
        if again is None or topic is None or not _is_same(topic, again):
            code = topic.code if topic else again.code
            what = _what_is_lost(topic, layout) if topic else "a name or a text"
            message = f"topic {code} has {what}, which this layout cannot hold. Use --to xml"
            raise BadInput([f"--to {layout}: {message}"])
    return written


def _written(topics: Topics, layout: str, warn: Warn) -> bytes:
    written = io.BytesIO()
    TOPIC_LAYOUTS[layout](topics, written, warn)
    return written.getvalue()


def _read_again(written: bytes) -> Topics:
    try:
        return read_many_topics(written)
    except FormatError:
        return ()


def _what_is_lost(topic: ParsedTopic, layout: str) -> str:
    for name, count in Counter(name for name, _ in topic.fields).items():
        if count > 1:
            return f"{count} fields '{shown(name)}'"
    for name, text in topic.fields:
        # A second one, because a single field may have another name.
        one = ParsedTopic(
            topic.code, ((name, text), ("title" if name == "query" else "query", "x"))
        )
        again = _read_again(_written([one], layout, lambda _: None))
        if len(again) != 1 or not _is_same(one, again[0]):
            return f"the field '{shown(name)}'"
    return "a name or a text"


def _is_same(topic: ParsedTopic, again: ParsedTopic) -> bool:
    """The columns of a table may be in another order; a single field may have another name."""
    texts = [[text for _, text in each.fields] for each in (topic, again)]
    is_one = texts[0] == texts[1] and len(texts[0]) == 1
    return topic.code == again.code and (is_one or sorted(topic.fields) == sorted(again.fields))


def _topics_trec(topics: Topics, target: BinaryIO, _: Warn) -> None:
    for topic in topics:
        lines = ["<top>", f"<num> Number: {topic.code}"]
        for name, text in topic.fields:
            # The reader takes one label away: a text that begins with one needs another.
            is_label = name in LABELS and LABELS[name].match(text)
            label = f"{_LABELLED[name]} " if name in ("desc", "narr") or is_label else ""
            lines.append(f"<{name}> {label}{text}")
        target.write(_encoded("\n".join([*lines, "</top>\n\n"])))


def _topics_xml(topics: Topics, target: BinaryIO, _: Warn) -> None:
    target.writelines(map(_encoded, topics_xml_blocks(topics)))


def _topics_jsonl(topics: Topics, target: BinaryIO, _: Warn) -> None:
    """As BEIR's `queries.jsonl`. The only field of topics with one is called text."""
    is_plain = all(len(topic.fields) == 1 for topic in topics)
    for topic in topics:
        fields = {BEIR_TEXT: topic.fields[0][1]} if is_plain else dict(topic.fields)
        target.write(_json_line({BEIR_ID: topic.code} | fields))


def _topics_tsv(topics: Topics, target: BinaryIO, _: Warn) -> None:
    rows = ("\t".join(row) + "\n" for row in _topic_rows(topics))
    target.writelines(map(_encoded, rows))


def _topics_csv(topics: Topics, target: BinaryIO, _: Warn) -> None:
    _write_csv(_topic_rows(topics), target)


def _topics_msmarco(topics: Topics, target: BinaryIO, warn: Warn) -> None:
    """As `queries.tsv`: only the query."""
    name = next((query_field(topic.fields)[0] for topic in topics if len(topic.fields) > 1), "")
    if name:
        warn(f"only one field of each topic is written, such as {name}")
    for topic in topics:
        target.write(_encoded(f"{topic.code}\t{query_field(topic.fields)[1]}\n"))


def _topic_rows(topics: Topics) -> Iterator[Sequence[str]]:
    """The header, and a row for each topic."""
    names = list(dict.fromkeys(name for topic in topics for name, _ in topic.fields))
    yield TOPIC_ID, *names
    for topic in topics:
        fields = dict(topic.fields)
        yield topic.code, *(fields.get(name, "") for name in names)


# --- documents -----------------------------------------------------------------------------------


def _documents_trec(documents: Documents, target: BinaryIO, _: Warn) -> None:
    """Line breaks within a paragraph become spaces when it is read."""
    for each in documents:
        parts = (each.doc_id, each.title, each.text)
        # Quotes have a meaning only within tags.
        doc_id, title, text = (html.escape(part, quote=False) for part in parts)
        target.write(
            _encoded(
                f"<DOC>\n<DOCNO>{doc_id}</DOCNO>\n<TITLE>{title}</TITLE>\n"
                f"<TEXT>\n{text}\n</TEXT>\n</DOC>\n"
            )
        )


def _documents_jsonl(documents: Documents, target: BinaryIO, _: Warn) -> None:
    """As BEIR's `corpus.jsonl`."""
    for each in documents:
        row = {BEIR_ID: each.doc_id, "title": each.title, BEIR_TEXT: each.text}
        target.write(_json_line(row))


def _documents_tsv(documents: Documents, target: BinaryIO, _: Warn) -> None:
    target.write(_encoded("\t".join(DOCUMENT_NAMES) + "\n"))
    for each in documents:
        target.write(_encoded(f"{each.doc_id}\t{each.title}\t{squeezed(each.text)}\n"))


def _documents_csv(documents: Documents, target: BinaryIO, _: Warn) -> None:
    rows = ((each.doc_id, each.title, squeezed(each.text)) for each in documents)
    _write_csv(rows, target, DOCUMENT_NAMES)


def _documents_msmarco(documents: Documents, target: BinaryIO, warn: Warn) -> None:
    """As `collection.tsv`: no titles. Raises BadInput if the first line would be taken for another
    format, or for a header."""
    titles = 0
    for number, each in enumerate(documents):
        titles += bool(each.title)
        line = _encoded(f"{each.doc_id}\t{squeezed(each.text)}\n")
        if number == 0 and not _is_read_as(line, each.doc_id):
            message = (
                f"a file that begins with document {shown(each.doc_id)} would be read otherwise"
            )
            raise BadInput([f"--to msmarco: {message}. Use --to jsonl"])
        target.write(line)
    if titles:
        warn(f"{titles:,} titles are left out: this layout has none")


def _is_read_as(line: bytes, doc_id: str) -> bool:
    try:
        return [each.doc_id for each in read_documents(line)] == [doc_id]
    except FormatError:
        return False


def _write_csv(
    rows: Iterable[Sequence[str]], target: BinaryIO, header: Sequence[str] | None = None
) -> None:
    text = io.TextIOWrapper(target, "utf-8", newline="", write_through=True)
    writer = csv.writer(text, lineterminator="\n")
    if header is not None:
        writer.writerow(header)
    writer.writerows(rows)
    # Else the wrapper would close the target when it is collected.
    text.detach()


def _json_line(row: Mapping[str, str]) -> bytes:
    return _encoded(json.dumps(row, ensure_ascii=False) + "\n")


def _encoded(text: str) -> bytes:
    return text.encode()


TOPIC_LAYOUTS: Final[dict[str, Callable[[Topics, BinaryIO, Warn], None]]] = {
    "trec": _topics_trec,
    "xml": _topics_xml,
    "tsv": _topics_tsv,
    "csv": _topics_csv,
    "jsonl": _topics_jsonl,
    "msmarco": _topics_msmarco,
}
DOCUMENT_LAYOUTS: Final[dict[str, Callable[[Documents, BinaryIO, Warn], None]]] = {
    "trec": _documents_trec,
    "tsv": _documents_tsv,
    "csv": _documents_csv,
    "jsonl": _documents_jsonl,
    "msmarco": _documents_msmarco,
}
