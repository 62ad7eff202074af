"""How `trackside evaluate` is used: its arguments and their help."""

import argparse
import sys
from importlib import import_module
from typing import Any, Final

from scoring.cli.arguments import add_measures_argument, add_scoring_arguments, positive

DESCRIPTION: Final = """\
Scores runs by qrels. Flags, measure names and text are those of trec_eval 9 and 10; retrieval
scores are compared in double precision. Topics that are in both files are averaged, with -c all
topics of QRELS."""

EXAMPLES: Final = """\
examples:
  trackside evaluate qrels.txt run.gz
  trackside evaluate -q -m map -m P.5,7,3 -m ndcg_cut.10,20 qrels.txt run.gz
  trackside evaluate -m all_trec -c -l 2 qrels.txt run.gz
  trackside evaluate -m ndcg.1=3,2=9,4=4.5 -m iprec_at_recall..10,.20 qrels.txt run.gz
  trackside evaluate qrels.txt runs/* -m 'RBP(p=0.8)' -m nDCG@10 --format csv --workers 2
  trackside evaluate qrels.txt run.gz -m AP --ties bounds --format csv

-m takes trec_eval's names (`map`, `P_10`, `P.10,20`, `official`, `set`, `all_trec`) and those of
ir_measures (`AP`, `P(rel=2)@10`, `RBP(p=0.8)`, `nDCG@10`), any number of times.
`all_trec` leaves out rbp and rbp_resid; asked for by name (`rbp.p=0.8`; p is .9 if not given) they
are RBP(p=,gain=map) and its residual, which trec_eval 10 gets wrong.

CSV has the columns run,topic,measure,value,residual,tie_low,tie_high: the topic `all` is the mean,
an empty cell is not defined. residual is what unjudged documents could still add. Text (runid,
relstring) is left out.

Topics without any grade of 0 or more are in no mean; standard error names them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("qrels", metavar="QRELS", help="judgments: topic, 0, document, grade")
    parser.add_argument("runs", metavar="RUN", nargs="+", help="topic Q0 document rank score tag")
    add_measures_argument(
        parser,
        default=[],
        help="what to compute; more than once if wanted (default: official)",
    )
    parser.add_argument(
        "-q", "--query_eval_wanted", dest="per_topic", action="store_true", help="each topic too"
    )
    parser.add_argument(
        "-n", "--nosummary", dest="no_summary", action="store_true", help="no mean over topics"
    )
    parser.add_argument(
        "-c",
        "--complete_rel_info_wanted",
        dest="complete",
        action="store_true",
        help="average over all topics of QRELS: one that a run misses is an empty ranking",
    )
    parser.add_argument(
        "-J",
        "--Judged_docs_only",
        dest="judged_only",
        action="store_true",
        help="remove unjudged documents from the rankings first",
    )
    parser.add_argument(
        "-N",
        "--Number_docs_in_coll",
        dest="collection_size",
        metavar="N",
        type=positive,
        default=0,
        help="documents in the collection (only utility.a,b,c,d uses it)",
    )
    add_scoring_arguments(parser)
    _add_further_flags_of_trec_eval(parser)
    parser.add_argument(
        "--format", choices=("trec_eval", "csv", "json"), default="trec_eval", help="of the output"
    )


def _add_further_flags_of_trec_eval(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-Z",
        "--Zscore",
        dest="zscores",
        metavar="FILE",
        help="print how many standard deviations each score is from the mean in FILE: topic, "
        "measure, mean, standard deviation",
    )
    parser.add_argument(
        "-a",
        dest="measures",
        action="append_const",
        const="all_trec",
        help="all measures of trec_eval, as -m all_trec",
    )
    parser.add_argument(
        "-v", "--version", action=_PrintVersion, nargs=0, help="print the version and exit"
    )
    parser.add_argument(
        "-R",
        "--Rel_info_format",
        metavar="FORMAT",
        type=_qrels_format,
        help="the format of QRELS: only qrels",
    )
    parser.add_argument(
        "-T",
        "--Results_format",
        metavar="FORMAT",
        choices=["trec_results"],
        help="the format of RUN: only trec_results",
    )
    parser.add_argument("-d", action=_Ignore, nargs=0, help=argparse.SUPPRESS)
    parser.add_argument("-D", "--Debug_level", action=_Ignore, metavar="N", help=argparse.SUPPRESS)


def _qrels_format(text: str) -> str:
    if text == "qrels":
        return text
    if text in _UNREAD:
        raise argparse.ArgumentTypeError(f"{text} is not supported: {_UNREAD[text]}")
    raise argparse.ArgumentTypeError(f"there is no format {text}: leave -R out, or write -R qrels")


_NO_PREFERENCES = "Trackside reads grades and no preferences. Use trec_eval for these"
# Formats of trec_eval, and what to do instead.
_UNREAD = {
    "prefs": _NO_PREFERENCES,
    "qrels_prefs": _NO_PREFERENCES,
    "qrels_jg": "write the lines of each group of assessors, which the second field names, into a "
    "file of its own, and evaluate with each",
}


class _Ignore(argparse.Action):
    """A flag of trec_eval that shows how it computes."""

    def __call__(self, parser: Any, namespace: Any, values: Any, flag: Any = None) -> None:
        sys.stderr.write(f"note: {flag} is ignored: it prints how trec_eval computes\n")


class _PrintVersion(argparse.Action):
    def __call__(self, parser: Any, namespace: Any, values: Any, flag: Any = None) -> None:
        print("\n".join(import_module("scoring.cli.version").version_lines()))
        parser.exit()
