"""gunicorn's threaded worker, which refuses connections as soon as it is told to stop."""

from gunicorn.workers.gthread import ThreadWorker


class WebWorker(ThreadWorker):
    """gunicorn's own worker keeps its socket open while it finishes its requests, but accepts no
    more. A client that connects in the meantime waits, and its connection is reset in the end. The
    proxy cannot distinguish that from a process that died, and must not repeat the request. It
    tries a refused connection with another process."""

    def set_accept_enabled(self, enabled: bool) -> None:
        super().set_accept_enabled(enabled)
        if not self.alive:
            for listener in self.sockets:
                # Clients that the kernel has let in already are served before the socket is closed.
                while self._accepts(listener):
                    pass
                listener.close()

    def _accepts(self, listener: object) -> bool:
        """Whether a connection was waiting to be accepted."""
        before = self.nr_conns
        self.accept(listener)
        return bool(self.nr_conns > before)
