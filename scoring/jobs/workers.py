"""The workers that are alive, and how many analyses they may compute at the same time."""

from datetime import timedelta

from django.conf import settings
from django.db.models import Sum
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now

from scoring.models import Worker


def report(name: str, slots: int) -> None:
    """Records that this worker is alive, and removes those that stopped reporting."""
    Worker.objects.update_or_create(name=name, defaults={"slots": slots, "seen_at": Now()})
    Worker.objects.filter(seen_at__lt=_oldest()).delete()


def slots() -> int:
    """How many jobs all workers together perform at the same time."""
    alive = Worker.objects.filter(seen_at__gte=_oldest())
    total: int | None = alive.aggregate(total=Sum("slots"))["total"]
    return total or 0


def analyses_at_once(*, is_long: bool) -> int:
    """At least one. With the default share, quick and long ones together leave one of three slots
    or more free for uploads."""
    share = settings.ANALYSES_SHARE / (2 if is_long else 1)
    return max(1, int(slots() * share))


def _oldest() -> CombinedExpression:
    """Workers report every SWEEP_SECONDS."""
    # Three times as long, because a report may be late or get lost.
    return Now() - timedelta(seconds=3 * settings.SWEEP_SECONDS)
