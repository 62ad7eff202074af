"""The entry point for WSGI servers."""

import os
from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIEnvironment

from django.core.wsgi import get_wsgi_application

from trackside.environment import exit_if_unreadable
from trackside.stack_chunk import in_one_stack_chunk

DEFAULTS = {
    "STATEMENT_SECONDS": "30",  # the limit of a statement of a page
    "DATABASE_SILENT_SECONDS": "5",  # a busy database can take seconds to answer
    "BROKER_SECONDS": "1",
}
for name, default in DEFAULTS.items():
    os.environ[name] = os.environ.get(name) or default
exit_if_unreadable(3)  # with this status of a process, gunicorn ends and does not start another one
django_application = get_wsgi_application()


@in_one_stack_chunk
def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    return django_application(environ, start_response)
