"""gunicorn's log, with a line for each request and without the secrets of addresses."""

from typing import Any

from gunicorn.glogging import Logger

from trackside.secret_paths import hide_secrets


class AccessLogger(Logger):
    def atoms(self, *args: Any) -> dict[str, Any]:
        return dict(hide_secrets(super().atoms(*args)))
