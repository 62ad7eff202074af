"""*Try a file*: the full check of a run file against the topics of a campaign, without a trace.

The check runs in the web process while the person waits, because a job would need a stored file
and a stored result. So that it cannot occupy the process, it reads files of a moderate size only,
two at a time. The command `trackside check` has no such limits.
"""

import math
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.core.files.base import File
from django.template.defaultfilters import pluralize
from django.utils import timezone
from rest_framework.throttling import SimpleRateThrottle

from campaigns.access import Viewer
from campaigns.errors import SubmissionRefused
from campaigns.models import Run
from campaigns.text import zones
from campaigns.trec.names import composed
from campaigns.trec.problems import Problem
from scoring.evaluation.check import given_name
from scoring.evaluation.reading import parsed_file, ranking_of
from scoring.evaluation.validation_report import validation_report

UNPACKED_BYTES: Final = 64 * 1024 * 1024  # a run of 1,000 topics with 1,000 documents each
SECONDS: Final = 10.0  # of processor time
AT_ONCE: Final = 2  # files of one web process
PATIENCE: Final = 10.0  # seconds until a place must be free
_PLACES: Final = threading.BoundedSemaphore(AT_ONCE)


@dataclass(frozen=True)
class Trial:
    """What a submission of the file would have said."""

    name: str
    tag: str
    topics: int
    lines: int
    warnings: tuple[Problem, ...]
    report: dict[str, Any]


class Trials(SimpleRateThrottle):
    """Counted in the database, for all web processes together."""

    scope = "trials"

    def get_cache_key(self, viewer: Viewer, view: object) -> str:
        return self.cache_format % {"scope": self.scope, "ident": viewer.person.pk}


def try_file(viewer: Viewer, upload: File, name: str = "") -> Trial:
    """Checks a file as a submission with this run name would be checked. Raises
    `SubmissionRefused` if nobody may try files now, and `FormatError` with the file's problems."""
    codes = _codes(viewer)
    with _place(viewer):
        upload.seek(0)
        parsed = parsed_file(
            upload.file,
            viewer.campaign,
            codes,
            max_bytes=UNPACKED_BYTES,
            max_seconds=SECONDS,
            file_name=upload.name or "",
            is_named_by_tag=not name,
        )
        report = validation_report(parsed.warnings, ranking_of(parsed), codes)
    name, warnings = name or composed(parsed.tag), parsed.warnings
    if viewer.team is not None:
        # A run that is never saved: only its team matters for the name.
        name, renamed = given_name(Run(team=viewer.team), name)
        warnings = (*warnings, *renamed)
    return Trial(name, parsed.tag, len(parsed.topics), parsed.line_count, warnings, report)


def refuse_trials(viewer: Viewer) -> None:
    """Raises `SubmissionRefused` if the site would refuse any file of this viewer now."""
    _codes(viewer)


def _codes(viewer: Viewer) -> Sequence[str]:
    campaign = viewer.campaign
    if campaign.archived_at is not None:
        raise SubmissionRefused("This campaign is archived.", "archived")
    if not viewer.can_see_topics and campaign.topics_released_at is not None:
        released = campaign.topics_released_at  # the problems of a file would reveal topics
        date = zones.date_text(released, campaign.time_zone)
        message = f"Try files after the topics are released, on {date}."
        raise SubmissionRefused(message, "topics_unreleased", released)
    codes = list(campaign.topics.order_by("position").values_list("code", flat=True))
    if not codes:
        raise SubmissionRefused("This campaign has no topics yet.", "no_topics")
    return codes


@contextmanager
def _place(viewer: Viewer) -> Iterator[None]:
    throttle = Trials()
    # Counted before the wait for a place, so that attempts that end there count too.
    if not throttle.allow_request(viewer, None):
        seconds = throttle.wait() or 1
        minutes = math.ceil(seconds / 60)
        raise SubmissionRefused(
            f"You have tried many files. Try the next one in {minutes} minute{pluralize(minutes)}. "
            "Submissions are not affected.",
            "attempts",
            timezone.now() + timedelta(seconds=seconds),
        )
    if not _PLACES.acquire(timeout=PATIENCE):
        raise SubmissionRefused("Other files are being checked. Try again in a minute.", "busy")
    try:
        yield
    finally:
        _PLACES.release()
