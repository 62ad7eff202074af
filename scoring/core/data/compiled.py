"""The compiled aligner (`_align.c`), or None where it was not built: numpy does the same work."""

import os
from contextlib import suppress
from types import ModuleType

align: ModuleType | None = None
if not os.environ.get("TRACKSIDE_PURE_PYTHON"):
    with suppress(ImportError):  # no compiler when this was installed
        from scoring.core.data import _align

        align = _align
