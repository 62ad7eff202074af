"""The ports of the servers that tests and the stack start."""

import socket
import subprocess
import sys

import pytest

from trackside.processes import HOST, free_port

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="ports are kept on Linux only")
# What starts at the same time and was given the same port: by a program that then binds it, or by
# the kernel, which gives the connections of others any port that it holds to be free.
TAKES = """
import socket, sys
with socket.socket() as other:
    other.bind((sys.argv[1], int(sys.argv[2])))
"""


def test_a_port_stays_free_for_the_server_that_is_started_later() -> None:
    port = free_port()
    taken = subprocess.run([sys.executable, "-c", TAKES, HOST, str(port)], capture_output=True)
    assert b"Address already in use" in taken.stderr
    for _ in range(2):  # also when it is started again
        with socket.create_server((HOST, port)), socket.create_connection((HOST, port)):
            pass
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((HOST, port))
