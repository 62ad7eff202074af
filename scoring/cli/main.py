"""The command `trackside`: finds the module of a sub-command, and imports no other."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final

from scoring.cli.bad_input import BadInput

# What each command does, in the order of --help; its module is named like it.
COMMANDS: Final = {
    "evaluate": "score runs by qrels, as trec_eval does",
    "check": "would the site accept this run?",
    "agreement": "do measures put the runs in the same order?",
    "significance": "which runs are separated, and which may chance have parted?",
    "select": "which documents to judge next",
    "properties": "the seven numeric properties of measures",
}
BAD_INPUT: Final = 2  # exit status of wrong arguments and refused files

_HELP: Final = """\
usage: trackside COMMAND ...

Evaluates retrieval runs from files: no server, no database. Files may be gzipped. Tables come as
CSV at full precision on standard output; what is wrong with a file goes to standard error, with
its line, and the exit status is then 2.

commands:
{commands}

examples:
  trackside evaluate qrels.txt run.gz                         as trec_eval prints it
  trackside evaluate qrels.txt runs/* -m AP -m 'RBP(p=0.8)' --format csv
  trackside check run.txt --topics topics.xml                 before handing it in
  trackside agreement qrels.txt runs/* -m AP -m 'RBP(p=0.8)'
  trackside significance qrels.txt runs/* -m AP --test t --count
  trackside select runs/* --method C --p 0.8 --budget 100

`trackside COMMAND --help` tells more about each.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] in ("-h", "--help", "help"):
        width = max(map(len, COMMANDS))
        listed = "\n".join(f"  {name:<{width}}  {does}" for name, does in COMMANDS.items())
        sys.stdout.write(_HELP.format(commands=listed))
        return 0 if given else BAD_INPUT
    if given[0] not in COMMANDS:
        named = ", ".join(COMMANDS)
        sys.stderr.write(f"trackside: there is no command {given[0]!r}; there are {named}\n")
        return BAD_INPUT
    return _run(given[0], given[1:])


def _run(name: str, given: list[str]) -> int:
    command = import_module(f"scoring.cli.{name}")
    parser = argparse.ArgumentParser(
        prog=f"trackside {name}",
        description=command.DESCRIPTION,
        epilog=command.EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_arguments(parser)
    try:
        status: int = command.run(parser.parse_intermixed_args(given))
        sys.stdout.flush()
    except BadInput as error:
        sys.stdout.flush()
        for message in error.messages:
            sys.stderr.write(f"{message}\n")
        return BAD_INPUT
    except BrokenPipeError:  # `trackside ... | head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    return status
