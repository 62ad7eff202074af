"""The compiled scanner (`_scan.c`), or None where it was not built: Python does the same work."""

from __future__ import annotations

import os
from contextlib import suppress
from types import ModuleType

scan: ModuleType | None = None
if not os.environ.get("TRACKSIDE_PURE_PYTHON"):
    with suppress(ImportError):  # no compiler when this was installed
        from campaigns.trec import _scan

        scan = _scan
