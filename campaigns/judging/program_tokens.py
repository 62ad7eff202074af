"""How a program proves to the API which program it is."""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from campaigns.api.throttles import COUNTS, NetworkThrottle
from campaigns.judging.programs import program_with_token
from campaigns.models import Program

NEEDS_PROGRAM = (
    "This URL needs the token of a program. Organisers create it on the page Programs of "
    "Judging. The token of a person is not valid here."
)


class ProgramAuthentication(BaseAuthentication):
    """`Authorization: Token …` with a program's token. The request has no user, so that nothing
    which asks for a person's permissions can take a program for a person."""

    def authenticate(self, request: Request) -> tuple[AnonymousUser, Program] | None:
        parts = get_authorization_header(request).split()
        if not parts:
            return None
        program = None
        if len(parts) == 2 and parts[0].lower() == b"token":
            # As Latin-1 any bytes are text, so a strange token is only an unknown one.
            program = program_with_token(parts[1].decode("latin-1"))
        if program is None:
            raise AuthenticationFailed(NEEDS_PROGRAM)
        return AnonymousUser(), program

    def authenticate_header(self, request: Request) -> str:
        return "Token"


class IsProgram(BasePermission):
    def has_permission(self, request: Request, view: APIView) -> bool:
        if not isinstance(request.auth, Program):
            raise NotAuthenticated(NEEDS_PROGRAM)
        return True


class ProgramThrottle(NetworkThrottle, SimpleRateThrottle):
    """Counts the requests of a program by its id, and those without a valid token by network."""

    scope = "programs"
    cache = COUNTS

    def get_cache_key(self, request: Request, view: APIView) -> str:
        is_program = isinstance(request.auth, Program)
        ident: Any = request.auth.pk if is_program else self.get_ident(request)
        return self.cache_format % {"scope": self.scope, "ident": ident}


class ProgramTokenScheme(OpenApiAuthenticationExtension):
    """How the description of the API names the header."""

    target_class = "campaigns.judging.program_tokens.ProgramAuthentication"
    name = "programToken"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "The token of a program that judges, as `Token …`.",
        }
