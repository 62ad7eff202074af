"""Judges the documents of a campaign with a program, by the API for programs.

TRACKSIDE_TOKEN=... judge.py SITE CAMPAIGN [MODULE:FUNCTION]

The token is that of the program, from its page under *Judging*. FUNCTION is your model. It gets the
topic's fields as (name, text) pairs, the document's title and text, and the highest grade, and
returns a grade from 0 to the highest. Stop and start the script at any time: it continues where it
was, and a grade that was sent twice counts once.
"""

import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any
from urllib.request import Request, urlopen

Fields = Sequence[Sequence[str]]
Model = Callable[[Fields, str, str, int], int]


def word_overlap(fields: Fields, title: str, text: str, highest_grade: int) -> int:
    """A stand-in for a model: the share of the words of the topic's first field that the document
    contains, as a grade. Replace it by a function that calls a language model."""
    words = set(re.findall(r"\w+", fields[0][1].lower())) if fields else set()
    found = words & set(re.findall(r"\w+", f"{title} {text}".lower()))
    return round(highest_grade * len(found) / len(words)) if words else 0


def call(url: str, token: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """The response of the API. A refusal raises `HTTPError`, whose body says why."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Token {token}", "Content-Type": "application/json"}
    with urlopen(Request(url, data, headers), timeout=60) as response:  # noqa: S310
        answer: dict[str, Any] = json.load(response)
    return answer


def judge(site: str, campaign: str, token: str, model: Model = word_overlap) -> int:
    """Judges until no document is left, and returns the number of judgments sent."""
    api, sent = f"{site.rstrip('/')}/api/campaigns/{campaign}/judging/", 0
    while (batch := call(f"{api}next/?limit=50", token))["documents"]:
        fields = {topic["code"]: topic["fields"] for topic in batch["topics"]}
        grades = [
            {
                "topic": each["topic"],
                "doc_id": each["doc_id"],
                "grade": model(
                    fields[each["topic"]], each["title"], each["text"], batch["highest_grade"]
                ),
            }
            for each in batch["documents"]
        ]
        progress = call(f"{api}judgments/", token, {"judgments": grades})
        sent += len(grades)
        print(f"{progress['judged']} judged, {progress['left']} left", file=sys.stderr)
    return sent


if __name__ == "__main__":
    module, _, function = (sys.argv[3] if len(sys.argv) > 3 else "").partition(":")
    chosen = getattr(import_module(module), function) if module else word_overlap
    judge(sys.argv[1], sys.argv[2], os.environ["TRACKSIDE_TOKEN"], chosen)
