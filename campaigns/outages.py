"""Which errors mean that a part of the site is away, and not that the work is at fault."""

import errno

from django.db import InterfaceError, OperationalError

OF_STORAGE = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.ESTALE}


def is_outage(error: BaseException | None) -> bool:
    """Whether the database or the storage is away, silent, full or read-only."""
    if isinstance(error, OSError):
        return error.errno in OF_STORAGE
    return isinstance(error, OperationalError | InterfaceError)
