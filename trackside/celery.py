"""The Celery application, and the timer of the worker that sweeps.

The row in the database decides about a job, and a message only wakes a worker. The sweeper, which
runs in every worker, sends messages again for jobs that still wait.
"""

import logging
import os
import threading
from typing import Any

from celery import Celery, bootsteps

from trackside import folder_broker, request_ids  # noqa: F401 - its signals name tasks
from trackside.environment import exit_if_unreadable

exit_if_unreadable()
folder_broker.install()
app = Celery("trackside")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["scoring"])

# The sweep runs in the worker's main process, and another thread forks new children. A child
# that inherits an open SQLite connection closes it at some time, which unlinks the log that the
# others write to. No process forks while the lock is held.
sweeping = threading.Lock()
os.register_at_fork(
    before=sweeping.acquire, after_in_parent=sweeping.release, after_in_child=sweeping.release
)

log = logging.getLogger(__name__)


class Sweeper(bootsteps.StartStopStep):
    """In the worker's main process: sweeps and reports the worker every SWEEP_SECONDS; every minute
    requests the task that sends notices of opening and closing, and every hour the task that
    deletes unused files. One worker performs them."""

    requires = {"celery.worker.components:Timer"}

    def start(self, worker: Any) -> None:
        from django.conf import settings  # the settings are only known once a worker starts

        from scoring.jobs.periodic import TELL_SECONDS, TIDY_SECONDS

        self.entries = [
            worker.timer.call_repeatedly(settings.SWEEP_SECONDS, self.sweep, (worker,)),
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
        """Requests a task that is requested again after `seconds`. The message expires by then, so
        that a busy worker finds one message."""
        try:
            app.send_task(task, expires=seconds)
        except Exception:  # the broker is down: the timer continues
            log.warning("The broker did not accept %s. The timer tries again.", task, exc_info=True)

    @staticmethod
    def sweep(worker: Any) -> None:
        from django.db import DatabaseError, connections

        from scoring.jobs import workers
        from scoring.jobs.housekeeping import sweep

        with sweeping:
            try:
                sweep()
                workers.report(worker.hostname, worker.pool.num_processes)
            except DatabaseError:
                log.exception("The sweep failed; the next one tries again.")
            finally:
                # So that a child that is forked later has none of them.
                connections.close_all()


app.steps["worker"].add(Sweeper)
