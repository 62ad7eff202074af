"""Which files a request enters: `python -m tools.walk ADDRESS [E-MAIL]`.

A request enters a file when a function of ours runs in it, outside of `core`. The site is the one
that the settings name; the request is asked twice and the second one is followed, so that what a
process does only once is not counted.
"""

import os
import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
OURS = ("campaigns", "scoring", "trackside")


def entered(address: str, person: str) -> tuple[Counter[str], int]:
    """The files that a request enters, how often a call came from another file, and its status."""
    import django

    django.setup()
    from django.contrib.auth import get_user_model
    from django.test import Client

    client = Client(headers={"host": "localhost"})
    if person:
        client.force_login(get_user_model().objects.get(email=person))
    client.get(address)
    found: Counter[str] = Counter()

    def follow(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and (here := _file(frame)):
            came_from = frame.f_back and _file(frame.f_back)
            if here != came_from:
                found[here] += 1

    sys.setprofile(follow)
    status = client.get(address).status_code
    sys.setprofile(None)
    return found, status


def _file(frame: FrameType) -> str:
    path = frame.f_code.co_filename
    if not path.startswith(str(ROOT)):
        return ""
    name = path[len(str(ROOT)) + 1 :]
    return name if name.startswith(OURS) and "/core/" not in name else ""


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "trackside.settings")
    found, status = entered(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "")
    for name, times in found.most_common():
        print(f"{times:6}  {name}")
    print(f"{len(found)} files, {sum(found.values())} times; status {status}")


if __name__ == "__main__":
    main()
