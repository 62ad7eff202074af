"""Health checks and metrics, for operators."""

import time
from collections.abc import Iterator

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from scoring.jobs import health_probes, workers
from scoring.jobs.health import (
    abandoned_count,
    check_health,
    job_statistics,
    last_backup,
    oldest_waiting_seconds,
)
from scoring.jobs.probes import State


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 if all parts work, else 503, within two seconds. `?of=web` leaves out broker, mail and
    workers: a restart of the web process does not repair them, and pages and uploads still work.
    `busy` names parts that count as working because they did a few seconds ago. The metrics have
    the figures, such as the length of the queue."""
    health = check_health()
    names = ["database", "storage"] if request.GET.get("of") == "web" else list(health.works)
    answer: dict[str, object] = {name: health.works[name] for name in names}
    status = 200 if all(answer.values()) else 503
    if busy := [name for name in health.busy if name in names]:
        answer["busy"] = busy
    if health.last_backup:
        answer["last_backup"] = health.last_backup
    return JsonResponse(answer, status=status)


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """For Prometheus, with the token METRICS_TOKEN; 404 if that is not set."""
    sent = request.headers.get("Authorization", "")
    token = settings.METRICS_TOKEN
    # In constant time: otherwise the time of the answer tells how much of a guess is right.
    if not token or not constant_time_compare(sent, f"Bearer {token}"):
        raise Http404
    registry = CollectorRegistry()
    registry.register(_Collector())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


class _Collector:
    """Reads job statistics from the database, so that every web process reports the same."""

    def collect(self) -> Iterator[Metric]:
        states = health_probes.states(time.monotonic() + health_probes.TIMEOUT)
        up = GaugeMetricFamily(
            "trackside_part_up", "Whether a part responds and works.", labels=["part"]
        )
        for part, state in states.items():
            up.add_metric([part], state is not State.FAILS)
        yield up
        # Only then: the other figures are queries, which would wait for a busy database.
        if states["database"] is State.WORKS:
            yield GaugeMetricFamily(
                "trackside_oldest_waiting_seconds",
                "How long the oldest waiting job has waited.",
                value=oldest_waiting_seconds(),
            )
            yield GaugeMetricFamily(
                "trackside_abandoned_jobs",
                "Running jobs whose lease expired and that no worker has requeued.",
                value=abandoned_count(),
            )
            yield GaugeMetricFamily(
                "trackside_worker_slots",
                "Jobs that the workers perform at the same time, as they reported.",
                value=workers.slots(),
            )
            if backup := last_backup():
                yield GaugeMetricFamily(
                    "trackside_last_backup_timestamp_seconds",
                    "When the last backup was completed.",
                    value=backup.finished_at.timestamp(),
                )
                yield GaugeMetricFamily(
                    "trackside_last_backup_faults",
                    "Files that were missing or damaged in the last backup.",
                    value=backup.faults,
                )
            yield from _job_metrics()


def _job_metrics() -> Iterator[Metric]:
    jobs = GaugeMetricFamily("trackside_jobs", "Jobs by kind and state.", labels=["kind", "state"])
    attempts = CounterMetricFamily("trackside_job_attempts", "Attempts.", labels=["kind"])
    lost = CounterMetricFamily(
        "trackside_lost_leases", "Attempts whose worker stopped responding.", labels=["kind"]
    )
    seconds = CounterMetricFamily(
        "trackside_job_seconds", "Time spent on jobs that are done.", labels=["kind"]
    )
    for statistics in job_statistics():
        for state in ("waiting", "running", "failed", "done"):
            jobs.add_metric([statistics.kind, state], getattr(statistics, state))
        attempts.add_metric([statistics.kind], statistics.attempts)
        lost.add_metric([statistics.kind], statistics.lost_leases)
        seconds.add_metric([statistics.kind], statistics.seconds)
    yield from (jobs, attempts, lost, seconds)
