"""Which names a run may have on a site."""

from __future__ import annotations

from campaigns.trec.blocks import unseen_name

NAME_CHARACTERS = 64


def name_fault(name: str) -> str:
    """What is wrong with the name of a run, as a clause; "" if the site accepts it.

    A spreadsheet reads a name that begins with a sign as a formula, and programs that build paths
    or addresses of names read `..` and `%` in their own way."""
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
