"""The command `trackside`: evaluates files, or runs a site. Only a site imports Django."""

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final

from scoring.cli import main as evaluation

OF_SITE: Final = {
    "demo": "start a site with simulated campaigns",
    "migrate": "create the database of a site, or upgrade it",
    "serve": "run the web server",
    "worker": "run a worker, which checks and scores runs",
    "createuser": "create an account that may create campaigns",
    "import": "import a campaign from a folder in TREC's format",
    "export": "export a campaign to such a folder",
    "backup": "write the whole site to one file",
    "restore": "restore such a file into an empty database",
    "verify": "read every stored file, and list what is missing or damaged",
    "manage": "run another command of manage.py; without a name, list them",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and (given[0] in OF_SITE or (given[0] == "check" and "--deploy" in given)):
        status: int = import_module("trackside.site_commands").run(given[0], given[1:])
        return status
    # With arguments it is called by another program, whose process it must not change.
    if arguments is None:
        return evaluation.main_of_process(OF_SITE)
    return evaluation.main(given, OF_SITE)


if __name__ == "__main__":
    sys.exit(main())
