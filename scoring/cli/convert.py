"""`trackside convert`: runs, qrels, topics and documents from one layout to another."""

import argparse
import csv
import gzip
import io
import json
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from tempfile import TemporaryFile
from typing import BinaryIO, Final, TypeAlias

import numpy as np

from campaigns.trec.columns import LONGEST_NAME
from campaigns.trec.compression import plain_blocks
from campaigns.trec.document_fields import ambiguous_fields
from campaigns.trec.documents import read_documents
from campaigns.trec.documents_checks import ParsedDocument
from campaigns.trec.layouts import are_qrels
from campaigns.trec.problems import ProblemList
from campaigns.trec.qrels import ParsedQrels, read_qrels, write_qrels
from campaigns.trec.run_faults import tag_problem
from campaigns.trec.run_metadata import metadata_lines
from campaigns.trec.runs import ParsedRun, ranks_of, read_run, write_run
from scoring.cli.opening import read_file
from scoring.cli.opening_topics import open_topics
from scoring.cli.streams import STANDARD_INPUT
from scoring.cli.text_layouts import DOCUMENT_LAYOUTS, TOPIC_LAYOUTS, Warn, write_topics
from scoring.library.bad_input import BadInput
from scoring.library.sources import Qrels, Run

Names: TypeAlias = tuple[str, str, str]

_RUN_NAMES: Final = ("qid", "docno", "score")
_QRELS_NAMES: Final = ("qid", "docno", "label")
_BEIR_NAMES: Final = ("query-id", "corpus-id", "score")  # also of MTEB, in JSON lines
LAYOUTS: Final = {
    "run": ("trec", "json", "tsv", "csv", "jsonl", "msmarco"),
    "qrels": ("trec", "json", "tsv", "csv", "jsonl", "msmarco"),
    "topics": tuple(TOPIC_LAYOUTS),
    "documents": tuple(DOCUMENT_LAYOUTS),
}
NAMES: Final = {"run": "runs", "qrels": "qrels", "topics": "topics", "documents": "documents"}
HINT: Final = (
    "This was read as a run. For qrels, topics and documents add --qrels, --topics or --documents."
)
CHANGES: Final = ("RANKS", "UNDERFLOW", "TAG_OF_FILE")  # warnings of what is not in the file


def run(options: argparse.Namespace) -> int:
    # Documents can take gigabytes; the others are in memory anyway.
    with TemporaryFile() if options.kind == "documents" else io.BytesIO() as written:
        _write(options, written)
        written.seek(0)
        if options.output is None:
            # As text, because standard output may have another encoding.
            text = io.TextIOWrapper(written, "utf-8", newline="")
            shutil.copyfileobj(text, sys.stdout)
            return 0
        try:
            is_packed = options.output.endswith(".gz")
            with (gzip.open if is_packed else open)(options.output, "wb") as file:
                shutil.copyfileobj(written, file)
        except OSError as error:
            raise BadInput([f"{options.output}: {error.strerror or error}"]) from None
    return 0


def _write(options: argparse.Namespace, target: BinaryIO) -> None:
    """Nothing is printed before the whole file was read and found good."""
    kind = options.kind or "run"
    if options.to not in LAYOUTS[kind]:
        known = ", ".join(LAYOUTS[kind])
        raise BadInput([f"--to {options.to}: no layout of {NAMES[kind]}. Use one of: {known}"])
    if kind in ("topics", "documents"):
        if options.tag is not None:
            raise BadInput([f"--tag: {kind} have no tag"])
        if kind == "topics":
            warn = partial(_warn, options.run)
            target.write(write_topics(open_topics(options.run), options.to, warn))
        else:
            _write_documents(options, target)
        return
    try:
        name = "" if options.run == STANDARD_INPUT else options.run
        read = partial(_read, is_qrels=kind == "qrels", name=name)
        parsed, metadata = read_file(options.run, read)
    except BadInput as error:
        hint = [] if options.kind else [HINT]
        raise BadInput([*error.messages, *hint]) from None
    if isinstance(parsed, ParsedQrels):
        _write_qrels(options, parsed, target)
    else:
        _write_run(options, parsed, metadata, target)


def _write_documents(options: argparse.Namespace, target: BinaryIO) -> None:
    write, warn = DOCUMENT_LAYOUTS[options.to], partial(_warn, options.run)
    findings = ProblemList()

    def convert(file: BinaryIO) -> None:
        with TemporaryFile() as copy:
            if not file.seekable():  # it is read twice
                shutil.copyfileobj(file, copy)
                file = copy
            file.seek(0)
            fields = ambiguous_fields(file)
            if fields and fields.ids:
                warn(f"{', '.join(fields.ids)} could be the id: {fields.ids[0]} was taken")
            if fields and fields.texts:
                names = ", ".join(fields.texts)
                warn(f"{names} could be the text: the first that has one was taken")
            file.seek(0)
            write(_telling(read_documents(file, findings=findings), warn), target, warn)

    read_file(options.run, convert)
    for warning in findings.warnings:
        warn(str(warning))


def _telling(documents: Iterator[ParsedDocument], warn: Warn) -> Iterator[ParsedDocument]:
    """The documents, and at the end a warning of those without a text."""
    first, count = "", 0
    for each in documents:
        if not each.text:
            first, count = first or each.doc_id, count + 1
        yield each
    if count:
        documents_have = "document has" if count == 1 else "documents have"
        warn(f"{count:,} {documents_have} no text, first {first}")


def _warn(path: str, message: str) -> None:
    sys.stderr.write(f"{path}: warning: {message}\n")


def _read(source: BinaryIO, *, is_qrels: bool, name: str) -> tuple[ParsedRun | ParsedQrels, bytes]:
    """Qrels if the option or the first line says so, else a run; and the lines of its metadata."""
    # Read at once: the layout is known only from the content, and standard input has no second
    # read.
    data = source.read()
    if is_qrels or are_qrels(plain_blocks(data)):
        return read_qrels(data, max_name_bytes=LONGEST_NAME), b""
    run = read_run(data, max_name_bytes=LONGEST_NAME, file_name=name)
    return run, metadata_lines(data)


def _write_qrels(options: argparse.Namespace, parsed: ParsedQrels, target: BinaryIO) -> None:
    if options.tag is not None:
        raise BadInput(["--tag: qrels have no tag"])
    qrels = Qrels(parsed, options.run)
    if options.to == "trec":
        write_qrels(parsed, target)
    elif options.to == "json":
        _write_json(qrels.to_dict(), target)
    elif options.to == "msmarco":
        raise BadInput(["--to msmarco: qrels of MS MARCO have TREC's layout: use --to trec"])
    else:
        names = _QRELS_NAMES if options.to == "csv" else _BEIR_NAMES
        _write_rows(options.to, names, _rows(qrels), target)


def _write_run(
    options: argparse.Namespace, parsed: ParsedRun, metadata: bytes, target: BinaryIO
) -> None:
    if options.tag is not None:
        if problem := tag_problem(options.tag.encode(), 0):
            raise BadInput([f"--tag: {problem.message}"])
        parsed = replace(parsed, tag=options.tag)
    for warning in parsed.warnings:
        if warning.code in CHANGES:
            _warn(options.run, str(warning))
    if metadata and options.to != "trec":
        _warn(options.run, "the metadata at its beginning are left out: this layout has none")
    run = Run(parsed, options.run)
    if options.to == "trec":
        target.write(metadata)
        write_run(parsed, target)
    elif options.to == "json":
        _write_json(run.to_dict(), target)
    elif options.to == "msmarco":
        rows = zip(run.columns["topic"], run.columns["doc_id"], ranks_of(parsed), strict=True)
        target.writelines("\t".join(map(str, row)).encode() + b"\n" for row in rows)
    else:
        _write_rows(options.to, _RUN_NAMES, _rows(run), target)


def _write_json(
    found: dict[str, dict[str, float]] | dict[str, dict[str, int]], target: BinaryIO
) -> None:
    target.write(json.dumps(found, ensure_ascii=False).encode() + b"\n")


def _rows(lines: Run | Qrels) -> Iterator[tuple[str, str, float | int]]:
    topics, doc_ids, numbers = lines.columns.values()
    return zip(topics, doc_ids, np.asarray(numbers).tolist(), strict=True)


def _write_rows(
    layout: str, names: Names, rows: Iterator[tuple[str, str, float | int]], target: BinaryIO
) -> None:
    """As a table with a header, or each as a JSON object."""
    if layout == "jsonl":
        found = (dict(zip(names, row, strict=True)) for row in rows)
        target.writelines(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in found)
        return
    text = io.TextIOWrapper(target, "utf-8", newline="", write_through=True)
    if layout == "csv":
        csv.writer(text, lineterminator="\n").writerows([names, *rows])
    else:
        text.writelines("\t".join(map(str, row)) + "\n" for row in [names, *rows])
    # Else the wrapper would close the target when it is collected.
    text.detach()
