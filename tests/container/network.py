"""The network of a compose project: a bridge, and a namespace with an address for each service."""

import itertools
import random
from dataclasses import dataclass, field
from pathlib import Path

from tests.container.programs import Failed, run

HOSTS = "127.0.0.1 localhost\n"


@dataclass(frozen=True)
class Namespace:
    name: str  # of `ip netns`
    host: str
    address: str
    cable: str  # the bridge's end of it

    @property
    def path(self) -> str:
        return f"/var/run/netns/{self.name}"


@dataclass
class Network:
    """Names are resolved by the file `hosts`, which every container mounts as /etc/hosts."""

    folder: Path
    bridge: str = ""
    prefix: str = ""  # of its addresses
    namespaces: dict[str, Namespace] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """A name and addresses (of the range that is reserved for tests) that nobody else has."""
        for _ in range(50):
            number = random.randrange(256)
            self.bridge, self.prefix = f"ts{number}", f"198.18.{number}"
            try:
                run("ip", "link", "add", self.bridge, "type", "bridge")
                break
            except Failed:
                continue
        run("ip", "address", "add", f"{self.prefix}.1/24", "dev", self.bridge)
        run("ip", "link", "set", self.bridge, "up")
        self._addresses = itertools.count(2)
        self.hosts.write_text(HOSTS)

    @property
    def hosts(self) -> Path:
        return self.folder / "hosts"

    def join(self, host: str) -> Namespace:
        """The namespace of one service; the same one when it is started again."""
        if host in self.namespaces:
            return self.namespaces[host]
        number = next(self._addresses)
        name = f"{self.bridge}-{host}"
        found = Namespace(name, host, f"{self.prefix}.{number}", f"{self.bridge}v{number}")
        run("ip", "netns", "add", name)
        run("ip", "link", "add", found.cable, "type", "veth", "peer", "name", "eth0", "netns", name)
        run("ip", "link", "set", found.cable, "master", self.bridge, "up")
        inside = ("ip", "-n", name)
        run(*inside, "address", "add", f"{found.address}/24", "dev", "eth0")
        run(*inside, "link", "set", "eth0", "up")
        run(*inside, "link", "set", "lo", "up")
        with self.hosts.open("a") as lines:
            lines.write(f"{found.address} {host}\n")
        self.namespaces[host] = found
        return found

    def close(self) -> None:
        for each in self.namespaces.values():
            run("ip", "netns", "delete", each.name)
        run("ip", "link", "delete", self.bridge)
