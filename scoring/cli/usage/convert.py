"""How `trackside convert` is used: its arguments and their help."""

import argparse
from typing import Final

DESCRIPTION: Final = """\
Reads a run, qrels, topics or documents in any layout that the site reads, checks all of it, and
writes it in another one.

Runs and qrels: TREC's lines, JSON ({"topic": {"document": number}}, as pytrec_eval and ranx read
it), a table with a header and tabs (for qrels that of BEIR) or commas, JSON lines with the same
names (for qrels as MTEB has them), or MS MARCO's topic, document and rank. Ranks are those of the
scores.

Topics and documents: TREC's tags, XML (topics), a table with a header, JSON lines as BEIR's
queries.jsonl and corpus.jsonl, or MS MARCO's id and text."""

EXAMPLES: Final = """\
examples:
  trackside convert run.txt --to json > run.json
  trackside convert qrels.txt --to tsv > test.tsv
  trackside convert --qrels qrels.json --to trec > qrels.txt
  trackside convert --topics topics.xml --to jsonl > queries.jsonl
  trackside convert run.txt --to trec --tag mine > mine.txt

A run of a layout without tags has the name of its file without endings; --tag names it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "run", metavar="FILE", help="a run, qrels, topics or documents; plain or gzipped"
    )
    kinds = parser.add_mutually_exclusive_group()
    for kind, what in (
        ("qrels", "qrels, which JSON does not show; other layouts do"),
        ("topics", "topics"),
        ("documents", "documents"),
    ):
        kinds.add_argument(
            f"--{kind}", dest="kind", action="store_const", const=kind, help=f"FILE is {what}"
        )
    layouts = ("trec", "xml", "json", "tsv", "csv", "jsonl", "msmarco")
    parser.add_argument("--to", choices=layouts, required=True, help="the layout")
    parser.add_argument("--tag", help="the tag of the run in TREC's layout")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="where to write it (default: standard output)"
    )
