from django.apps import AppConfig


class ConfigConfig(AppConfig):
    """The site as a whole: its checks and its commands."""

    name = "config"

    def ready(self) -> None:
        from config import checks  # noqa: F401 - registers them
