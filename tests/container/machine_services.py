"""What stands around the images, by this machine's own programs: Redis, nginx, and an S3 server.
Each runs in the namespace of its service, by an account that is not root."""

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.container.compose import seconds_of
from tests.container.network import Network
from tests.container.programs import Failed, run, with_path
from tests.patience import FACTOR, PATIENCE

NGINX = """daemon off;
pid {folder}/nginx.pid;
error_log stderr;
events {{ worker_connections 1024; }}
http {{
    include /etc/nginx/mime.types;
    access_log off;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/conf.d/*.conf;
}}
"""


@dataclass
class MachineService:
    """One program; the same questions may be asked of it as of a container."""

    name: str
    service: dict[str, Any]
    network: Network
    folder: Path  # its own
    account: str
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> Path:
        return self.folder.with_suffix(".log")

    def start(self) -> None:
        namespace = self.network.join(self.name)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*self._inside(namespace.name), *self.command],
                cwd=self.folder, env=self._settings(), stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip

    def _inside(self, namespace: str) -> list[str]:
        """`ip netns exec` gives it mounts of its own: /etc/hosts is replaced for it alone."""
        drop = ["--no-new-privs", "--bounding-set=-all", "--clear-groups"]
        ids = [f"--reuid={self.account}", f"--regid={self.account}"]
        resolve = ["sh", "-c", 'mount --bind "$0" /etc/hosts && exec "$@"', str(self.network.hosts)]
        return ["ip", "netns", "exec", namespace, *resolve, "setpriv", *ids, *drop, "--"]

    def _settings(self) -> dict[str, str]:
        return with_path(self.environment | self.service.get("environment", {}))

    def is_healthy(self) -> bool:
        """The health check of the compose file, with this machine's client."""
        check = self.service["healthcheck"]
        inside = self._inside(self.network.join(self.name).name)
        try:
            run(*inside, *check["test"][1:], environment=self._settings(),
                timeout=FACTOR * seconds_of(check["timeout"]))  # fmt: skip
        except (Failed, subprocess.TimeoutExpired):
            return False
        return True

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def stop(self) -> None:
        assert self.process is not None, f"{self.name} was not started"
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.process = None

    kill = stop

    def printed(self) -> str:
        return self.log.read_text(errors="replace")[-3000:]


def redis(service: dict[str, Any], network: Network, folder: Path) -> MachineService:
    """By the very command of the compose file."""
    _own(folder, "redis")
    return MachineService("redis", service, network, folder, "redis", service["command"])


def proxy(service: dict[str, Any], network: Network, folder: Path, project: Path) -> MachineService:
    """Debian's nginx, with the template filled in as nginx's image does: environment only."""
    source = next(each.split(":") for each in service["volumes"] if ":/etc/nginx/templates" in each)
    shutil.copytree(project / source[0], folder / "templates")
    (folder / "conf.d").mkdir()
    given = service["environment"] | {"PAGES": f"{folder}/templates", "SPOOL": str(folder)}
    names = " ".join(f"${{{name}}}" for name in given)
    for template in (folder / "templates").glob("*.template"):
        filled = subprocess.run(
            ["envsubst", names], input=template.read_text(), env=with_path(given),
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        (folder / "conf.d" / template.stem).write_text(filled)
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder))
    _own(folder, "www-data")
    command = ["nginx", "-c", f"{folder}/nginx.conf", "-p", str(folder)]
    return MachineService("proxy", service, network, folder, "www-data", command)


def s3_store(network: Network, folder: Path, bucket: str, key: str, secret: str) -> MachineService:
    """`rclone serve s3` over a folder; a bucket is a folder in it."""
    (folder / "data" / bucket).mkdir(parents=True)
    _own(folder, "www-data")
    command = [str(Path(sys.executable).parent / "rclone"), "serve", "s3", "--addr", ":9000",
               "--auth-key", f"{key},{secret}", "--config", "", "data"]  # fmt: skip
    return MachineService("store", {}, network, folder, "www-data", command, {"HOME": str(folder)})


def _own(folder: Path, account: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for path in (folder, *folder.rglob("*")):
        shutil.chown(path, account, account)
