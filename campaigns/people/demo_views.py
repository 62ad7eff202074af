"""Logging in to the demo without a password."""

from django.contrib.auth import login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from campaigns.people import demo_accounts


@require_POST
def demo_login(request: HttpRequest, account: str) -> HttpResponse:
    """Logs in as an account of the demo and opens what it can see first. Not found on other
    sites."""
    found = demo_accounts.person_of(account)
    if found is None:
        raise Http404
    demo_account, person = found
    login(request, person)
    return redirect(demo_account.page, demo_account.slug)
