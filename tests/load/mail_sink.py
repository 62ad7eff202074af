"""python -m tests.load.mail_sink PORT FILE: a mail server that notes the recipients in a file."""

import socketserver
import sys
from pathlib import Path

from trackside.processes import HOST, listens
from trackside.stack import Stack


class Session(socketserver.StreamRequestHandler):
    """As much of SMTP as Python's own client speaks."""

    def handle(self) -> None:
        self._say(220, "sink")
        recipients: list[str] = []
        for line in self.rfile:
            command = line.decode().strip()
            verb = command[:4].upper()
            if verb == "RCPT":
                recipients.append(command.partition("<")[2].partition(">")[0])
            if verb == "DATA":
                self._say(354, "go on")
                while self.rfile.readline() not in (b".\r\n", b""):
                    pass
                with Path(sys.argv[2]).open("a") as file:
                    file.writelines(f"{each}\n" for each in recipients)
            self._say(221 if verb == "QUIT" else 250, "ok")
            if verb == "QUIT":
                return

    def _say(self, code: int, text: str) -> None:
        self.wfile.write(f"{code} {text}\r\n".encode())


def start_mail_server(stack: Stack) -> None:
    """At the address of EMAIL_URL; it ends with the stack."""
    port = stack.environment["EMAIL_URL"].rpartition(":")[2]
    heard = recipients_file(stack)
    heard.touch()
    stack.start("mail", sys.executable, "-m", "tests.load.mail_sink", port, str(heard))
    stack.wait_for("the mail server", lambda: listens(int(port)))


def recipients_file(stack: Stack) -> Path:
    """One line for each recipient of each mail."""
    return stack.folder / "recipients"


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True


if __name__ == "__main__":
    with Server((HOST, int(sys.argv[1])), Session) as server:
        server.serve_forever()
