"""Probes of the site's parts. Each probe checks that the part works and not only that it responds:
a storage that is full or read-only responds, but is of no use."""

import os
import smtplib
import tempfile
from pathlib import Path

import redis
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection

from campaigns.models.identity import new_public_id
from scoring.jobs.housekeeping import PROBES_FOLDER
from scoring.jobs.probes import Probe, State

TIMEOUT = 1.0  # seconds that a request waits
# A part that does not respond in this time is busy, and not dead, for this many seconds after the
# beginning of the last check that succeeded.
RECENT_SECONDS = 10.0
REPEAT_SECONDS = 3.0  # two checks in a row may then take 3.5 s each
LIMITS = {"max_age": 2.0, "trusted": RECENT_SECONDS, "repeat": REPEAT_SECONDS}
MAIL_SECONDS = 15.0  # between two connections to the mail server
PROBE_FILE = f"{PROBES_FOLDER}/files/{new_public_id()}"  # of this process
PROBE_BYTES = 64 * 1024  # more than fits beside a file's name


def states(until: float) -> dict[str, State]:
    """The state of each part, at the latest at `until` of the monotonic clock. All are probed in
    parallel, and simultaneous requests share the checks."""
    # All begin before any is awaited, so that the wait is that of the slowest part.
    for probe in PROBES.values():
        probe.begin()
    return {name: probe.state(until) for name, probe in PROBES.items()}


def _check_database() -> None:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    finally:
        connection.close()  # this thread's own


def _check_storage() -> None:
    """Writes a file and deletes it again. What a silent store stored in the meantime is deleted by
    the next probe of the process, or as a file that no row owns."""
    default_storage.delete(PROBE_FILE)
    default_storage.delete(default_storage.save(PROBE_FILE, ContentFile(bytes(PROBE_BYTES))))


def _check_broker() -> None:
    """Writes to it: a full broker, or a replica, refuses."""
    if settings.USES_FOLDER_BROKER:
        folder = Path(settings.CELERY_BROKER_TRANSPORT_OPTIONS["data_folder_in"]).parent
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())
        return
    # With a shorter limit, a busy Redis would be reported as one that fails.
    limits = {"socket_timeout": RECENT_SECONDS, "socket_connect_timeout": RECENT_SECONDS}
    with redis.Redis.from_url(settings.BROKER_URL, **limits) as broker:
        broker.set("trackside-health", 1, ex=60)


def _check_mail() -> None:
    """Waits for the mail server's greeting; a site that prints its emails has no mail server."""
    if not settings.MAIL_TRANSPORT.endswith("smtp.EmailBackend"):
        return
    connect = smtplib.SMTP_SSL if getattr(settings, "EMAIL_USE_SSL", False) else smtplib.SMTP
    with connect(settings.EMAIL_HOST, settings.EMAIL_PORT, timeout=RECENT_SECONDS):
        pass


def make_probes() -> dict[str, Probe[None]]:
    for_mail = {
        "max_age": MAIL_SECONDS,
        "trusted": RECENT_SECONDS + MAIL_SECONDS,
        "repeat": MAIL_SECONDS,
    }
    return {
        "database": Probe("database", _check_database, **LIMITS),
        "storage": Probe("storage", _check_storage, **LIMITS),
        "broker": Probe("broker", _check_broker, **LIMITS),
        "mail": Probe("mail server", _check_mail, **for_mail),
    }


PROBES = make_probes()  # of this process
