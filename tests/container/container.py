"""One container: started, asked for its health, stopped, killed."""

import json
import os
import signal
import subprocess
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tests.container.compose import seconds_of
from tests.container.image import Image
from tests.container.network import Network
from tests.container.programs import Failed, run, with_path
from tests.container.spec import runtime_spec
from tests.container.volumes import Volumes
from tests.patience import FACTOR, PATIENCE

MEMORY = (Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup"))


@dataclass
class Container:
    """A service under runc. Its log is a file of the project's folder."""

    name: str  # of the service, and by which others reach it
    service: dict[str, Any]
    image: Image
    network: Network
    volumes: Volumes
    folder: Path
    process: subprocess.Popen[bytes] | None = None
    _ends: ExitStack = field(default_factory=ExitStack)

    @property
    def key(self) -> str:
        return f"{self.network.bridge}-{self.name}"

    @property
    def log(self) -> Path:
        return self.folder / f"{self.name}.log"

    def start(self) -> None:
        """As a new container: its root file system and unnamed volumes are the image's again."""
        namespace = self.network.join(self.name)
        files = self._ends.enter_context(self.image.files())
        bundle = self.folder / f"{self.name}.bundle"
        bundle.mkdir(exist_ok=True)
        (bundle / "rootfs").unlink(missing_ok=True)
        (bundle / "rootfs").symlink_to(files)
        spec = runtime_spec(
            self.service,
            self.image.configuration,
            rootfs=bundle / "rootfs",
            namespace=namespace,
            hosts=self.network.hosts,
            mounts=list(self.volumes.mounts(self.service, self.name, files)),
            limits=can_limit(),
        )
        spec["root"]["path"] = str(files)
        (bundle / "config.json").write_text(json.dumps(spec))
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                ["runc", "run", "--no-new-keyring", "--bundle", str(bundle), self.key],
                env=with_path(os.environ), stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip

    def wait(self, timeout: float = 5 * PATIENCE) -> int:
        """Until it ends by itself; its exit status."""
        assert self.process is not None, f"{self.name} was not started"
        status = self.process.wait(timeout)
        self.process = None
        self._ends.close()
        return status

    def stop(self) -> float:
        """SIGTERM, and after its time of grace SIGKILL; how long it took. Raises `Failed` if its
        time was not enough."""
        began = time.monotonic()
        self._send(signal.SIGTERM)
        try:
            self.wait(FACTOR * seconds_of(self.service.get("stop_grace_period", "10s")))
        except subprocess.TimeoutExpired as late:
            self.kill()
            raise Failed(f"{self.name} did not end in {late.timeout} s") from late
        return time.monotonic() - began

    def kill(self) -> None:
        """Every process of it at once; or nothing, if it ended by itself."""
        if self.is_running:
            with suppress(Failed):  # it may end at this moment
                run("runc", "kill", "--all", self.key, "KILL")
        self.wait(PATIENCE)

    def _send(self, number: int) -> None:
        run("runc", "kill", self.key, str(number))

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def execute(self, *command: str, timeout: float = 2 * PATIENCE) -> str:
        """One command more in the container, by the same user."""
        return run("runc", "exec", self.key, *command, timeout=timeout)

    def is_healthy(self) -> bool:
        """Its health check, once."""
        check = self.service["healthcheck"]
        kind, *words = check["test"]
        command = words if kind == "CMD" else ["/bin/sh", "-c", *words]
        try:
            self.execute(*command, timeout=FACTOR * seconds_of(check["timeout"]))
        except (Failed, subprocess.TimeoutExpired):
            return False
        return True

    def printed(self) -> str:
        return self.log.read_text(errors="replace")[-3000:]


@cache
def can_limit() -> bool:
    """Whether this machine lets us limit the memory of a group of processes."""
    for root in MEMORY:
        group = root / f"trackside-{os.getpid()}"
        try:
            group.mkdir()
        except OSError:
            continue
        found = any((group / name).exists() for name in ("memory.limit_in_bytes", "memory.max"))
        group.rmdir()
        if found:
            return True
    return False
