"""Random ids for URLs and storage keys."""

import base64
import re
import secrets


def new_public_id() -> str:
    """16 characters of a-z and 2-7 with 80 random bits, which nobody can guess."""
    # Ten bytes are 16 characters of base 32, without padding.
    return base64.b32encode(secrets.token_bytes(10)).decode().lower()


def is_public_id(text: str) -> bool:
    return re.fullmatch(r"[a-z2-7]{16}", text) is not None
