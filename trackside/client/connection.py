"""Requests to the API of a site: token, retries, and errors in words."""

import json
import random
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPMessage
from typing import IO, Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urljoin, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from trackside.client.errors import SiteError, refusal

_PASSING: Final = frozenset({429, 502, 503, 504})  # statuses that a later attempt may not have
_LONGEST_PAUSE: Final = 60.0  # seconds; a longer wait is an error
_FIRST_PAUSE: Final = 0.5

Params = Mapping[str, object]
Body = Callable[[], Iterable[bytes]]  # made anew for each attempt


@dataclass(frozen=True)
class Answer:
    """A response of the site."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    def json(self) -> Any:
        try:
            return json.loads(self.content)
        except ValueError:
            message = "The response is not that of a Trackside site. Check the address."
            raise SiteError(message, status=self.status) from None

    @property
    def pause(self) -> float | None:
        """The seconds of `Retry-After`, also where it is a date."""
        value = self.headers.get("Retry-After", "")
        if value.isdigit():
            return float(value)
        try:
            return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
        except (TypeError, ValueError):
            return None


class Connection:
    """A site, and the token with which it is asked."""

    def __init__(self, url: str, token: str | None, *, timeout: float, attempts: int) -> None:
        if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).netloc:
            raise SiteError(f"{url!r} is not the address of a site: write https://…")
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
            except (OSError, HTTPException) as error:
                if is_last:
                    raise SiteError(f"{self.url} does not respond: {_reason(error)}") from None
            else:
                pause = answer.pause
                is_long = pause is not None and pause > _LONGEST_PAUSE
                if answer.status not in _PASSING or is_last or is_long:
                    return _accepted(answer)
            time.sleep(_pause(attempt) if pause is None else pause)
        raise SiteError("attempts: at least one is needed")

    def _once(self, path: str, headers: Mapping[str, str], body: Body | None) -> Answer:
        token = {"Authorization": f"Token {self._token}"} if self._token else {}
        url = urljoin(self.url, f"api/{path}")
        # urllib sends what `body` yields; Request's annotation asks for less.
        request = Request(  # noqa: S310 (http and https only, see __init__)
            url, body() if body else None, {"Accept": "*/*", **headers, **token}
        )
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                return Answer(response.status, dict(response.headers), response.read())
        except HTTPError as error:
            with error:
                return Answer(error.code, dict(error.headers), error.read())


class _OnTheSameSite(HTTPRedirectHandler):
    """Another host must not get the token, and urllib would follow without what is posted."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        is_elsewhere = urlsplit(newurl)[:2] != urlsplit(req.full_url)[:2]
        if is_elsewhere or req.get_method() != "GET":
            address = urlsplit(newurl)
            where = f"{address.scheme}://{address.netloc}"
            raise SiteError(f"{req.host} redirects to {where}: use this address", status=code)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _accepted(answer: Answer) -> Answer:
    if answer.status < 400:
        return answer
    try:
        body = answer.json()
    except SiteError:
        body = None
    if not isinstance(body, dict):
        raise SiteError(f"The site answered with status {answer.status}.", status=answer.status)
    raise refusal(body, answer.status)


def _pause(attempt: int) -> float:
    """Twice as long after each attempt; many clients do not come back at the same moment."""
    return _FIRST_PAUSE * 2.0**attempt * random.uniform(0.5, 1.0)  # noqa: S311 (no secret)


def _reason(error: Exception) -> str:
    reason = error.reason if isinstance(error, URLError) else error
    return str(reason) or type(reason).__name__
