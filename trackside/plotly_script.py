"""The script that draws charts: the part of Plotly that they need, or all of it.

    python -m trackside.plotly_script

Plotly's Python package contains the whole script, with 1.5 MB compressed. The charts of the site
are lines, bars and heat maps, which npm's package `plotly.js-cartesian-dist-min` draws with 0.5 MB.
The command installs that script beside the Python packages, in the same version. Without npm, or
if npm cannot get it, the site serves the whole script.
"""

import re
import subprocess
import sys
import tarfile
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

PACKAGE: Final = "plotly.js-cartesian-dist-min"
INSIDE: Final = "package/plotly-cartesian.min.js"
NAME: Final = "plotly.min.js"
WHOLE: Final = Path(str(files("plotly"))) / "package_data" / NAME
PART: Final = Path(sys.prefix) / "share" / "trackside" / NAME
SECONDS: Final = 120
VERSION: Final = re.compile(rb"plotly\.js[^\n]* v(\d+\.\d+\.\d+)\n")


def script(whole: Path = WHOLE, part: Path = PART) -> Path:
    """The file to serve. A part of another version is what an upgrade has left behind."""
    is_current = part.exists() and version_of(part) == version_of(whole)
    return part if is_current else whole


def version_of(path: Path) -> str:
    """The version that the first lines of a script name, or an empty text."""
    with path.open("rb") as file:
        found = VERSION.search(file.read(200))
    return found[1].decode() if found else ""


def install(version: str, part: Path = PART) -> None:
    """Raises OSError without npm, and SubprocessError if npm cannot get the package."""
    with TemporaryDirectory() as folder:
        command = ["npm", "pack", "--silent", "--fetch-retries=1", f"{PACKAGE}@{version}"]
        subprocess.run(  # noqa: S603 - all of it named here
            command, cwd=folder, check=True, timeout=SECONDS, capture_output=True
        )
        (archive,) = Path(folder).glob("*.tgz")
        with tarfile.open(archive) as package:
            text = package.extractfile(INSIDE).read()
    part.parent.mkdir(parents=True, exist_ok=True)
    unfinished = part.with_suffix(".new")
    unfinished.write_bytes(text)
    # In one step, so that a site that runs never serves half a script.
    unfinished.replace(part)


def main() -> None:
    version = version_of(WHOLE)
    if script() == WHOLE:
        try:
            install(version)
        except (OSError, subprocess.SubprocessError) as error:
            print(f"The site serves the whole script of Plotly: {error}")
            return
    print(f"The site serves {PACKAGE} {version}.")


if __name__ == "__main__":
    main()
