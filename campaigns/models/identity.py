"""Opaque names: what addresses and storage keys are made of, instead of what people type."""

import base64
import secrets


def new_public_id() -> str:
    """16 characters of a-z and 2-7, 80 random bits: cannot be counted up or guessed."""
    return base64.b32encode(secrets.token_bytes(10)).decode().lower()
