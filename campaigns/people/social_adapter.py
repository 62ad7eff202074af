"""allauth's adapter for logins with ORCID and with the OpenID Connect server of an institution.

An equal email address opens nobody's account: its owner logs in first, and then connects the other
account. If the operator trusts the institution's server (OIDC_TRUST_EMAIL), an address opens and
connects an account if the server and the site have both verified it.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp, SocialLogin
from allauth.socialaccount.providers.base.constants import AuthProcess
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from campaigns.models import User

LONGEST_ANSWER = 10  # seconds until an answer of another site is complete
# A thread of a web process does not wait for the site itself, but for one of these.
_REQUESTS = ThreadPoolExecutor(4, thread_name_prefix="login-provider")


class SocialAccountAdapter(DefaultSocialAccountAdapter):
    error_messages = DefaultSocialAccountAdapter.error_messages | {
        "no_password": "Your account has no password, so you could not log in any more. First "
        "set one under Your account → Set password.",
        "no_verified_email": "Your account has no confirmed email address, so you could not log in "
        "any more. First confirm one under Your account → Email addresses.",
    }

    def list_apps(
        self, request: HttpRequest, provider: str | None = None, client_id: str | None = None
    ) -> list[SocialApp]:
        """Those of the settings. allauth also reads a table, on every login page."""
        apps = [
            SocialApp(provider=name, **app)
            for name, facts in settings.SOCIALACCOUNT_PROVIDERS.items()
            for app in facts["APPS"]
        ]
        return [
            app
            for app in apps
            if provider in (None, app.provider, app.provider_id)
            and client_id in (None, app.client_id)
        ]

    def get_requests_session(self) -> Any:
        """The timeout of allauth limits the wait for each byte. Another site that sends one byte
        after the other would hold a thread of this one without end."""
        session = super().get_requests_session()
        request = session.request

        def request_in_time(*args: Any, **facts: Any) -> Any:
            answer = _REQUESTS.submit(request, *args, **facts)
            try:
                return answer.result(LONGEST_ANSWER)
            finally:
                answer.cancel()  # if all threads wait, it has not begun, and is not sent any more

        session.request = request_in_time
        return session

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Refuses an OpenID Connect server that does not say clearly whom it means."""
        facts = sociallogin.account.extra_data
        if "userinfo" in facts or "id_token" in facts:
            subjects = [facts[part]["sub"] for part in ("userinfo", "id_token") if part in facts]
            if len(set(subjects)) != 1 or not isinstance(subjects[0], str):
                raise PermissionDenied("The server names two people, or nobody.")

    def populate_user(
        self, request: HttpRequest, sociallogin: SocialLogin, data: dict[str, Any]
    ) -> User:
        """Before the account is looked up. Only the claim `true` verifies an address."""
        for address in sociallogin.email_addresses:
            address.verified = address.verified is True
        user: User = super().populate_user(request, sociallogin, data)
        parts = (data.get("first_name"), data.get("last_name"))
        name = data.get("name") or " ".join(part for part in parts if part)
        user.name = "".join(filter(str.isprintable, str(name)))[:150].strip()
        return user

    def authenticate_by_email(self, sociallogin: SocialLogin) -> tuple[User, str] | None:
        """The account that a trusted server opens. allauth alone would also open an account whose
        owner has not verified the address, has been deactivated, or is an operator. An account that
        the institution has opened to one person stays closed to others, because institutions give
        an address to somebody else when its owner leaves."""
        if sociallogin.state.get("process") == AuthProcess.CONNECT:
            return None  # the person has chosen an account by logging in
        found: tuple[User, str] | None = super().authenticate_by_email(sociallogin)
        if found is None:
            return None
        person, email = found
        own = person.emailaddress_set.filter(email=email.lower(), verified=True)
        others = person.socialaccount_set.filter(provider=sociallogin.account.provider)
        is_person = person.is_active and not person.is_staff and not person.is_superuser
        return found if is_person and own.exists() and not others.exists() else None

    def is_auto_signup_allowed(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Without a name, the form asks for it."""
        allowed: bool = super().is_auto_signup_allowed(request, sociallogin)
        return allowed and bool(sociallogin.user.name)

    def get_signup_form_initial_data(self, sociallogin: SocialLogin) -> dict[str, str]:
        initial: dict[str, str] = super().get_signup_form_initial_data(sociallogin)
        return initial | {"name": sociallogin.user.name}
