"""Probes of the site's parts. Each probe checks that the part works and not only that it responds:
a storage that is full or read-only responds, but is of no use."""

import os
import smtplib
import tempfile
from pathlib import Path
from threading import Thread

import redis
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection

from campaigns.models.identity import new_public_id
from scoring.jobs.housekeeping import PROBES_FOLDER
from scoring.jobs.probes import Probe

TIMEOUT = 1.5  # seconds
PROBE_FILE = f"{PROBES_FOLDER}/files/{new_public_id()}"  # of this process
PROBE_BYTES = 64 * 1024  # more than fits beside a file's name


def answers() -> dict[str, bool]:
    """Whether each part works; all are probed in parallel."""
    results: dict[str, bool] = {}

    def run(name: str, probe: Probe) -> None:
        results[name] = probe.answers()

    threads = [Thread(target=run, args=pair, daemon=True) for pair in PROBES.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


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
    limits = {"socket_timeout": TIMEOUT, "socket_connect_timeout": TIMEOUT}
    with redis.Redis.from_url(settings.BROKER_URL, **limits) as broker:
        broker.set("trackside-health", 1, ex=60)


def _check_mail() -> None:
    """Waits for the mail server's greeting; a site that prints its emails has no mail server."""
    if not settings.MAIL_TRANSPORT.endswith("smtp.EmailBackend"):
        return
    connect = smtplib.SMTP_SSL if getattr(settings, "EMAIL_USE_SSL", False) else smtplib.SMTP
    with connect(settings.EMAIL_HOST, settings.EMAIL_PORT, timeout=TIMEOUT):
        pass


def make_probes() -> dict[str, Probe]:
    return {
        "database": Probe("database", _check_database, timeout=TIMEOUT),
        "storage": Probe("storage", _check_storage, timeout=TIMEOUT, max_age=2),
        "broker": Probe("broker", _check_broker, timeout=TIMEOUT, max_age=2),
        "mail": Probe("mail server", _check_mail, timeout=TIMEOUT, max_age=15),
    }


PROBES = make_probes()  # of this process
