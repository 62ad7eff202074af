"""Prints the files that a request enters: `python -m tools.walk URL [EMAIL]`.

A request enters a file when one of its functions runs, except in `core`. The settings determine the
site. The request is sent twice and only the second one is traced, so that work which a process does
only once is not counted.
"""

import os
import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
OURS = ("campaigns", "scoring", "trackside")


def entered(url: str, person: str) -> tuple[Counter[str], int]:
    """The files that a request enters, with the number of calls from other files, and the status of
    the response."""
    import django

    django.setup()
    from django.contrib.auth import get_user_model
    from django.test import Client

    client = Client(headers={"host": "localhost"})
    if person:
        client.force_login(get_user_model().objects.get(email=person))
    client.get(url)
    entries: Counter[str] = Counter()

    def follow(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and (here := _file(frame)):
            came_from = frame.f_back and _file(frame.f_back)
            if here != came_from:
                entries[here] += 1

    sys.setprofile(follow)
    status = client.get(url).status_code
    sys.setprofile(None)
    return entries, status


def _file(frame: FrameType) -> str:
    path = frame.f_code.co_filename
    if not path.startswith(str(ROOT)):
        return ""
    name = path[len(str(ROOT)) + 1 :]
    return name if name.startswith(OURS) and "/core/" not in name else ""


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "trackside.settings")
    entries, status = entered(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "")
    for name, times in entries.most_common():
        print(f"{times:6}  {name}")
    print(f"{len(entries)} files, {sum(entries.values())} times; status {status}")


if __name__ == "__main__":
    main()
