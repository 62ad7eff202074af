"""The site's allauth adapter: rate limits for logins, and what follows a login."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest

from campaigns.models import User
from campaigns.people import login_limits


class AccountAdapter(DefaultAccountAdapter):
    error_messages = DefaultAccountAdapter.error_messages | {
        "too_many_login_attempts": "Too many failed login attempts for this account from your "
        "address. Wait a few minutes, or reset your password."
    }

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        if not login_limits.take_attempt(request, _email(credentials)):
            raise self.validation_error("too_many_login_attempts")

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        person: User | None = super().authenticate(request, **credentials)
        if person:
            login_limits.forget_failures(request, _email(credentials))
        return person

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        login_limits.count_failure(request)

    def set_password(self, user: User, password: str) -> None:
        """After a change or a reset of the password, a login from this address is not limited."""
        super().set_password(user, password)
        login_limits.trust_address(self.request, user)

    def login(self, request: HttpRequest, user: User) -> None:
        super().login(request, user)
        login_limits.remember_address(request, user)


def _email(credentials: dict[str, Any]) -> str:
    return str(credentials.get("email", "")).strip().lower()
