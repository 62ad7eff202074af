"""Names on a site: which ones a run may have, and which names of runs or teams are the same."""

from __future__ import annotations

import unicodedata

from campaigns.trec.blocks import unseen_name

NAME_CHARACTERS = 64


def composed(name: str) -> str:
    """The name as it is stored: Unicode offers several encodings of letters such as é."""
    return unicodedata.normalize("NFC", name)


def name_key(name: str) -> str:
    """Equal for names that differ only in case, spaces, or the encoding of their characters."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def name_fault(name: str) -> str:
    """What is wrong with the name of a run, as a clause; "" if the site accepts it.

    A spreadsheet reads a name that begins with a sign as a formula, and programs that build paths
    or URLs of names read `..` and `%` in their own way."""
    if not name:
        return "a run name has at least one character"
    if len(name) > NAME_CHARACTERS:
        return f"a run name has at most {NAME_CHARACTERS} characters, and this one has {len(name)}"
    if not name.isprintable() or unseen_name(name.encode()):
        return "a run name contains only printable characters"
    if not name[0].isalnum():
        return "a run name begins with a letter or a digit"
    if name.endswith("/"):
        return "a run name does not end with '/'"
    forbidden = next((each for each in ("..", "%") if each in name), "")
    return f"a run name does not contain '{forbidden}'" if forbidden else ""
