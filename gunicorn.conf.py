"""gunicorn reads this file when it is started in this folder."""

from trackside.gunicorn_settings import *  # noqa: F403
