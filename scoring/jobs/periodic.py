"""Periodic tasks: the timer of every worker requests them, and one worker performs them."""

from datetime import timedelta
from typing import Final

from django.db.models.functions import Now

from scoring.models import PeriodicTask

TELL_SECONDS: Final = 60
TIDY_SECONDS: Final = 3600
EARLY: Final = 0.9  # of a period: the timers of workers are a little early or late


def claim(name: str, seconds: float) -> bool:
    """Whether this worker is to perform the task, which is due every `seconds`. By
    compare-and-swap: of two workers that ask at the same time, one is."""
    due = PeriodicTask.objects.filter(
        name=name, claimed_at__lte=Now() - timedelta(seconds=EARLY * seconds)
    )
    if due.update(claimed_at=Now()):
        return True
    # No row was due: the task is not due yet, or no worker has ever claimed it.
    _, is_new = PeriodicTask.objects.get_or_create(name=name, defaults={"claimed_at": Now()})
    return is_new
