"""Against scripts that run away; what a team may hand in is decided by quotas in the database."""

from collections.abc import Callable
from typing import TypeVar

View = TypeVar("View", bound=Callable[..., object])


def throttled(scope: str) -> Callable[[View], View]:
    """Counts requests to this `api_view` in a scope of the settings; put it above the view."""

    def mark(view: View) -> View:
        view.cls.throttle_scope = scope
        return view

    return mark
