"""The site's parts, each asked whether it does its work: a store that is full or cannot be written
answers, and is of no use."""

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
from scoring.jobs.probes import Probe

PATIENCE = 1.5  # seconds
TRIED_BYTES = 64 * 1024  # more than fits beside a file's name


def answers() -> dict[str, bool]:
    """Of each part, whether it answers; all are asked at once."""
    found: dict[str, bool] = {}

    def ask(name: str, probe: Probe) -> None:
        found[name] = probe.answers()

    askers = [Thread(target=ask, args=pair, daemon=True) for pair in PROBES.items()]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    return found


def _ask_database() -> None:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    finally:
        connection.close()  # this thread's own


def _ask_storage() -> None:
    """Writes a file and deletes it again."""
    name = default_storage.save(f"condition/{new_public_id()}", ContentFile(bytes(TRIED_BYTES)))
    default_storage.delete(name)


def _ask_broker() -> None:
    """Writes into it: one that is full, or a replica, refuses."""
    if settings.USES_FOLDER_BROKER:
        folder = Path(settings.CELERY_BROKER_TRANSPORT_OPTIONS["data_folder_in"]).parent
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(TRIED_BYTES))
            file.flush()
            os.fsync(file.fileno())
        return
    limits = {"socket_timeout": PATIENCE, "socket_connect_timeout": PATIENCE}
    with redis.Redis.from_url(settings.BROKER_URL, **limits) as broker:
        broker.set("trackside-condition", 1, ex=60)


def _ask_mail() -> None:
    """Waits for the mail server's greeting; a site that prints its mails has none."""
    if not settings.MAIL_TRANSPORT.endswith("smtp.EmailBackend"):
        return
    speak = smtplib.SMTP_SSL if getattr(settings, "EMAIL_USE_SSL", False) else smtplib.SMTP
    with speak(settings.EMAIL_HOST, settings.EMAIL_PORT, timeout=PATIENCE):
        pass


def make_probes() -> dict[str, Probe]:
    return {
        "database": Probe("database", _ask_database, patience=PATIENCE),
        "storage": Probe("storage", _ask_storage, patience=PATIENCE, fresh=2),
        "broker": Probe("broker", _ask_broker, patience=PATIENCE, fresh=2),
        "mail": Probe("mail server", _ask_mail, patience=PATIENCE, fresh=15),
    }


PROBES = make_probes()  # of this process
