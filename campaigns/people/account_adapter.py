"""The site's allauth adapter: rate limits for logins, and what follows a login."""

from typing import Any
from urllib.parse import urlencode

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress, EmailConfirmation
from allauth.account.signals import email_changed, email_confirmed
from allauth.account.utils import get_next_redirect_url
from django.dispatch import receiver
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from campaigns.models import User
from campaigns.people import login_limits


class AccountAdapter(DefaultAccountAdapter):
    error_messages = DefaultAccountAdapter.error_messages | {
        "too_many_login_attempts": "Too many failed login attempts for this account from your "
        "address. Wait a few minutes, or reset your password."
    }

    def is_safe_url(self, url: str | None) -> bool:
        """For `next`. allauth fails on text that is no URL, such as http://[."""
        try:
            is_safe: bool = super().is_safe_url(url)
        except ValueError:
            return False
        return is_safe

    def get_email_confirmation_url(
        self, request: HttpRequest, emailconfirmation: EmailConfirmation
    ) -> str:
        """The URL in the email. It keeps where the person wanted to go, such as an invitation,
        if they confirm the address with another browser. Without a wish a new person is welcomed.
        """
        url: str = super().get_email_confirmation_url(request, emailconfirmation)
        is_new = emailconfirmation.email_address.user.last_login is None
        target = get_next_redirect_url(request) or (reverse("campaigns:welcome") if is_new else "")
        return f"{url}?{urlencode({'next': target})}" if target else url

    def save_user(self, request: HttpRequest, user: User, form: Form, commit: bool = True) -> User:
        user.name = form.cleaned_data["name"]
        saved: User = super().save_user(request, user, form, commit)
        return saved

    def send_account_already_exists_mail(self, email: str) -> None:
        """Says how to log in, and how to connect a login of another site."""
        names = ("login", "reset_password")
        login, reset = (
            self.request.build_absolute_uri(reverse(f"account_{name}")) for name in names
        )
        context = {"login_url": login, "password_reset_url": reset}
        self.send_mail("account/email/account_already_exists", email, context)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        if not login_limits.take_attempt(request, _email(credentials)):
            raise self.validation_error("too_many_login_attempts")

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        """Nobody logs in with an unverified further address: it may be that of another account,
        and each would guess passwords for the other."""
        person: User | None = super().authenticate(request, **credentials)
        if person and _email(credentials) not in person.own_emails():
            self.authentication_failed(request, **credentials)
            return None
        if person:
            login_limits.forget_failures(request, _email(credentials))
        return person

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        login_limits.count_failure(request)

    def set_password(self, user: User, password: str) -> None:
        """After a change or a reset of the password, a login from this address is not limited."""
        super().set_password(user, password)
        login_limits.trust_address(self.request, user)

    def post_login(self, request: HttpRequest, user: User, **facts: Any) -> HttpResponse:
        """`email` is the address that the person typed, and none after a login at another site."""
        email = (facts["email"] or user.email).strip().lower()
        login_limits.remember_address(request, user, email)
        return super().post_login(request, user, **facts)


@receiver([email_confirmed, email_changed])
def trust_address(
    request: HttpRequest, email_address: EmailAddress | None = None, **facts: Any
) -> None:
    """A person who has just confirmed or chosen an address logs in with it from here."""
    person = email_address.user if email_address else facts["user"]
    login_limits.trust_address(request, person)


def _email(credentials: dict[str, Any]) -> str:
    return str(credentials.get("email", "")).strip().lower()
