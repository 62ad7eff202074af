"""Files that the embedded site creates for itself: its secret key and its message folder."""

import contextlib
import os
import secrets
import tempfile
from pathlib import Path
from typing import Any


def secret_key_in(folder: Path) -> str:
    """The site's own secret key, created at the first start. Only its owner can read it."""
    path = folder / "secret-key"
    if not path.exists():
        descriptor, draft = tempfile.mkstemp(dir=folder)  # mode 0600
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(50))
        # Web and worker may start together. The first complete file is used.
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
        os.unlink(draft)
    return path.read_text()


def filesystem_broker(folder: Path, *, polling_interval: float) -> dict[str, Any]:
    """Transport options of Celery's filesystem broker. Creates its folders."""
    messages, control = folder / "messages", folder / "control"
    for path in (messages, control):
        path.mkdir(parents=True, exist_ok=True)
    return {
        "data_folder_in": str(messages),
        "data_folder_out": str(messages),  # the same folder, on one machine
        "control_folder": str(control),
        "store_processed": False,
        "polling_interval": polling_interval,
    }
