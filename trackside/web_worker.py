"""gunicorn's threaded worker, which refuses connections as soon as it is told to end."""

from gunicorn.workers.gthread import ThreadWorker


class WebWorker(ThreadWorker):
    """gunicorn's own keeps its socket open while it ends its requests, but accepts nothing more:
    whoever connects meanwhile waits, and is reset in the end. The proxy cannot tell that from a
    process that died, and must not repeat the request. A refused connection it tries elsewhere."""

    def set_accept_enabled(self, enabled: bool) -> None:
        super().set_accept_enabled(enabled)
        if not self.alive:
            for listener in self.sockets:
                while self._accepts(listener):
                    pass
                listener.close()

    def _accepts(self, listener: object) -> bool:
        """Whether somebody was waiting to be accepted."""
        before = self.nr_conns
        self.accept(listener)
        return bool(self.nr_conns > before)
