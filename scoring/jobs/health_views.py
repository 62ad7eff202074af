"""For those who run the site: is it well, and what are its figures?"""

from collections.abc import Iterator
from dataclasses import asdict

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from scoring.jobs import health_probes
from scoring.jobs.health import abandoned, check_health, oldest_waiting, work_by_kind


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 while all is well, else 503, within two seconds. `?of=web` leaves out broker, mail and
    workers: a restart of the web process does not mend them, and pages and uploads go on. No figure
    is told: how much waits is the metrics' to say."""
    facts = asdict(check_health())
    if request.GET.get("of") == "web":
        facts = {name: facts[name] for name in ("database", "storage")}
    return JsonResponse(facts, status=200 if all(facts.values()) else 503)


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """For Prometheus, whoever holds the token; without METRICS_TOKEN there is no such page."""
    sent = request.headers.get("Authorization", "")
    token = settings.METRICS_TOKEN
    if not token or not constant_time_compare(sent, f"Bearer {token}"):
        raise Http404
    registry = CollectorRegistry()
    registry.register(_Figures())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


class _Figures:
    """Those of the work come from the database, so that every web process tells the same."""

    def collect(self) -> Iterator[Metric]:
        answers = health_probes.answers()
        up = GaugeMetricFamily(
            "trackside_part_up", "Whether a part answers and does its work.", labels=["part"]
        )
        for part, is_up in answers.items():
            up.add_metric([part], is_up)
        yield up
        if answers["database"]:
            yield GaugeMetricFamily(
                "trackside_oldest_waiting_seconds",
                "How long the oldest waiting job has waited.",
                value=oldest_waiting(),
            )
            yield GaugeMetricFamily(
                "trackside_abandoned_jobs",
                "Running jobs whose lease ran out and that no worker took back.",
                value=abandoned(),
            )
            yield from _work_figures()


def _work_figures() -> Iterator[Metric]:
    jobs = GaugeMetricFamily("trackside_jobs", "Jobs by kind and state.", labels=["kind", "state"])
    attempts = CounterMetricFamily("trackside_job_attempts", "Attempts.", labels=["kind"])
    lost = CounterMetricFamily(
        "trackside_lost_leases", "Attempts whose worker went silent.", labels=["kind"]
    )
    seconds = CounterMetricFamily(
        "trackside_job_seconds", "Time spent on jobs that are done.", labels=["kind"]
    )
    for work in work_by_kind():
        for state in ("waiting", "running", "failed", "done"):
            jobs.add_metric([work.kind, state], getattr(work, state))
        attempts.add_metric([work.kind], work.attempts)
        lost.add_metric([work.kind], work.lost_leases)
        seconds.add_metric([work.kind], work.seconds)
    yield from (jobs, attempts, lost, seconds)
