"""Responses that are the same for everyone: compressed, with an ETag, and cached.

A view calls `public_response`, or is a `public_page` or a `public_table`. Only a request without a
login gets such a response (`compression.py`).
"""

import gzip
import hashlib
from collections.abc import Callable, Mapping
from functools import partial, wraps
from itertools import chain
from typing import Final, NamedTuple, TypeAlias

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from rest_framework.response import Response

from campaigns import access
from campaigns.access import Viewer
from scoring.analyses.responses import hidden_page
from scoring.evaluation.lru import LRUCache
from scoring.output.compression import is_same_for_everyone, takes_gzip
from scoring.output.long_downloads import begin_long_download
from scoring.output.stored_tables import stored_if_long
from scoring.results.cache import cached_board

AnyResponse: TypeAlias = HttpResponse | StreamingHttpResponse

BYTES: Final = 8_000_000  # some three hundred boards of 143 runs
LONG: Final = "a table of more than BYTES, which is not cached"


class PackedResponse(NamedTuple):
    """A compressed body, and what belongs to it."""

    body: bytes
    etag: str
    headers: Mapping[str, str]

    @classmethod
    def of(cls, response: HttpResponse) -> "PackedResponse":
        """The ETag is weak, because it is that of the body in both encodings."""
        digest = hashlib.sha256(response.content).hexdigest()[:32]
        # With the time of compression, equal contents would have different bytes.
        body = gzip.compress(response.content, mtime=0)
        return cls(body, f'W/"{digest}"', dict(response.headers))

    def response_to(self, request: HttpRequest) -> HttpResponse:
        """304 if the browser has it already. Browsers store it and ask each time, because who may
        see a board can change within a second; caches on the way store nothing."""
        is_packed = takes_gzip(request)
        body = self.body if is_packed else gzip.decompress(self.body)
        response = HttpResponse(body, headers=dict(self.headers))
        if is_packed:
            response["Content-Encoding"] = "gzip"
        response["ETag"] = self.etag
        patch_cache_control(response, private=True, no_cache=True)
        patch_vary_headers(response, ("Cookie", "Accept-Encoding"))
        return get_conditional_response(request, etag=self.etag, response=response)


PACKED_RESPONSES: LRUCache[PackedResponse | AnyResponse | str] = LRUCache(room=BYTES)


def public_response(
    request: HttpRequest,
    viewer: Viewer,
    respond: Callable[[], AnyResponse],
    *,
    shows_topics: bool = False,
) -> AnyResponse:
    """The result of `respond`, which is a board that the viewer may see, or a table that depends on
    the same rows. For requests without a login it is compressed, and cached as long as the board
    does not change."""
    if not is_same_for_everyone(request):
        return respond()

    streamed: list[AnyResponse] = []

    def pack() -> tuple[PackedResponse | AnyResponse | str, int]:
        response = _rendered(request, respond())
        if response.streaming:
            # The cache keeps only that it is long. The response itself is for this request alone.
            streamed.append(response)
            return LONG, len(LONG)
        has_token = "CSRF_COOKIE_NEEDS_UPDATE" in request.META  # a template asked for one
        is_kept = "no-store" not in response.get("Cache-Control", "")
        # The cache does not keep what weighs more than BYTES.
        if response.status_code != 200 or not is_kept or has_token:
            return response, BYTES + 1
        packed = PackedResponse.of(response)
        # A page that waits for a worker changes without a change of the board.
        return packed, BYTES + 1 if "Refresh" in packed.headers else len(packed.body)

    media_type = getattr(request, "accepted_media_type", "")
    # The body may contain absolute URLs, so that the host is a part of the key.
    besides = (request.build_absolute_uri(), media_type)
    found = cached_board(
        PACKED_RESPONSES, viewer, request.GET, pack, shows_topics=shows_topics, besides=besides
    )
    if isinstance(found, PackedResponse):
        return found.response_to(request)
    if not isinstance(found, str):
        return found
    if not streamed:  # as known before, so that nothing is computed for a request to refuse
        begin_long_download()
    return streamed[0] if streamed else respond()


def public_table(
    lookup: Callable[[HttpRequest, str], Viewer],
) -> Callable[[Callable[..., AnyResponse]], Callable[..., AnyResponse]]:
    """Decorates the view of a table, which gets the viewer instead of the slug. `lookup` checks at
    every request whether the viewer may see the table. The table may depend on the campaign, its
    runs, scores, qrels and topics, and on analyses of these. While it waits for an analysis, the
    response has another status than 200, and is not cached. A worker writes a table that takes
    long, for everybody who may see the same."""

    def mark(view: Callable[..., AnyResponse]) -> Callable[..., AnyResponse]:
        @wraps(view)
        def respond(request: HttpRequest, viewer: Viewer, **options: str) -> AnyResponse:
            return public_response(
                request, viewer, partial(view, request, viewer, **options), shows_topics=True
            )

        return stored_if_long(lookup)(respond)

    return mark


def public_page(view: Callable[..., AnyResponse]) -> Callable[..., AnyResponse]:
    """Decorates the view of a page that depends on the same rows as a `public_table`, and gets the
    viewer instead of the slug. Viewers who may see the campaign but not its leaderboard get a page
    that says so."""

    @wraps(view)
    def respond(request: HttpRequest, slug: str) -> AnyResponse:
        viewer = access.viewer_or_404(request.user, slug, params=request.GET)
        if not viewer.can_see_board:
            return hidden_page(request, viewer)
        page = partial(view, request, viewer)
        return public_response(request, viewer, page, shows_topics=True)

    return respond


def campaign_viewer(request: HttpRequest, slug: str) -> Viewer:
    """The view checks what of the campaign the viewer may see."""
    return access.viewer_or_404(request.user, slug, params=request.GET)


def api_campaign_viewer(request: HttpRequest, slug: str) -> Viewer:
    """The same without a preview, which the API does not have."""
    return access.viewer_or_404(request.user, slug)


def organiser(request: HttpRequest, slug: str) -> Viewer:
    """Tables for organisers have no preview, because the others never see them."""
    return access.organiser_or_404(request.user, slug)


def board_viewer(request: HttpRequest, slug: str) -> Viewer:
    """Organisers can preview the table as others see it."""
    return access.board_or_404(request.user, slug, params=request.GET)


def api_board_viewer(request: HttpRequest, slug: str) -> Viewer:
    """The API has no preview."""
    return access.board_or_404(request.user, slug)


def _rendered(request: HttpRequest, response: AnyResponse) -> AnyResponse:
    """The response with its body: REST framework renders it after the view, and a long table is
    streamed. A table of more than BYTES is still streamed."""
    if isinstance(response, StreamingHttpResponse):
        stream, blocks, size = iter(response), [], 0
        for block in stream:
            blocks.append(block)
            size += len(block)
            # It would not fit into the cache, and should not be in memory.
            if size > BYTES:
                response.streaming_content = chain(blocks, stream)
                return response
        return HttpResponse(b"".join(blocks), headers=dict(response.headers))
    if isinstance(response, Response):
        response.accepted_renderer = request.accepted_renderer
        response.accepted_media_type = request.accepted_media_type
        response.renderer_context = {}
        response.render()
    return response
