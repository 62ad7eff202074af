"""What must hold between settings: said at `manage.py check`, before anybody finds out at night."""

from collections.abc import Iterator

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register


@register(Tags.async_support)
def check_time_limits(**_: object) -> list[CheckMessage]:
    """Soft limit, hard limit, redelivery: each later than the one before; a lease outlives two
    renewals."""
    return list(_limits_out_of_order())


@register(Tags.security, deploy=True)
def check_deployment(**_: object) -> list[CheckMessage]:
    """What Django's own checks do not ask of a served site."""
    return list(_doubts_of_deployment())


def _limits_out_of_order() -> Iterator[CheckMessage]:
    soft, hard = settings.CELERY_TASK_SOFT_TIME_LIMIT, settings.CELERY_TASK_TIME_LIMIT
    if not soft < hard:
        yield Error(f"The soft time limit ({soft} s) must end before the hard one ({hard} s).")
    visible = settings.CELERY_BROKER_TRANSPORT_OPTIONS.get("visibility_timeout")
    if visible is not None and not hard < visible:
        yield Error(f"Messages come again after {visible} s, within a task's limit of {hard} s.")
    if not 2 * settings.RENEWAL_SECONDS <= settings.LEASE_SECONDS:
        yield Error("A lease must outlive two renewals: LEASE_SECONDS, RENEWAL_SECONDS.")


def _doubts_of_deployment() -> Iterator[CheckMessage]:
    if "*" in settings.ALLOWED_HOSTS:
        yield Error("ALLOWED_HOSTS lets every host in: name yours.")
    if not settings.IS_HTTPS:
        yield Warning("HTTPS is not set: passwords and cookies travel in the open.")
    if settings.USES_SQLITE:
        yield Warning("SQLite serves one machine: set DATABASE_URL for a bigger site.")
    if not settings.EMAIL_URL:
        yield Warning("EMAIL_URL is not set: addresses are not confirmed, no mail is sent.")
    if settings.SESSION_SAVE_EVERY_REQUEST:
        yield Error("SESSION_SAVE_EVERY_REQUEST must stay off.")
