"""Documents as they are written and as they are kept, and the rules for all formats."""

from __future__ import annotations

from dataclasses import dataclass

from campaigns.trec.blocks import unseen_name
from campaigns.trec.problems import Problem, ProblemList, shown
from campaigns.trec.topics_checks import FORBIDDEN, MEANT, REMAINS, WINDOWS_1252

DOC_ID_BYTES = 1024
TITLE_CHARACTERS = 500
TEXT_CHARACTERS = 1 << 20
# The first that a document has. A passage of MS MARCO has the id of its document, too.
ID_NAMES = (
    *("passage_id", "pid", "segment_id", "chunk_id", "paragraph_id", "para_id"),
    *("doc_id", "docno", "docid", "id", "_id", "corpus_id", "document_id", "did"),
    *("cord_uid", "paper_id"),
)
TEXT_NAMES = (
    "text", "body", "contents", "content", "segment", "passage", "paragraph", "article",
    "body_text", "full_text", "fulltext", "document", "abstract",
)  # fmt: skip


@dataclass(frozen=True)
class ParsedDocument:
    """One document; its id is text, as in runs."""

    doc_id: str
    title: str
    text: str


@dataclass(frozen=True)
class RawDocument:
    """A document as written in the file, unchecked."""

    line: int
    doc_id: str
    title: str
    text: str


@dataclass(frozen=True)
class FieldNames:
    """Names of the fields in JSON and in tables, in lower case and with underscores: the first that
    a document has is taken, of the texts the first that is not empty."""

    doc_id: tuple[str, ...] = ID_NAMES
    text: tuple[str, ...] = TEXT_NAMES


def field_name(name: str) -> str:
    """A key or a header as `FieldNames` has it."""
    return name.strip().lower().replace("-", "_")


def document_problem(raw: RawDocument, seen: dict[str, int]) -> Problem | None:
    """`seen` has the ids before it with their lines."""
    doc_id, message = raw.doc_id, ""
    if not doc_id:
        message = "the document has no id, such as <DOCNO>, or a field doc_id, docno or id"
        return Problem("FIELDS", raw.line, message)
    if doc_id in seen:
        message = f"the document is already on line {seen[doc_id]}"
        return Problem("DUP", raw.line, message, None, shown(doc_id))
    if any(char.isspace() for char in doc_id):
        message = "the document id contains white space"
    elif FORBIDDEN.search(doc_id) or unseen_name(doc_id.encode()):
        message = "the document id contains an invisible character"
    elif len(doc_id.encode()) > DOC_ID_BYTES:
        message = f"the document id is longer than {DOC_ID_BYTES:,} bytes"
    if message:
        return Problem("INVISIBLE", raw.line, message, None, shown(doc_id))
    if len(raw.text) > TEXT_CHARACTERS:
        message = f"the text is longer than {TEXT_CHARACTERS:,} characters"
        return Problem("TOO_BIG", raw.line, message, None, shown(doc_id))
    return None


def checked_document(raw: RawDocument, findings: ProblemList) -> ParsedDocument:
    """The document with texts that a page may carry. A warning goes to `findings`."""
    title, text = raw.title, raw.text
    if REMAINS.search(title) or REMAINS.search(text):
        findings.warn("WINDOWS_1252", WINDOWS_1252, line=raw.line, value=raw.doc_id)
        # Before FORBIDDEN takes these characters out.
        title, text = title.translate(MEANT), text.translate(MEANT)
    title = FORBIDDEN.sub(" ", title).strip()[:TITLE_CHARACTERS]
    return ParsedDocument(raw.doc_id, title, FORBIDDEN.sub(" ", text).strip())
