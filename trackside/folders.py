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


def data_folder() -> Path:
    """`TRACKSIDE_HOME`, or `var` in a checkout, or `trackside-data` in the current folder."""
    default = "trackside-data" if IS_INSTALLED else BASE_DIR / "var"
    return Path(os.environ.get("TRACKSIDE_HOME") or default).resolve()
