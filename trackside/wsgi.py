"""The entry point for WSGI servers."""

import os

from django.core.wsgi import get_wsgi_application

from trackside.environment import exit_if_unreadable

DEFAULTS = {
    "STATEMENT_SECONDS": "30",  # the limit of a statement of a page
    "DATABASE_SILENT_SECONDS": "5",  # a busy database can take seconds to answer
    "BROKER_SECONDS": "1",
}
for name, default in DEFAULTS.items():
    os.environ[name] = os.environ.get(name) or default
exit_if_unreadable(3)  # with this status of a process, gunicorn ends and does not start another one
application = get_wsgi_application()
