"""What the embedded site keeps for itself: its secret key and its message folder."""

import contextlib
import os
import secrets
import tempfile
from pathlib import Path
from typing import Any


def secret_key_in(folder: Path) -> str:
    """The site's own secret key, made at the first start and readable by its owner only."""
    path = folder / "secret-key"
    if not path.exists():
        descriptor, draft = tempfile.mkstemp(dir=folder)  # mode 0600
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(50))
        # Web and worker may start together: the first whole file wins, nobody reads half of one.
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
        os.unlink(draft)
    return path.read_text()


def filesystem_broker(folder: Path, *, polling_interval: float) -> dict[str, Any]:
    """Transport options of Celery's filesystem broker, its folders made."""
    messages, control = folder / "messages", folder / "control"
    for path in (messages, control):
        path.mkdir(parents=True, exist_ok=True)
    return {
        "data_folder_in": str(messages),
        "data_folder_out": str(messages),  # one machine: what is sent is what is received
        "control_folder": str(control),
        "store_processed": False,
        "polling_interval": polling_interval,
    }
