"""Where the files of the program are, and where a site keeps its data.

`templates/`, `static/` and `docs/` are at the top of a checkout. A wheel contains them in
`trackside/files/` (see setup.py).
"""

import os
from pathlib import Path
from typing import Final

_PACKAGE: Final = Path(__file__).resolve().parent
IS_INSTALLED: Final = (_PACKAGE / "files").is_dir()
BASE_DIR: Final = _PACKAGE / "files" if IS_INSTALLED else _PACKAGE.parent


def unusable(folder: Path) -> str:
    """Creates the folder, and returns why a site cannot keep its data there, or ""."""
    way_out = "Name another folder in TRACKSIDE_HOME, or change the permissions."
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # password hashes, unpublished qrels
    except OSError as error:
        return f"The folder {folder} cannot be created: {error.strerror}. {way_out}"
    if os.access(folder, os.W_OK | os.X_OK):
        return ""
    return f"The folder {folder} cannot be written. {way_out}"


def data_folder() -> Path:
    """`TRACKSIDE_HOME`, or `var` in a checkout, or `trackside-data` in the current folder."""
    default = "trackside-data" if IS_INSTALLED else BASE_DIR / "var"
    return Path(os.environ.get("TRACKSIDE_HOME") or default).resolve()
