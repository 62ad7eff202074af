"""Requests for the permission to create campaigns, which the operators approve or decline.

Operators are the people with `is_staff`.
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from campaigns import lifecycle
from campaigns.errors import CannotRequest
from campaigns.mail import notices
from campaigns.models import OrganiserRequest, User

PAUSE = timedelta(days=7)  # after a request was declined


def latest_request(person: User) -> OrganiserRequest | None:
    return person.organiser_requests.order_by("-created_at", "-pk").first()


def open_requests() -> QuerySet[OrganiserRequest]:
    """The requests that await a decision, oldest first."""
    waiting = OrganiserRequest.objects.filter(decided_at=None, person__is_active=True)
    return waiting.select_related("person").order_by("created_at", "pk")


def next_request_at(latest: OrganiserRequest | None) -> datetime | None:
    """When a person whose request was declined can send the next one, if that is later than now."""
    if latest is None or latest.is_approved or latest.decided_at is None:
        return None
    again = latest.decided_at + PAUSE
    return again if again > timezone.now() else None


def request_permission(*, person: User, purpose: str) -> OrganiserRequest:
    """Stores the request and emails the operators. Raises `CannotRequest` if one awaits a decision
    or was declined a few days ago, and if the person needs no permission."""
    with transaction.atomic():
        User.objects.select_for_update().get(pk=person.pk)  # two requests at once see each other
        latest = latest_request(person)
        if lifecycle.may_create_campaigns(person):
            raise CannotRequest("You can create campaigns already.")
        if latest is not None and latest.decided_at is None:
            raise CannotRequest("Your request awaits the decision of an operator.")
        if next_request_at(latest) is not None:
            raise CannotRequest("Your last request was declined a few days ago.")
        request = OrganiserRequest.objects.create(person=person, purpose=purpose)
        operators = User.objects.filter(is_staff=True, is_active=True)
        notices.notify_operators(request, operators)
    return request


def decide(
    request: OrganiserRequest, *, approve: bool, actor: User | None = None, answer: str = ""
) -> bool:
    """Approves or declines a request and emails the person. False if it is decided already."""
    with transaction.atomic():
        facts = {
            "decided_at": timezone.now(), "decided_by": actor, "is_approved": approve,
            "answer": answer,
        }  # fmt: skip
        if not OrganiserRequest.objects.filter(pk=request.pk, decided_at=None).update(**facts):
            return False
        request.refresh_from_db()
        if approve:
            User.objects.filter(pk=request.person_id).update(is_approved=True)
            request.person.is_approved = True
        may_create = lifecycle.may_create_campaigns(request.person)
        notices.notify_of_decision(request, may_create=may_create)
    return True
