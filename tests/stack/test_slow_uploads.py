"""A body that is sent drop by drop: the proxy says when it began and when it was complete."""

import socket
import time

import pytest

from tests.patience import PATIENCE
from tests.stack.submissions import prepare, run_bytes
from trackside.processes import HOST
from trackside.stack import Stack

pytestmark = [pytest.mark.long, pytest.mark.faults, pytest.mark.xdist_group("stack")]
DROPS, PAUSE = 8, 0.25

LOOK = """
from campaigns.models import Run
run = Run.objects.get(description="drop by drop")
print((run.received_at - run.submitted_at).total_seconds())
"""


def test_the_end_of_a_slow_upload_is_recorded_with_its_begin(stack: Stack) -> None:
    track = prepare(stack, slug="slow")
    form = {"description": b"drop by drop", "file": run_bytes("slow")}
    body = b"".join(
        b'--x\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n%s\r\n'
        % (name.encode(), b'; filename="run.gz"' if name == "file" else b"", value)
        for name, value in form.items()
    )
    body += b"--x--\r\n"
    head = (
        f"POST /api/campaigns/{track.slug}/runs/ HTTP/1.1\r\nHost: {HOST}:{track.port}\r\n"
        f"Authorization: Token {track.team_token}\r\nX-Arrived: 1000000000 1000000000\r\n"
        "Content-Type: multipart/form-data; boundary=x\r\nConnection: close\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection((HOST, track.port), timeout=PATIENCE) as client:
        client.sendall(head.encode())
        size = -(-len(body) // DROPS)
        for begin in range(0, len(body), size):
            time.sleep(PAUSE)
            client.sendall(body[begin : begin + size])
        assert b" 202 " in client.makefile("rb").readline()
    assert float(stack.manage("shell", "--verbosity", "0", "-c", LOOK)) >= (DROPS - 1) * PAUSE
