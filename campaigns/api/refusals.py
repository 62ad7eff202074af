"""Turns every exception that an endpoint raises into a response of one form."""

from typing import Any

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.core.exceptions import ValidationError as FormFault
from django.utils import timezone
from rest_framework.exceptions import APIException, ErrorDetail, ParseError, ValidationError
from rest_framework.fields import get_error_detail
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response
from rest_framework.views import exception_handler

from campaigns.api.responses import NOT_FOUND, faulty_fields, faulty_file
from campaigns.errors import NeedsConfirmation, Refusal, SubmissionRefused
from campaigns.options import UnknownChoice
from campaigns.trec.problems import FormatError

MOST_OFFERED = 40  # valid values that the message lists


class Refused(APIException):
    """The current state does not allow the request."""

    status_code = 409

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message, code)


class TooLarge(APIException):
    status_code = 413
    default_code = "too_large"
    default_detail = "The request is too large."


def refusal(error: Exception, context: dict[str, Any]) -> Response | None:
    """The response to an exception, as JSON whatever else the endpoint returns. None for a server
    error."""
    request = context["request"]
    request.accepted_renderer, request.accepted_media_type = JSONRenderer(), JSONRenderer.media_type
    match error:
        case NeedsConfirmation():
            message = (
                "Check these problems. To use the file anyway, send it again with is_confirmed."
            )
            return Response(faulty_file(error, "needs_confirmation", message), status=400)
        case FormatError():
            message = "The file was refused. Nothing was stored."
            return Response(faulty_file(error, "file", message), status=400)
        case SubmissionRefused():
            return _submission_refused(error)
        case UnknownChoice():
            offered = error.first_labels(MOST_OFFERED)
            text = f"{error.message} Offered: {offered}." if offered else error.message
            error = ValidationError({error.name: [ErrorDetail(text, "unknown_choice")]})
        case FormFault():
            error = ValidationError(get_error_detail(error))
        case RequestDataTooBig():
            error = TooLarge()
        case SuspiciousOperation():
            error = ParseError("The request has too many fields, or is malformed.")
        case Refusal():
            error = Refused(error.code, str(error))
    response = exception_handler(error, context)
    if response is not None:
        response.data = _body(error, response)
    return response


def _body(error: Exception, response: Response) -> dict[str, Any]:
    if response.status_code == 404:  # the same words for every object
        return dict(NOT_FOUND)
    if isinstance(error, ValidationError):
        return faulty_fields(error.detail)
    detail = response.data["detail"]
    return {"code": detail.code, "message": str(detail)}


def _submission_refused(error: SubmissionRefused) -> Response:
    """429 if the client can wait and try again."""
    body: dict[str, Any] = {"code": error.code, "message": str(error)}
    if error.next_at is None:
        return Response(body, status=409)
    body["next_at"] = error.next_at
    if error.code not in {"quota", "attempts"}:
        return Response(body, status=409)
    # Rounded up, because a second too early the run is refused again.
    seconds = (error.next_at - timezone.now()).total_seconds()
    return Response(body, status=429, headers={"Retry-After": str(max(int(seconds) + 1, 1))})
