"""The Celery application and the worker's timer that sweeps.

The database row is the truth about a job, a message only wakes a worker. The sweeper, which every
worker runs on its own timer, sends messages again for jobs that still wait.
"""

import logging
import os
import threading
from typing import Any

from celery import Celery, bootsteps

from trackside import folder_broker, request_ids  # noqa: F401 - its signals name tasks

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "trackside.settings")

folder_broker.install()
app = Celery("trackside")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["scoring"])

TIDY_SECONDS = 3600
TELL_SECONDS = 60

# The sweep runs in the worker's main process, beside the thread that forks new children. A child
# that inherited its open SQLite connection would one day close it, and so unlink the log that the
# others write to. While the lock is held nobody forks.
sweeping = threading.Lock()
os.register_at_fork(
    before=sweeping.acquire, after_in_parent=sweeping.release, after_in_child=sweeping.release
)

log = logging.getLogger(__name__)


class Sweeper(bootsteps.StartStopStep):
    """Sweeps every SWEEP_SECONDS, in the worker's main process. Asks a worker
    every minute to tell what the clock has opened and closed, and every hour to delete the files
    that no row owns."""

    requires = {"celery.worker.components:Timer"}

    def start(self, worker: Any) -> None:
        from django.conf import settings  # the settings are only known once a worker starts

        self.entries = [
            worker.timer.call_repeatedly(settings.SWEEP_SECONDS, self.sweep),
            worker.timer.call_repeatedly(
                TELL_SECONDS, self.ask, ("scoring.tell_due", TELL_SECONDS)
            ),
            worker.timer.call_repeatedly(TIDY_SECONDS, self.ask, ("scoring.tidy", TIDY_SECONDS)),
        ]

    def stop(self, worker: Any) -> None:
        for entry in self.entries:
            entry.cancel()

    @staticmethod
    def ask(task: str, seconds: float) -> None:
        """Asks for a task that is asked for again in so many seconds: a worker that is busy for
        longer finds one message and not a heap."""
        try:
            app.send_task(task, expires=seconds)
        except Exception:  # no broker: the timer goes on
            log.warning("No broker to ask for %s; the timer asks again.", task, exc_info=True)

    @staticmethod
    def sweep() -> None:
        from django.db import DatabaseError, connections

        from scoring.jobs.housekeeping import sweep

        with sweeping:
            try:
                sweep()
            except DatabaseError:
                log.exception("The sweep failed; the next one tries again.")
            finally:
                connections.close_all()


app.steps["worker"].add(Sweeper)
