"""Tables that take seconds to write, such as all pairs of 2,000 runs. A worker writes each once
into the storage, and web processes only pass the file on.

A stored table is for one URL, one audience and one state of the leaderboard, as a cached board is
(`scoring/results/cache.py`). A worker requests the URL as the person who asked for it first, so the
view decides what the table contains. When the state changes, nobody gets the table any more, and
housekeeping deletes it. A table whose leaderboard changes while it is written is written by web
processes until then: on a leaderboard that changes all the time, no worker would ever finish it.
"""

import gzip
import hashlib
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import timedelta
from functools import wraps
from importlib.metadata import version
from typing import IO, Any, Final, TypeAlias
from urllib.parse import unquote, urlsplit

from django.contrib.auth.models import AnonymousUser
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import resolve
from django.utils.cache import patch_vary_headers
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access
from campaigns.access import Viewer
from campaigns.client_address import request_being_answered
from campaigns.models.identity import new_public_id
from campaigns.stored_files import FileLost, open_stored
from scoring.analyses import budget
from scoring.analyses.responses import POLL_SECONDS
from scoring.jobs import queue
from scoring.models import Job, StoredTable
from scoring.output.compression import is_same_for_everyone, takes_gzip
from scoring.output.long_downloads import TableTooLong
from scoring.results.cache import board_key

AnyRequest: TypeAlias = HttpRequest | Request

KEPT: Final = 10  # tables of a campaign, the newest: for people, and as many for visitors
AT_ONCE: Final = 3  # of a person, or of all visitors, that wait for a worker
KEPT_FOR: Final = timedelta(days=1)
LONGEST_URL: Final = 500
HEADERS: Final = ("Content-Type", "Content-Disposition")  # that the view chose
ENDED: Final = (StoredTable.State.DONE, StoredTable.State.FAILED)


def stored_if_long(
    lookup: Callable[[HttpRequest, str], Viewer],
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorates the view of a table, which gets the viewer instead of the slug. `lookup` checks at
    every request whether the viewer may see the table. The table may depend on the campaign, its
    runs, scores, qrels and topics, on analyses of these, and on the audience, but not on who of the
    audience the viewer is. A table that takes long is written by a worker, for all of the audience;
    until then the response has status 202."""

    def mark(view: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(view)
        def respond(request: AnyRequest, slug: str, **options: str) -> HttpResponseBase:
            viewer = lookup(request, slug)
            stored = _requested_before(request, viewer)
            if stored is not None and stored.state != StoredTable.State.FAILED:
                return _response(request, viewer, stored)
            answered = request_being_answered.get()
            if answered is not None and stored is None:  # no worker, and none has failed
                answered.may_store_table = len(request.build_absolute_uri()) <= LONGEST_URL
            try:
                return view(request, viewer, **options)
            except TableTooLong:
                return _response(request, viewer, _request(request, viewer))

        return respond

    return mark


def _requested_before(request: AnyRequest, viewer: Viewer) -> StoredTable | None:
    """The table in the present state of the leaderboard, written or not. One query for most tables,
    which are never stored. None for the worker that writes it."""
    if request_being_answered.get() is None:
        return None
    url = request.build_absolute_uri()
    same = StoredTable.objects.filter(campaign=viewer.campaign, url=url)
    by_key = {stored.key: stored for stored in same}
    if not by_key:
        return None
    failed = (stored for stored in same if stored.state == StoredTable.State.FAILED)
    return by_key.get(_key(viewer, url)) or next(failed, None)


def _request(request: AnyRequest, viewer: Viewer) -> StoredTable:
    """Has a worker write the table. Raises `TooManyAnalyses` if the client has no budget left."""
    url = request.build_absolute_uri()
    person = viewer.person if viewer.person and viewer.person.is_authenticated else None
    with transaction.atomic():
        stored, is_new = StoredTable.objects.get_or_create(
            campaign=viewer.campaign,
            key=_key(viewer, url),
            defaults={"url": url, "person": person},
        )
        if is_new:
            waiting = StoredTable.objects.filter(campaign=viewer.campaign, person=person)
            if waiting.exclude(state__in=ENDED).count() > AT_ONCE:  # this one included
                # The exception takes back the new row, too.
                raise budget.TooManyAnalyses(POLL_SECONDS)
            budget.spend()
            queue.enqueue(
                Job.Kind.WRITE, subject=stored.pk, campaign_id=stored.campaign_id, is_long=True
            )
    return stored


def _response(request: AnyRequest, viewer: Viewer, stored: StoredTable) -> HttpResponseBase:
    """The file; 202 until it is written."""
    if stored.state != StoredTable.State.DONE:
        return _being_written(request, stored)
    try:
        file: Any = open_stored(stored.storage_key, stored.digest)
    except FileLost:
        # The file is written again, as if nobody had asked for it.
        stored.delete()
        return _being_written(request, _request(request, viewer))
    # Only what is the same for everyone may be compressed: see `compression.py`.
    is_packed = is_same_for_everyone(request) and takes_gzip(request)
    kind = stored.headers["Content-Type"]
    response = FileResponse(file if is_packed else _Unpacked(file), content_type=kind)
    for name, value in stored.headers.items():
        response[name] = value
    if is_packed:
        response["Content-Encoding"] = "gzip"
    patch_vary_headers(response, ("Cookie", "Accept-Encoding"))
    return response


def _being_written(request: AnyRequest, stored: StoredTable) -> HttpResponseBase:
    """A page that requests the file by itself, for browsers."""
    text = "The file is being written. Try again later."
    if isinstance(request, Request):
        body = {"code": "computing", "message": text, "state": stored.state}
        response: HttpResponse = Response(body, status=202)
    elif "text/html" in request.headers.get("Accept", ""):
        context = {"campaign": stored.campaign}
        response = render(request, "scoring/table_being_written.html", context, status=202)
        response["Refresh"] = str(POLL_SECONDS)
    else:
        response = HttpResponse(f"{text}\n", status=202, content_type="text/plain")
    response["Retry-After"] = str(POLL_SECONDS)
    return response


class _Unpacked:
    """A compressed file as FileResponse reads it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._unpacked = file, gzip.GzipFile(fileobj=file)

    def read(self, size: int) -> bytes:
        return self._unpacked.read(size)

    def close(self) -> None:
        self._unpacked.close()
        self._file.close()


def _key(viewer: Viewer, url: str) -> str:
    """Another release may have other columns."""
    besides = (version("trackside"), url)
    return board_key(viewer, QueryDict(), shows_topics=True, besides=besides)


# --- what a worker does ------------------------------------------------------------------------


def write_table(attempt: queue.JobAttempt) -> None:
    """Stores what the view responds in the newest state of the leaderboard. If that is no table any
    more, nothing is stored, and the next request asks for it again."""
    rows = StoredTable.objects.select_related("campaign", "person")
    stored = rows.filter(pk=attempt.subject).first()
    with tempfile.TemporaryFile() as out:
        headers = _write(stored, out) if stored and _take_newest_state(stored) else None
        is_current = headers is not None and stored is not None and _is_current(stored)
        file = _store(out) if is_current else {}
    with transaction.atomic():
        queue.finish(attempt)
        if stored is None:
            return
        if headers is None:
            stored.delete()
            return
        state = StoredTable.State.DONE if is_current else StoredTable.State.FAILED
        rows.filter(pk=stored.pk).update(state=state, headers=headers, **file)
        ended = rows.filter(
            campaign=stored.campaign, person__isnull=stored.person is None, state__in=ENDED
        )
        _delete(ended.order_by("-pk")[KEPT:])


def _take_newest_state(stored: StoredTable) -> bool:
    """False if the person does not see the campaign, or if another row is of the newest state."""
    key = _present_key(stored)
    if not key or key == stored.key:
        return bool(key)
    with suppress(IntegrityError), transaction.atomic():
        StoredTable.objects.filter(pk=stored.pk).update(key=key)
        stored.key = key
    return stored.key == key


def _write(stored: StoredTable, out: IO[bytes]) -> dict[str, str] | None:
    """Writes the body of the response, compressed, and returns its headers."""
    request = _request_of(stored)
    view = resolve(request.path_info)
    try:
        # The view alone, without the middleware: the request has its person already.
        response = view.func(request, *view.args, **view.kwargs)
    except Http404:
        return None
    if isinstance(response, Response):
        response.render()
    if response.status_code != 200:
        return None
    # With the time of compression, equal contents would have different bytes.
    with gzip.GzipFile(fileobj=out, mode="wb", mtime=0) as packed:
        for block in response if response.streaming else [response.content]:
            packed.write(block)
    return {name: response[name] for name in HEADERS if name in response}


def _store(out: IO[bytes]) -> dict[str, str]:
    out.seek(0)
    digest, identity = hashlib.file_digest(out, "sha256").hexdigest(), new_public_id()
    out.seek(0)
    key = default_storage.save(f"tables/{identity[:2]}/{identity}", File(out))
    return {"storage_key": key, "digest": digest}


class _Request(HttpRequest):
    """Of a worker, with the scheme of the URL."""

    def __init__(self, scheme: str) -> None:
        super().__init__()
        self._scheme = scheme

    def _get_scheme(self) -> str:
        return self._scheme


def _request_of(stored: StoredTable) -> HttpRequest:
    """As from the person who asked for the table first."""
    url = urlsplit(stored.url)
    request = _Request(url.scheme)
    request.method, request.user = "GET", stored.person or AnonymousUser()
    request.path = request.path_info = unquote(url.path)
    request.GET = QueryDict(url.query)
    request.META = {
        # The view builds absolute URLs from the host.
        "REQUEST_METHOD": "GET", "QUERY_STRING": url.query, "HTTP_HOST": url.netloc,
    }  # fmt: skip
    return request


def _present_key(stored: StoredTable) -> str:
    """Of the leaderboard as it is now; "" if the person does not see the campaign."""
    request = _request_of(stored)
    with suppress(Http404):
        viewer = access.viewer_or_404(request.user, stored.campaign.slug, params=request.GET)
        return _key(viewer, stored.url)
    return ""


def _is_current(stored: StoredTable) -> bool:
    return _present_key(stored) == stored.key


def delete_outdated() -> None:
    """Deletes the tables of a state that has passed, and those of yesterday."""
    _delete(StoredTable.objects.filter(created_at__lt=Now() - KEPT_FOR))
    left = StoredTable.objects.filter(state__in=ENDED).select_related("campaign", "person")
    _delete(stored for stored in left if not _is_current(stored))


def _delete(tables: Iterable[StoredTable]) -> None:
    """The files are deleted later, with those that no row owns, so that whoever reads one now gets
    it whole."""
    StoredTable.objects.filter(pk__in=[stored.pk for stored in tables]).delete()
