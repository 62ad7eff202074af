"""The Celery application and the worker's timer that sweeps.

The database row is the truth about a job, a message only the bell. The sweeper, which every
worker carries on its own timer, rings again for what nobody came for.
"""

import logging
import os
from typing import Any

from celery import Celery, bootsteps

from config import folder_broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

folder_broker.install()
app = Celery("trackside")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["scoring"])

TIDY_SECONDS = 3600

log = logging.getLogger(__name__)


class Sweeper(bootsteps.StartStopStep):
    """Calls `scoring.jobs.sweep` every SWEEP_SECONDS in the worker's main process, and every hour
    asks a worker to delete the files that no row owns."""

    requires = {"celery.worker.components:Timer"}

    def start(self, worker: Any) -> None:
        from django.conf import settings  # the settings are only known once a worker starts

        self.entries = [
            worker.timer.call_repeatedly(settings.SWEEP_SECONDS, self.sweep),
            worker.timer.call_repeatedly(TIDY_SECONDS, app.send_task, ("scoring.tidy",)),
        ]

    def stop(self, worker: Any) -> None:
        for entry in self.entries:
            entry.cancel()

    @staticmethod
    def sweep() -> None:
        from django.db import DatabaseError, connections

        from scoring.jobs import sweep

        try:
            sweep()
        except DatabaseError:
            log.exception("The sweep failed; the next one tries again.")
        finally:
            # The worker forks its children from this process: none may inherit a connection.
            connections.close_all()


app.steps["worker"].add(Sweeper)
