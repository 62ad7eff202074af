"""Two hosts on one machine: network namespaces, joined by a switch whose cable a test can pull.

A pulled cable is silent, as in a machine room: both hosts keep their addresses, and no packet and
no reset comes through.
"""

import ctypes
import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from trackside.stack import Missing

INSIDE = "10.231.16.1"  # the first host, as the second one reaches it
SECOND = "10.231.16.2"
CLONE_NEWNET = 0x40000000


@dataclass(frozen=True)
class Hosts:
    """The first one has the site; the second one has a worker."""

    first: str
    second: str
    switch: str

    def on_second(self, *command: str) -> tuple[str, ...]:
        """The command that runs this one on the second host."""
        return ("ip", "netns", "exec", self.second, *command)

    def cut(self) -> None:
        _ip("-n", self.switch, "link", "set", "to-second", "nomaster")

    def mend(self) -> None:
        _ip("-n", self.switch, "link", "set", "to-second", "master", "sw0")


@contextmanager
def two_hosts() -> Iterator[Hosts]:
    """While the block runs this thread, and what it starts, is on the first host. Raises `Missing`
    where network namespaces cannot be made."""
    hosts = Hosts(*(f"trackside-{name}-{os.getpid()}" for name in ("first", "second", "switch")))
    with ExitStack() as ends:
        try:
            _lay_cables(hosts, ends)
            ends.enter_context(_inside_of(hosts.first))
        except OSError as error:
            raise Missing(f"Network namespaces cannot be made here: {error}") from error
        yield hosts


def _lay_cables(hosts: Hosts, ends: ExitStack) -> None:
    for name in (hosts.switch, hosts.first, hosts.second):
        _ip("netns", "add", name)
        ends.callback(_ip, "netns", "delete", name)
        _ip("-n", name, "link", "set", "lo", "up")
    _ip("-n", hosts.switch, "link", "add", "name", "sw0", "type", "bridge")
    _ip("-n", hosts.switch, "link", "set", "sw0", "up")
    for host, port, address in (
        (hosts.first, "to-first", INSIDE),
        (hosts.second, "to-second", SECOND),
    ):
        _ip("-n", hosts.switch, "link", "add", "name", port, "type", "veth",
            "peer", "name", "cable", "netns", host)  # fmt: skip
        _ip("-n", hosts.switch, "link", "set", port, "master", "sw0", "up")
        _ip("-n", host, "address", "add", f"{address}/24", "dev", "cable")
        _ip("-n", host, "link", "set", "cable", "up")


@contextmanager
def _inside_of(name: str) -> Iterator[None]:
    """`ip netns exec` for this thread."""
    with (
        Path("/proc/thread-self/ns/net").open() as ours,
        Path(f"/var/run/netns/{name}").open() as theirs,
    ):
        _enter(theirs.fileno())
        try:
            yield
        finally:
            _enter(ours.fileno())


def _enter(namespace: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(namespace, CLONE_NEWNET):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _ip(*arguments: str) -> None:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"ip {' '.join(arguments)}: {done.stderr.strip()}")
