"""The services of docker-compose.yml, started in the order that it states."""

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.container import compose, machine_services
from tests.container.container import Container
from tests.container.image import DATABASE, ROOT, Image
from tests.container.machine_services import MachineService
from tests.container.network import Network
from tests.container.programs import Failed
from tests.container.volumes import Volumes
from tests.patience import PATIENCE, wait_for

HOST = "evaluation.example.org"
PORT = 8080
ENVIRONMENT = {
    "POSTGRES_PASSWORD": "databaseword",
    "REDIS_PASSWORD": "messageword",
    "SECRET_KEY": "a-key-of-more-than-fifty-characters-and-many-different-ones-0123456789",
    "ALLOWED_HOSTS": HOST,
    "SITE_URL": f"http://{HOST}:{PORT}",
    # Tried without TLS, as docs/operations.md describes.
    "HTTPS": "false",
    "PUBLIC_SCHEME": "http",
    # What a killed worker held comes back soon, though not in a stall of five seconds.
    "LEASE_SECONDS": "10",
    "RENEWAL_SECONDS": "2",
    "SWEEP_SECONDS": "1",
}


@dataclass
class Site:
    """A compose project. `up` starts a service and, before it, all that it depends on."""

    folder: Path
    image: Image
    network: Network
    services: dict[str, dict[str, Any]]
    project: Path = ROOT
    running: dict[str, Container | MachineService] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def proxy(self) -> tuple[str, int]:
        return self.network.join("proxy").address, PORT

    def container(self, name: str) -> Container:
        found = self.running[name]
        assert isinstance(found, Container), name
        return found

    def up(self, name: str) -> None:
        if name in self.running:
            return
        for needed, how in self.services[name].get("depends_on", {}).items():
            self.up(needed)
            self._await(needed, how["condition"])
        self.running[name] = self._make(name)
        self.running[name].start()

    def _await(self, name: str, condition: str) -> None:
        began, service = time.monotonic(), self.running[name]
        if condition == "service_completed_successfully":
            if service.process is not None:
                status = self.container(name).wait()
                assert status == 0, f"{name}: exit status {status}\n{service.printed()}"
        else:
            assert condition == "service_healthy", condition
            self.wait_healthy(name)
        self.seconds.setdefault(f"{name}: {condition[8:]}", time.monotonic() - began)

    def wait_healthy(self, name: str) -> None:
        """Raises at once if it ends meanwhile."""
        service = self.running[name]

        def is_healthy() -> bool:
            assert service.is_running, f"{name} ended\n{service.printed()}"
            return service.is_healthy()

        wait_for(
            f"{name} to be healthy", is_healthy, explain=service.printed, patience=2 * PATIENCE
        )

    def _make(self, name: str) -> Container | MachineService:
        service, place = self.services[name], self.folder / name
        match name:
            case "redis":
                return machine_services.redis(service, self.network, place)
            case "proxy":
                return machine_services.proxy(service, self.network, place, self.project)
        image = self.image.beside(DATABASE) if name == "db" else self.image
        return Container(name, service, image, self.network, self.volumes, self.folder)

    @property
    def volumes(self) -> Volumes:
        return Volumes(self.folder / "volumes", self.project)

    def run(self, name: str, *command: str) -> str:
        """`docker compose run --rm NAME COMMAND`: what it printed. Raises `Failed`."""
        service = self.services[name] | ({"command": list(command)} if command else {})
        container = Container(name, service, self.image, self.network, self.volumes, self.folder)
        container.log.unlink(missing_ok=True)
        container.start()
        if status := container.wait():
            raise Failed(f"{name} {' '.join(command)}: exit status {status}\n{container.printed()}")
        return container.printed()

    def manage(self, *words: str) -> str:
        """`docker compose exec web python manage.py ...`"""
        return self.container("web").execute("python", "manage.py", *words)

    def down(self) -> None:
        """Ends every service, the last one first, also where one of them fails to end."""
        with ExitStack() as ends:
            for service in self.running.values():
                if service.process is not None:
                    ends.callback(service.kill)


@contextmanager
def project(image: Image, *, file: str = "docker-compose.yml", **settings: str) -> Iterator[Site]:
    """A project with nothing started in it yet; `settings` go into its .env."""
    variables: Mapping[str, str] = ENVIRONMENT | settings
    with TemporaryDirectory(prefix="trackside-containers-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        network = Network(folder)
        with ExitStack() as ends:
            ends.callback(network.close)
            site = Site(folder, image, network, compose.services(ROOT / file, variables))
            ends.callback(site.down)
            yield site
