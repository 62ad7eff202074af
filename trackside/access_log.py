"""gunicorn's log, with a line for each request and without the secrets of URLs."""

from typing import Any
from urllib.parse import quote, unquote_to_bytes

from gunicorn.glogging import Logger

from trackside.log_lines import escape_unprintable
from trackside.secret_paths import hide_secrets

IN_PATHS = "/:@!$&'()*+,;=~"  # RFC 3986: what a path may contain as it is


class AccessLogger(Logger):
    def atoms(self, response: Any, request: Any, environ: Any, duration: Any) -> dict[str, Any]:
        """The path is encoded in one way: what a client puts into it can neither end a line nor
        look like the next field, and secrets are found. PATH_INFO is not read, because Django
        replaces it."""
        atoms = super().atoms(response, request, environ, duration)
        # WSGI has bytes as text in Latin-1 (PEP 3333).
        sent = environ["RAW_URI"].partition("?")[0].encode("latin-1")
        atoms["U"] = quote(unquote_to_bytes(sent), safe=IN_PATHS)
        return {
            name: escape_unprintable(value) if isinstance(value, str) else value
            for name, value in hide_secrets(atoms).items()
        }
