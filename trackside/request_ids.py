"""One id for a request and everything that it starts. It is in every log line of web and worker and
in the response, so that a person who reports an error can name it."""

import json
import logging
import re
import uuid
from collections.abc import Callable
from typing import Any

from celery.signals import before_task_publish, task_postrun, task_prerun
from django.http import HttpRequest, HttpResponse

from scoring.jobs.tracing import request_id as current

HEADER = "X-Request-ID"
SOUND = re.compile(r"[A-Za-z0-9-]{8,64}", re.ASCII)


def stamp_request(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Uses the id from the proxy, or creates one."""

    def middleware(request: HttpRequest) -> HttpResponse:
        given = request.headers.get(HEADER, "")
        # What a client sends would be in every log line.
        known = current.set(given if SOUND.fullmatch(given) else uuid.uuid4().hex)
        try:
            response = get_response(request)
            response[HEADER] = current.get()
        finally:
            current.reset(known)
        return response

    return middleware


class Named(logging.Filter):
    """Adds the request's id to every log record."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = current.get()
        return True


class JsonLines(logging.Formatter):
    """One JSON object per line, for programs that read logs."""

    def format(self, record: logging.LogRecord) -> str:
        facts: dict[str, Any] = {
            "at": self.formatTime(record),
            "level": record.levelname,
            "logger": record.name,
            "request_id": getattr(record, "request_id", "-"),
            "message": record.getMessage(),
        }
        if record.exc_info:
            facts["traceback"] = self.formatException(record.exc_info)
        return json.dumps(facts)


@before_task_publish.connect
def _send_along(headers: dict[str, Any] | None = None, **_: object) -> None:
    if headers is not None:
        headers["request_id"] = current.get()


@task_prerun.connect
def _take_up(task: Any = None, **_: object) -> None:
    current.set(getattr(task.request, "request_id", None) or "-")


@task_postrun.connect
def _lay_down(**_: object) -> None:
    current.set("-")
