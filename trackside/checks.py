"""Checks of settings that depend on each other, run by `manage.py check`."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.core.files.storage import default_storage
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.http.request import validate_host
from django.utils import timezone

from scoring.models import Backup
from trackside.applied_migrations import warning_about_newer

OLDEST_BACKUP = timedelta(days=8)  # so that a weekly one may be late
LEAST_PASSWORD = 12
LARGEST_IN_MEMORY = 2_621_440  # bytes


@register(Tags.async_support)
def check_time_limits(**_: object) -> list[CheckMessage]:
    """The soft limit, the hard limit and the redelivery must follow in this order, and a lease must
    be longer than two renewals."""
    found: list[CheckMessage] = []
    soft, hard = settings.CELERY_TASK_SOFT_TIME_LIMIT, settings.CELERY_TASK_TIME_LIMIT
    if not soft < hard:
        why = f"The soft time limit ({soft} s) must end before the hard one ({hard} s)."
        found.append(Error(why))
    visible = settings.CELERY_BROKER_TRANSPORT_OPTIONS.get("visibility_timeout")
    if visible is not None and not hard < visible:
        why = f"Messages come again after {visible} s, within a task's limit of {hard} s."
        found.append(Error(why))
    if not 2 * settings.RENEWAL_SECONDS <= settings.LEASE_SECONDS:
        found.append(Error("A lease must outlive two renewals: LEASE_SECONDS, RENEWAL_SECONDS."))
    return found


@register(Tags.security, deploy=True)
def check_deployment(**_: object) -> list[CheckMessage]:
    """Checks of a deployment, in addition to Django's own."""
    return list(_doubts_of_deployment())


@register(Tags.database)
def check_migrations(*, databases: list[str] | None = None, **_: object) -> list[CheckMessage]:
    """Run by `migrate`, and by `check --database default`."""
    return _newer_migrations() if databases else []


@register(Tags.database, deploy=True)
def check_deployed_migrations(
    *, databases: list[str] | None = None, **_: object
) -> list[CheckMessage]:
    """The same by `check --deploy`."""
    # With databases, `check_migrations` has said it already.
    return [] if databases else _newer_migrations()


@register(Tags.security, deploy=True)
def check_backups(**_: object) -> list[CheckMessage]:
    """Whether a backup was made lately. Says nothing if the database does not respond or has no
    tables yet."""
    try:
        is_lately = Backup.objects.filter(finished_at__gt=timezone.now() - OLDEST_BACKUP).exists()
    except DatabaseError:
        return []
    if is_lately:
        return []
    return [Warning(f"No backup was completed in the last {OLDEST_BACKUP.days} days: see the"
                    " command backup.")]  # fmt: skip


def _newer_migrations() -> list[CheckMessage]:
    """Says nothing if the database does not respond."""
    try:
        why = warning_about_newer(MigrationLoader(connection))
    except DatabaseError:
        return []
    return [Warning(why)] if why else []


def _doubts_of_deployment() -> Iterator[CheckMessage]:
    if "*" in settings.ALLOWED_HOSTS:
        yield Error("ALLOWED_HOSTS lets every host in: name yours.")
    if not settings.IS_HTTPS:
        yield Warning("HTTPS is not set: passwords and cookies travel in the open.")
    if settings.USES_SQLITE:
        yield Warning("SQLite serves one machine: set DATABASE_URL for a bigger site.")
    if not settings.EMAIL_URL:
        yield Warning("EMAIL_URL is not set: addresses are not confirmed, no mail is sent.")
    yield from _doubts_of_site_url()
    if settings.SESSION_SAVE_EVERY_REQUEST:
        yield Error("SESSION_SAVE_EVERY_REQUEST must stay off.")
    if settings.IS_HTTPS and not settings.NUM_PROXIES:
        yield Warning("HTTPS needs a proxy of yours that ends TLS and says so: set NUM_PROXIES.")
    yield from _wrong_file_modes()
    for name, is_well, reason in MUST_STAY:
        if not is_well(getattr(settings, name)):
            yield Error(f"{name} must stay as it is: {reason}.")


def _doubts_of_site_url() -> Iterator[CheckMessage]:
    """SITE_URL replaces the header Host, so Django must accept its host."""
    site = urlsplit(settings.SITE_URL)
    if not settings.SITE_URL:
        yield Warning("SITE_URL is not set: links in mails are made of what a client sends.")
    elif not validate_host(site.hostname or "", settings.ALLOWED_HOSTS):
        yield Error(f"ALLOWED_HOSTS lacks {site.hostname}, which SITE_URL names: add it.")


def _wrong_file_modes() -> Iterator[CheckMessage]:
    """Reads the modes from the storages, whichever settings they come from. A bucket has no
    modes."""
    uploads = getattr(default_storage, "file_permissions_mode", 0o600)
    if uploads is None or uploads & 0o007:
        yield Error(
            "Every account of this machine can read uploaded files: set file_permissions_mode of"
            ' STORAGES["default"] to 0o640.'
        )
    static = getattr(staticfiles_storage, "file_permissions_mode", 0o644)
    if static is not None and not static & 0o004:
        yield Error(
            f"collectstatic writes files of mode {static:o}, which the web server's account cannot"
            " read: set FILE_UPLOAD_PERMISSIONS to 0o644."
        )


# Settings that Django accepts and a deployment must not have: name, condition, reason.
MUST_STAY: list[tuple[str, Callable[[Any], bool], str]] = [
    ("MIDDLEWARE", lambda parts: not any("cache" in part.lower() for part in parts),
     "what one person may see is never kept for another"),
    ("MIDDLEWARE", lambda parts: not any("gzip" in part.lower() for part in parts),
     "a packed page tells its secrets by its length"),
    ("PASSWORD_HASHERS", lambda names: "Argon2" in names[0], "Argon2 comes first"),
    ("AUTH_PASSWORD_VALIDATORS", lambda value: _least_length(value) >= LEAST_PASSWORD,
     f"passwords have {LEAST_PASSWORD} characters or more"),
    ("AUTH_PASSWORD_VALIDATORS", lambda value: any("Common" in each["NAME"] for each in value),
     "common passwords are refused"),
    ("SESSION_COOKIE_HTTPONLY", bool, "no script reads a session"),
    ("SESSION_COOKIE_SAMESITE", lambda site: site in {"Lax", "Strict"}, "Lax or Strict"),
    ("FILE_UPLOAD_MAX_MEMORY_SIZE", lambda size: size <= LARGEST_IN_MEMORY, "uploads go to disk"),
    ("DATA_UPLOAD_MAX_MEMORY_SIZE", lambda size: size and size <= LARGEST_IN_MEMORY,
     "forms are small"),
    ("DATA_UPLOAD_MAX_NUMBER_FIELDS", lambda count: count and count <= 200, "forms are small"),
    ("DATA_UPLOAD_MAX_NUMBER_FILES", lambda count: count and count <= 5, "forms are small"),
    ("TIME_ZONE", lambda zone: zone == "UTC", "moments are UTC"),
    ("USE_TZ", bool, "moments are UTC"),
    ("CELERY_ACCEPT_CONTENT", lambda kinds: kinds == ["json"], "a message is data, not code"),
    ("REST_FRAMEWORK", lambda api: [each.rpartition(".")[2]
                                    for each in api["DEFAULT_RENDERER_CLASSES"]]
     == ["JSONRenderer"], "the API's own pages list what forms may hold"),
    ("CONTENT_SECURITY_POLICY", lambda policy: "'unsafe-inline'" not in
     policy["DIRECTIVES"]["script-src"] and policy["DIRECTIVES"]["default-src"] == ["'none'"],
     "no script but our own files"),
]  # fmt: skip


def _least_length(validators: list[dict[str, Any]]) -> int:
    lengths = [each.get("OPTIONS", {}).get("min_length", 0) for each in validators]
    return max(lengths, default=0)
