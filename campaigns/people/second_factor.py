"""The second factor at login: an authenticator app (TOTP) and recovery codes, by allauth.mfa.

SECOND_FACTOR turns it off, lets everybody choose, or requires it of organisers and operators. An
API token works without it, because a script cannot enter a code. So turning the second factor on
revokes the tokens, and a person who lacks a required one cannot use any.
"""

from io import BytesIO
from typing import Any

import segno
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db.models import Q
from django.db.models.signals import post_save
from django.dispatch import receiver
from drf_spectacular.contrib.knox_auth_token import KnoxTokenScheme
from knox.auth import TokenAuthentication as KnoxTokenAuthentication
from rest_framework.authentication import get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.request import Request

from campaigns.models import Membership, User

OFF, OPTIONAL, ORGANISERS = "off", "optional", "organisers"
TOTP = Authenticator.Type.TOTP
REQUIRED = "This site requires a second factor of organisers and operators."


TURN_ON = "Log in on the site and turn it on."


class SecondFactorAdapter(DefaultMFAAdapter):
    error_messages = DefaultMFAAdapter.error_messages | {
        "cannot_delete_authenticator": "This site requires a second factor of organisers and "
        "operators, so you cannot turn it off.",
        "unverified_email": "Confirm your email address first.",
    }

    def is_mfa_enabled(self, user: User | AnonymousUser, types: Any = None) -> bool:
        enabled: bool = super().is_mfa_enabled(user, types)
        return settings.SECOND_FACTOR != OFF and enabled

    def build_totp_svg(self, url: str) -> str:
        """On white ground in both themes, as apps expect."""
        picture = BytesIO()
        segno.make(url, error="m").save(picture, kind="svg", dark="#000", light="#fff")
        return picture.getvalue().decode()

    def can_delete_authenticator(self, authenticator: Authenticator) -> bool:
        if authenticator.type != TOTP or settings.SECOND_FACTOR != ORGANISERS:
            return True
        return not User.objects.filter(_REQUIRED_OF, pk=authenticator.user.pk).exists()


def is_missing(person: User | AnonymousUser) -> bool:
    """Whether the site requires a second factor of this person, who has none. No query if the site
    requires it of nobody, and one otherwise."""
    if settings.SECOND_FACTOR != ORGANISERS or not person.is_authenticated:
        return False
    has_none = User.objects.filter(pk=person.pk).exclude(authenticator__type=TOTP)
    return has_none.filter(_REQUIRED_OF).exists()


@receiver(post_save, sender=Authenticator)
def revoke_tokens(
    sender: object, instance: Authenticator, created: bool, raw: bool, **_: Any
) -> None:
    """When a second factor is turned on, in its transaction. A person who knew the password alone
    may have created a token."""
    if created and not raw and instance.type == TOTP:
        instance.user.auth_token_set.all().delete()


class TokenAuthentication(KnoxTokenAuthentication):
    def authenticate_credentials(self, token: bytes) -> tuple[User, Any]:
        if not token.isalnum():  # knox fails on bytes that are not UTF-8
            raise AuthenticationFailed("Invalid token.")
        found: tuple[User, Any] = super().authenticate_credentials(token)
        return found

    def authenticate(self, request: Request) -> tuple[User, Any] | None:
        """Other schemes are for somebody else, such as a proxy that asks for a password."""
        if get_authorization_header(request).lower().startswith(b"bearer "):
            raise AuthenticationFailed("Write Token instead of Bearer in the header Authorization.")
        found: tuple[User, Any] | None = super().authenticate(request)
        if found is not None and is_missing(found[0]):
            raise PermissionDenied(f"{REQUIRED} {TURN_ON}", code="second_factor")
        return found


class TokenScheme(KnoxTokenScheme):
    """How the description of the API names the header."""

    target_class = "campaigns.people.second_factor.TokenAuthentication"


_REQUIRED_OF = Q(is_staff=True) | Q(memberships__role=Membership.Role.ORGANISER)
