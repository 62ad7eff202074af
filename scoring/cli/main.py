"""The command `trackside`: finds the module of a sub-command, and imports no other."""

import argparse
import gc
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Final

from scoring.cli.exit_status import BAD_INPUT, FAILED, INTERRUPTED
from scoring.cli.streams import STANDARD_INPUT, drop_stdout, escape_what_stdout_lacks
from scoring.library.bad_input import BadArgument, BadInput

# What each command does, in the order of --help; its module is named like it.
COMMANDS: Final = {
    "evaluate": "score runs by qrels, as trec_eval does",
    "check": "check a run as the site does; with --deploy, the settings of a site",
    "convert": "write a run, qrels, topics or documents in another layout",
    "agreement": "compare the orderings of runs by several measures",
    "significance": "test which pairs of runs differ significantly",
    "ranks": "say how certain the rank of each run is",
    "stability": "say how well leaderboards of disjoint halves of the topics agree",
    "topics": "say how many topics a test needs to find a difference",
    "select": "choose the documents to judge next",
    "sample": "draw a sample of documents for people to judge",
    "estimate": "estimate scores from a sample that people judged and a program's judgments",
    "diversity": "score runs by judgments of subtopics, as ndeval does",
    "properties": "show the seven numeric properties of measures",
}
_FILES: Final = (
    "qrels",
    "runs",
    "run",
    "topics",
    "scores",
    "judged",
    "simulate",
    "sample",
    "people",
    "program",
)  # arguments

OBJECTS_BETWEEN_COLLECTIONS: Final = 100_000

_HELP: Final = """\
usage: trackside COMMAND ...

Evaluates retrieval runs from files: no server, no database. Files may be gzipped; `-` is standard
input. Tables come as CSV at full precision on standard output; what is wrong with a file goes to
standard error, with its line, and the exit status is then 2.

{commands}
examples:
  trackside evaluate qrels.txt run.gz                         as trec_eval prints it
  trackside evaluate qrels.txt runs/* -m AP -m 'RBP(p=0.8)' --format csv
  trackside check run.txt --topics topics.xml                 before you submit it
  trackside agreement qrels.txt runs/* -m AP -m 'RBP(p=0.8)'
  trackside significance qrels.txt runs/* -m AP --test t --count
  trackside select runs/* --method C --p 0.8 --budget 100

`trackside COMMAND --help` describes each command; `trackside --version` prints the version.
"""


def main_of_process(commands_of_site: Mapping[str, str] | None = None) -> int:
    """`main` of a process that ends with it. Python would look for unreachable cycles of objects
    while the command runs and again when it ends. There are next to none, and the search takes a
    twentieth of the time of a hundred small runs."""
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    status = main(None, commands_of_site)
    gc.freeze()
    return status


def main(
    arguments: Sequence[str] | None = None, commands_of_site: Mapping[str, str] | None = None
) -> int:
    """Runs the command line and returns the exit status. It lists the commands of the site, which
    its caller runs."""
    if sys.stdout is None:
        sys.stderr.write("trackside: standard output is closed\n")
        return FAILED
    # numpy starts its threads for linear algebra when it is imported, and they only wait here.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    escape_what_stdout_lacks()
    try:
        given = list(sys.argv[1:] if arguments is None else arguments)
        status = _answer(given, commands_of_site or {})
        sys.stdout.flush()
    except BrokenPipeError:  # `trackside ... | head` has seen enough
        drop_stdout()
        return 0
    except OSError as error:  # of files that are read it is BadInput
        drop_stdout()
        sys.stderr.write(f"trackside: standard output: {error.strerror or error}\n")
        return FAILED
    except MemoryError:
        sys.stderr.write("trackside: not enough memory\n")
        return FAILED
    except KeyboardInterrupt:
        drop_stdout()
        return INTERRUPTED
    return status


def _answer(given: list[str], commands_of_site: Mapping[str, str]) -> int:
    if not given or given[0] in ("-h", "--help", "help"):
        listed = _listed("commands", COMMANDS)
        if commands_of_site:
            listed += "\n" + _listed("commands of a site", commands_of_site)
        sys.stdout.write(_HELP.format(commands=listed))
        return 0 if given else BAD_INPUT
    if given[0] == "--version":
        # Loading this takes longer than printing --help.
        print("\n".join(import_module("scoring.cli.version").version_lines()))
        return 0
    if given[0] not in COMMANDS:
        named = ", ".join([*COMMANDS, *commands_of_site])
        sys.stderr.write(f"trackside: unknown command {given[0]!r}; choose from {named}\n")
        return BAD_INPUT
    try:
        return _run(given[0], given[1:])
    except BadInput as error:
        sys.stdout.flush()
        messages: Sequence[str] = error.messages
        if isinstance(error, BadArgument):
            # The options that the user types, in place of the library's arguments.
            typed = {"measures": "-m"}
            messages = [
                f"{typed.get(name, '--' + name.replace('_', '-'))}: {why}"
                for name, why in error.faults
            ]
        for message in messages:
            sys.stderr.write(f"{message}\n")
        return BAD_INPUT
    except SystemExit as stopped:  # argparse has printed its help or what is wrong
        return int(stopped.code or 0)


def _listed(title: str, commands: Mapping[str, str]) -> str:
    return f"{title}:\n" + "".join(f"  {name:<12}  {does}\n" for name, does in commands.items())


def _run(name: str, given: list[str]) -> int:
    # The arguments stand in a module of their own, which loads no numpy: help comes at once.
    usage = import_module(f"scoring.cli.usage.{name}")
    parser = argparse.ArgumentParser(
        prog=f"trackside {name}",
        description=usage.DESCRIPTION,
        epilog=usage.EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    usage.add_arguments(parser)
    if "--help" in given or "-h" in given:  # argparse would not tell that it cannot write
        sys.stdout.write(parser.format_help())
        return 0
    # Intermixed: options may stand among the runs, of which there may be any number.
    options = parser.parse_intermixed_args(given)
    named = [vars(options).get(file) for file in _FILES]
    paths = [path for each in named for path in (each if isinstance(each, list) else [each])]
    if paths.count(STANDARD_INPUT) > 1:
        raise BadInput([f"{STANDARD_INPUT}: standard input can be read only once"])
    status: int = import_module(f"scoring.cli.{name}").run(options)
    return status
