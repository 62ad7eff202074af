"""The error messages for lines of a run."""

from __future__ import annotations

import re

from campaigns.trec.blocks import unseen_name
from campaigns.trec.fields import DECIMAL, Fields
from campaigns.trec.foreign import FORM_OF_JSON, HEADER, WORDS_OF_A_HEADER
from campaigns.trec.names import composed, name_fault
from campaigns.trec.problems import Problem, shown

RUN_WIDTH = 6
MS_MARCO_WIDTH = 3
LITERAL, RANK, SCORE, TAG = 1, 3, 4, 5  # columns, from 0
TAG_FORM = re.compile(rb"[!-~\x80-\xff]+")  # tools write anything but white space
TAG_BYTES = 64
ENDING = re.compile(r"\.(?:gz|txt|jsonl?|tsv|csv|run|res|trec|parquet|out)$", re.IGNORECASE)
NUMBER = DECIMAL.pattern
QRELS_LINE = re.compile(rb"\S+ \S+ \S+ -?\d+")
WITHOUT_TAG = re.compile(rb"\S+ \S+ \S+ \S+ " + NUMBER)
WITHOUT_Q0 = re.compile(rb"\S+ \S+ -?\d+ " + NUMBER + rb" \S+")
OF_TREC_EVAL = re.compile(rb"\S+ all \S+")
PRELS_LINE = re.compile(rb"\S+ (?!Q0 )\S+ -?[0-9]+ [0-9] (?:0?\.[0-9]+|[01](?:\.0+)?)")
NAME_OF_COLUMN = re.compile(rb"\b(?:q|query_?|topic_?)id\b|\bdoc_?(?:no|id)\b", re.IGNORECASE)
COMMENTED_RUN_LINE = re.compile(rb"#\S+\s+\S+\s+\S+\s+-?\d+\s+" + NUMBER + rb"\s+\S+")
INTEGER = re.compile(rb"-?\d+")
DECIMAL_COMMA = re.compile(rb"[+-]?\d+,\d+")
THOUSANDS_COMMA = re.compile(rb"[+-]?\d{1,3}(?:,\d{3})+\.\d+")
HEXADECIMAL = re.compile(rb"[+-]?0[xX][0-9a-fA-F.]+(?:[pP][+-]?\d+)?")
NOT_FINITE = re.compile(rb"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)


def run_hint(parts: list[bytes], line: int) -> str:
    """What a line with another number of fields may be."""
    hint = _foreign_hint(parts[0], b" ".join(parts)) or _short_hint(parts) or _long_hint(parts)
    # Before the general header: these words would match it.
    if not hint and line == 1 and parts[:2] == [b"query-id", b"corpus-id"]:
        return "this looks like qrels of BEIR"
    if not hint and line == 1 and all(WORDS_OF_A_HEADER.fullmatch(part) for part in parts):
        return HEADER
    return hint


def _short_hint(parts: list[bytes]) -> str:
    """Of a line with fewer fields than a run has."""
    width, text = len(parts), b" ".join(parts)
    if 1 < width < TAG and parts[1] == b"Q0":
        return "the line is cut: a run has topic, Q0, document, rank, score and tag"
    known = (
        (PRELS_LINE, "this looks like prels (judgments with probabilities)"),
        (QRELS_LINE, "this looks like a qrels file"),
        (WITHOUT_TAG, "the run tag is missing"),
        (WITHOUT_Q0, "the second field, Q0, is missing"),
        (OF_TREC_EVAL, "this looks like the output of trec_eval, which has no documents"),
    )
    hint = next((hint for pattern, hint in known if pattern.fullmatch(text)), "")
    if not hint and width == MS_MARCO_WIDTH and INTEGER.fullmatch(parts[-1]):
        return (
            "this looks like MS MARCO's form (query, document, rank) or qrels of BEIR; a run has "
            "topic, Q0, document, rank, score and tag"
        )
    return hint


def _long_hint(parts: list[bytes]) -> str:
    """Of a line with more."""
    width = len(parts)
    # The tag of one line and the topic of the next have become one field.
    if width == 2 * RUN_WIDTH - 1 and parts[RUN_WIDTH] == b"Q0":
        return "two lines are joined here: a line break is missing"
    if width > RUN_WIDTH and INTEGER.fullmatch(parts[-3]) and DECIMAL.fullmatch(parts[-2]):
        return "the document id contains a space, or the run tag does: write them without spaces"
    if width > RUN_WIDTH and INTEGER.fullmatch(parts[RANK]) and DECIMAL.fullmatch(parts[SCORE]):
        return (
            "the run tag contains spaces, or text follows it: write one tag without spaces, and "
            "nothing after it"
        )
    return ""


def _foreign_hint(first: bytes, text: bytes) -> str:
    """The format that the line may have instead."""
    if first.startswith((b"<!", b"<html", b"<HTML", b"<?", b"<head", b"<body")):
        return "this looks like an HTML or XML page"
    if first.startswith((b"{", b"[")):
        return f"this looks like JSON: {FORM_OF_JSON}"
    if text.count(b",") > 1 and NAME_OF_COLUMN.search(text):
        return "this looks like CSV: its header is the first line and has qid,docno,score once each"
    if text.count(b",") > 1:
        return "this looks like CSV: begin with a header, such as qid,docno,score"
    if first.startswith((b'"', b"'")):
        return "remove the quotes"
    return ""


def _quotes_hint(fields: Fields, row: int) -> str:
    """What the whole line says about a wrong number."""
    rank, score = fields.text(row, RANK), fields.text(row, SCORE)
    if rank[:1] in (b'"', b"'") or score[:1] in (b'"', b"'"):
        return ": remove the quotes"
    return ""


def score_problem(fields: Fields, row: int) -> Problem:
    """The problem of a field 5 that is not a score."""
    text = fields.text(row, SCORE)
    message = "score is not a decimal number" + _quotes_hint(fields, row)
    if NOT_FINITE.fullmatch(text):
        message = "score is not finite"
    elif DECIMAL.fullmatch(text):
        message = "score is too large for a double"
    elif THOUSANDS_COMMA.fullmatch(text):
        message = "score is not a decimal number: write it without a comma for thousands"
    elif DECIMAL_COMMA.fullmatch(text):
        message = "score is not a decimal number: write a point, not a comma"
    elif HEXADECIMAL.fullmatch(text):
        message = "score is hexadecimal: write it in decimal"
    return Problem("SCORE", int(fields.lines[row]), message, SCORE + 1, shown(text))


def rank_problem(fields: Fields, row: int) -> Problem:
    """The problem of a field 4 that is not a rank."""
    text = fields.text(row, RANK)
    message = "rank is not a whole number" + _quotes_hint(fields, row)
    if INTEGER.fullmatch(text):
        message = "rank has more than 8 digits"
    return Problem("RANK", int(fields.lines[row]), message, RANK + 1, shown(text))


def tag_problem(
    tag: bytes, line: int, max_bytes: int = TAG_BYTES, *, is_name: bool = False
) -> Problem | None:
    """The problem of a run tag, which may become the name of the run; None if it is valid."""
    message = ""
    if len(tag) > max_bytes:
        message = f"tag of {len(tag):,} bytes, at most {max_bytes:,} allowed"
    elif not TAG_FORM.fullmatch(tag):
        message = "tag is empty, or contains white space or a control character"
    elif name := unseen_name(tag):
        message = f"tag contains {name}"
    elif is_name and (fault := name_fault(composed(tag.decode()))):
        message = (
            f"{fault}: submit the file with another run name (field Run name; in the API, name; in "
            "a table of imported runs, run_name), or change the tag"
        )
    return Problem("TAG", line, message, TAG + 1, shown(tag)) if message else None


def tag_of_file(name: str) -> str:
    """A tag made of the name of a file, without its folder and the endings that say its format. It
    can name a run. Empty if nothing is left."""
    stem = re.split(r"[/\\]", name)[-1]
    while ending := ENDING.search(stem):
        stem = stem[: ending.start()]
    legal = "".join(each if each.isprintable() and not each.isspace() else "_" for each in stem)
    # What `name_fault` refuses in names.
    legal = re.sub(r"%|\.{2,}", "_", re.sub(r"^[\W_]+", "", legal))
    return legal.encode("utf-8", "replace")[:TAG_BYTES].decode("utf-8", "ignore").strip("._")


def other_tag_problem(fields: Fields, row: int, tag: bytes, first_line: int) -> Problem:
    """The problem of a second tag in one file."""
    message = f"tag differs from '{shown(tag)}' on line {first_line}: one file contains one run"
    line = int(fields.lines[row])
    return Problem("TAG", line, message, TAG + 1, shown(fields.text(row, TAG)))
