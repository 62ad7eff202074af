"""Requests to the API of a site: token, retries, and errors in words."""

import random
import time
from collections.abc import Callable, Iterable, Mapping
from http.client import HTTPException, HTTPMessage
from typing import IO, Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urljoin, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from trackside.api_version import API_VERSION, HEADER
from trackside.client.answers import Answer
from trackside.client.errors import SiteError

_PASSING: Final = frozenset({429, 502, 503, 504})  # statuses that a later attempt may not have
_LONGEST_PAUSE: Final = 60.0  # seconds; a longer wait is an error
_FIRST_PAUSE: Final = 0.5

Params = Mapping[str, object]
Body = Callable[[], Iterable[bytes]]  # made anew for each attempt


class Connection:
    """A site, and the token with which it is asked."""

    def __init__(self, url: str, token: str | None, *, timeout: float, attempts: int) -> None:
        if not _is_url(url):
            raise SiteError(f"{url!r} is not the URL of a site: write https://…")
        token = (token or "").strip()  # that of a file ends with a line break
        if not token.isascii() or not token.isprintable():
            raise SiteError("The token has characters that no token has. Copy it again.")
        self.url = url.rstrip("/") + "/"
        self._token, self._timeout, self._attempts = token, timeout, attempts
        self._opener = build_opener(_OnTheSameSite())

    def get(self, path: str, params: Params | None = None) -> Answer:
        """`path` is below `/api/`. Parameters that are None are left out."""
        given = {name: value for name, value in (params or {}).items() if value is not None}
        query = f"?{urlencode(given, doseq=True)}" if given else ""
        return self._ask(f"{path}{query}", {}, None)

    def get_ready(self, path: str, params: Params | None, *, wait: float) -> Answer:
        """The same for what a worker computes after the first request."""
        until = time.monotonic() + wait
        while (answer := self.get(path, params)).status == 202:
            pause = answer.pause or 2.0
            if time.monotonic() + pause > until:
                message = f"The site has not computed this within {wait:g} seconds. Try again."
                raise SiteError(message, code="computing", status=202)
            time.sleep(pause)
        return answer

    def post(self, path: str, headers: Mapping[str, str], body: Body) -> Answer:
        """Sends again what may not have arrived: give an `Idempotency-Key`."""
        return self._ask(path, headers, body)

    def _ask(self, path: str, headers: Mapping[str, str], body: Body | None) -> Answer:
        for attempt in range(1, self._attempts + 1):
            is_last = attempt == self._attempts
            pause: float | None = None
            try:
                answer = self._once(path, headers, body)
            except UnicodeError as error:  # of a header, such as the key of a submission
                raise SiteError(f"No request can have these characters: {error}") from None
            except (OSError, HTTPException) as error:
                if is_last:
                    reason = error.reason if isinstance(error, URLError) else error
                    why = str(reason) or type(reason).__name__
                    raise SiteError(f"{self.url} does not respond: {why}") from None
            else:
                pause = answer.pause
                is_long = pause is not None and pause > _LONGEST_PAUSE
                passes = answer.status in _PASSING or answer.is_cut_off
                if not passes or is_last or is_long:
                    return answer.accepted()
            if pause is None:
                # Twice as long each time, and many clients do not come back at the same moment.
                pause = _FIRST_PAUSE * 2.0**attempt * random.uniform(0.5, 1.0)  # noqa: S311
            time.sleep(pause)
        raise SiteError("attempts: at least one is needed")

    def _once(self, path: str, headers: Mapping[str, str], body: Body | None) -> Answer:
        token = {"Authorization": f"Token {self._token}"} if self._token else {}
        url = urljoin(self.url, f"api/{path}")
        # urllib sends what `body` yields; Request's annotation asks for less.
        given = {"Accept": "*/*", HEADER: API_VERSION, **headers, **token}
        request = Request(url, body() if body else None, given)  # noqa: S310 (see __init__)
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                return Answer(response.url, response.status, response.headers, response.read())
        except HTTPError as error:
            with error:
                return Answer(error.url, error.code, error.headers, error.read())


class _OnTheSameSite(HTTPRedirectHandler):
    """Another host must not get the token, and urllib would follow without what is posted."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        is_elsewhere = urlsplit(newurl)[:2] != urlsplit(req.full_url)[:2]
        if is_elsewhere or req.get_method() != "GET":
            old, new = urlsplit(req.full_url), urlsplit(newurl)
            where = f"{old.scheme}://{old.netloc} redirects to {new.scheme}://{new.netloc}"
            advice = "use this URL if it is that of the site"
            if (old.scheme, new.scheme) == ("https", "http"):
                advice = "the token was not sent there, because that URL is not encrypted"
            raise SiteError(f"{where}: {advice}", status=code, url=req.full_url)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _is_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        is_one_word = isinstance(url, str) and url.isprintable() and " " not in url
        return (
            is_one_word
            and parts.scheme in ("http", "https")
            and bool(parts.netloc)
            and parts.port != 0
        )
    except ValueError:  # a port that is no number
        return False
