"""The tables of a site that a test starts beside its own, made from the models."""

from django.apps import apps
from django.conf import settings
from django.core.management import call_command


def make_tables() -> None:
    """In a tenth of the time that the migrations take, and what they make, `createcachetable`
    apart, is the same."""
    settings.MIGRATION_MODULES = {app.label: None for app in apps.get_app_configs()}
    call_command("migrate", run_syncdb=True, verbosity=0)
    call_command("createcachetable", verbosity=0)
