"""allauth's adapter for logins with ORCID and with the OpenID Connect server of an institution.

An account is never opened to a login of another site because the email addresses are equal
(SOCIALACCOUNT_EMAIL_AUTHENTICATION). Its owner logs in first, and then connects the other account.
"""

from typing import Any

from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp, SocialLogin
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from campaigns.models import User


class SocialAccountAdapter(DefaultSocialAccountAdapter):
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

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Refuses an OpenID Connect server that does not say clearly whom it means. Only the claim
        `true` verifies an address."""
        for address in sociallogin.email_addresses:
            address.verified = address.verified is True
        facts = sociallogin.account.extra_data
        if "userinfo" in facts or "id_token" in facts:
            subjects = [facts[part]["sub"] for part in ("userinfo", "id_token") if part in facts]
            if len(set(subjects)) != 1 or not isinstance(subjects[0], str):
                raise PermissionDenied("The server names two people, or nobody.")

    def populate_user(
        self, request: HttpRequest, sociallogin: SocialLogin, data: dict[str, Any]
    ) -> User:
        user: User = super().populate_user(request, sociallogin, data)
        parts = (data.get("first_name"), data.get("last_name"))
        name = data.get("name") or " ".join(part for part in parts if part)
        user.name = "".join(filter(str.isprintable, str(name)))[:150].strip()
        return user

    def is_auto_signup_allowed(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Without a name, the form asks for it."""
        allowed: bool = super().is_auto_signup_allowed(request, sociallogin)
        return allowed and bool(sociallogin.user.name)

    def get_signup_form_initial_data(self, sociallogin: SocialLogin) -> dict[str, str]:
        initial: dict[str, str] = super().get_signup_form_initial_data(sociallogin)
        return initial | {"name": sociallogin.user.name}
