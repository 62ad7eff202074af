"""A web process that is told to end answers what it has begun and refuses the rest, which the proxy
then sends to another one."""

import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.patience import PATIENCE, wait_for
from tests.proxy.conftest import StartProxy, ask
from trackside.processes import HOST, free_port, listens

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


def test_no_request_is_lost_while_a_web_process_ends(
    start_proxy: StartProxy, tmp_path: Path
) -> None:
    (gate := tmp_path / "gate").mkdir()
    ports = [free_port(), free_port()]
    webs = [start_web(port) for port in ports]
    with ThreadPoolExecutor() as pool:
        try:
            proxy = start_proxy([f"{HOST}:{port}" for port in ports])
            slow = [pool.submit(ask, proxy, f"/?{gate}") for _ in range(2)]  # one for each
            wait_for("both to be begun", lambda: len(list(gate.iterdir())) == 2)
            webs[0].send_signal(signal.SIGTERM)
            wait_for("its socket to close", lambda: not listens(ports[0]))
            assert not any(each.done() for each in slow)  # it still answers what it has begun
            with pytest.raises(ConnectionRefusedError):
                ask(ports[0], "/")
            assert [ask(proxy, "/")[0].status for _ in range(10)] == [200] * 10
            (gate / "go").touch()
            assert [each.result()[0].status for each in slow] == [200, 200]
            assert webs[0].wait(PATIENCE) == 0
        finally:
            for web in webs:
                web.terminate()
                web.wait(PATIENCE)
