"""Distinguishes outages of the database or the storage from errors of a job."""

import errno

from django.db import InterfaceError, OperationalError

OF_STORAGE = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.ESTALE}


def is_outage(error: BaseException | None) -> bool:
    """Whether the database or the storage is unavailable, does not respond, is full or is
    read-only."""
    if isinstance(error, OSError):
        return error.errno in OF_STORAGE
    return isinstance(error, OperationalError | InterfaceError)
