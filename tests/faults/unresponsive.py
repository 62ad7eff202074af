"""Servers that accept and say nothing, and servers that are stopped: what a hung disk, a frozen
machine or a dead process behind a living kernel looks like."""

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psutil

from trackside.processes import HOST


@contextmanager
def accepting_and_saying_nothing() -> Iterator[int]:
    """Its port."""
    kept: list[socket.socket] = []

    def accept() -> None:
        while True:
            try:
                kept.append(listener.accept()[0])
            except OSError:  # closed: the test is over
                return

    with socket.create_server((HOST, 0)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            for connection in kept:
                connection.close()


@contextmanager
def stopped(process: int) -> Iterator[None]:
    """SIGSTOP to a process and to all that it started, until the block ends. A child that was just
    ending may be gone at any point, and the others go on all the same."""
    main = psutil.Process(process)
    main.suspend()  # first, so that it starts no others
    children = main.children(recursive=True)
    _signal(children, signal.SIGSTOP)
    try:
        yield
    finally:
        _signal([main, *children], signal.SIGCONT)


def _signal(processes: list[psutil.Process], number: signal.Signals) -> None:
    for each in processes:
        with suppress(psutil.NoSuchProcess):
            each.send_signal(number)
