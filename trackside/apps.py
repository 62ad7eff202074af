from django.apps import AppConfig


class TracksideConfig(AppConfig):
    """The site as a whole: its checks, its commands and its Celery application."""

    name = "trackside"

    def ready(self) -> None:
        # Tasks belong to the application that exists when they are first called.
        from trackside import celery, checks  # noqa: F401 - checks are registered by their import
