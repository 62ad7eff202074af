"""Memory that stays with the process while it reads files."""

from __future__ import annotations

import numpy as np

KEPT_BYTES = (32 << 20) - (1 << 16)  # the most that glibc's threshold follows is 32 MiB


def keep_freed_memory() -> None:
    """Let arrays of up to 32 MiB reuse the memory of those before them.

    The C library of Linux asks the system for every large block and hands it back when it is freed,
    so that each new array is paid for page by page: a third of the time it takes to read a run. It
    raises what it calls large to the largest block that it has seen freed. Elsewhere this does
    nothing, and nowhere does it touch the memory it names.
    """
    np.empty(KEPT_BYTES, np.uint8)  # freed at once
