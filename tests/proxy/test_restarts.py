"""A web process that is told to end answers what it has begun and refuses the rest, which the proxy
then sends to another one."""

import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.proxy.conftest import StartProxy, ask
from trackside.processes import HOST, free_port, listens, wait_for

ROOT = Path(__file__).resolve().parent.parent.parent


def start_web(port: int) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [
            sys.executable, "-m", "gunicorn", "tests.proxy.slow:application",
            "--bind", f"{HOST}:{port}", "--worker-class", "trackside.web_worker.WebWorker",
            "--threads", "4", "--no-control-socket",
        ],
        cwd=ROOT,
    )  # fmt: skip
    wait_for("the web process", lambda: listens(port) and ask(port, "/")[0].status == 200)
    return process


def test_no_request_is_lost_while_a_web_process_ends(start_proxy: StartProxy) -> None:
    ports = [free_port(), free_port()]
    webs = [start_web(port) for port in ports]
    try:
        proxy = start_proxy([f"{HOST}:{port}" for port in ports])
        with ThreadPoolExecutor() as pool:
            slow = [pool.submit(ask, proxy, "/?3") for _ in range(2)]  # one for each
            time.sleep(1)
            webs[0].send_signal(signal.SIGTERM)
            wait_for("its socket to close", lambda: not listens(ports[0]))
            assert not any(each.done() for each in slow)  # it still answers what it has begun
            with pytest.raises(ConnectionRefusedError):
                ask(ports[0], "/")
            assert [ask(proxy, "/")[0].status for _ in range(10)] == [200] * 10
            assert [each.result()[0].status for each in slow] == [200, 200]
        assert webs[0].wait(20) == 0
    finally:
        for web in webs:
            web.terminate()
            web.wait(20)
