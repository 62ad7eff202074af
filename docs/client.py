"""Submits a run and prints its result: TOKEN=... client.py SITE CAMPAIGN RUN_FILE [KEY]"""

import json
import os
import time
from pathlib import Path
from sys import argv
from urllib.request import Request, urlopen
from uuid import uuid4


def call(url: str, data: bytes | None = None, **headers: str) -> dict:
    token = {"Authorization": f"Token {os.environ['TOKEN']}"}
    with urlopen(Request(url, data, headers | token)) as response:  # noqa: S310 (your own site)
        return json.load(response)


def submit(site: str, campaign: str, run: bytes, key: str = "") -> dict:
    key = key or uuid4().hex  # sent again with the same key it is still one run
    part = f'--{key}\r\nContent-Disposition: form-data; name="file"; filename="run"\r\n\r\n'
    body = part.encode() + run + f"\r\n--{key}--\r\n".encode()
    headers = {"Content-Type": f"multipart/form-data; boundary={key}", "Idempotency-Key": key}
    url = call(f"{site}/api/campaigns/{campaign}/runs/", body, **headers)["url"]
    while (state := call(url))["status"] in {"waiting", "checking", "scoring"}:
        time.sleep(2)
    return state


if __name__ == "__main__":
    print(json.dumps(submit(*argv[1:3], Path(argv[3]).read_bytes(), *argv[4:]), indent=2))
