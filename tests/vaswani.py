"""The Vaswani collection: short abstracts with topics and qrels, where the real data are."""

import gzip
import os
import re
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("TRACKSIDE_DATA", ""), "vaswani-npl")
DOCUMENTS = FOLDER / "doc-text.trec.gz"


def topics() -> list[tuple[str, str]]:
    """Code and title of each."""
    if not os.environ.get("TRACKSIDE_DATA"):
        pytest.skip("TRACKSIDE_DATA does not name the folder of real data")
    text = gzip.decompress((FOLDER / "query-text.trec.gz").read_bytes()).decode()
    found = re.findall(r"<num>(\d+)</num><title>\s*(.*?)\s*</title>", text, re.DOTALL)
    return [(code, " ".join(title.split())) for code, title in found]


def judged_documents(code: str) -> list[str]:
    """The relevant documents of a topic."""
    lines = gzip.decompress((FOLDER / "qrels.gz").read_bytes()).decode().splitlines()
    return [line.split()[2] for line in lines if line.split()[0] == code]
