"""The version of the API, which server and client tell each other in a header."""

from typing import Final

HEADER: Final = "Trackside-API-Version"
API_VERSION: Final = "1"  # increased when a client of the old one would misread the new one
OTHER_VERSION: Final = "api_version"  # the code of a refusal
