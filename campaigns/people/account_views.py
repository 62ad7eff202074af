"""The account page: name, email preference and API tokens; email addresses, data export and
closing."""

from typing import Any
from urllib.parse import urlsplit

from allauth.account import views as allauth_views
from allauth.account.utils import get_next_redirect_url
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_not_required, login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import Resolver404, resolve
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from knox.models import AuthToken
from knox.settings import knox_settings

from campaigns.errors import CannotCloseAccount, TooManyTokens
from campaigns.people import second_factor
from campaigns.people.accounts import (
    account_export,
    close_account,
    create_token,
    tokens_of,
    why_not_primary,
)
from campaigns.people.forms import AccountForm, CloseAccountForm
from campaigns.people.membership import find_invitation
from campaigns.people.sign_up_limits import take_attempt


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    form = AccountForm(request.POST or None, instance=request.user)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, "Saved.")
        return redirect("campaigns:account")
    return render(request, "campaigns/people/account.html", _account_context(request, form))


@login_required
@require_POST
def token_create(request: HttpRequest) -> HttpResponse:
    """Creates a token and shows it this once."""
    try:
        token = create_token(request.user)
    except TooManyTokens as error:
        messages.error(request, str(error))
        return redirect("campaigns:account")
    context = _account_context(request, AccountForm(instance=request.user)) | {"token": token}
    return render(request, "campaigns/people/account.html", context)


@login_required
@require_POST
def token_revoke(request: HttpRequest, key: str) -> HttpResponse:
    token = get_object_or_404(AuthToken, user=request.user, token_key=key)
    token.delete()
    return redirect("campaigns:account")


class SignUpView(allauth_views.SignupView):
    """A sign-up that a valid link leads to counts for the link. A course of thousands behind one
    address would reach the limit of the address."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.method == "POST" and _is_counted_for_link(request):
            return self._dispatch_unlimited(request, *args, **kwargs)
        response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        return response

    @method_decorator(login_not_required)
    @method_decorator(sensitive_post_parameters("password1", "password2"))
    @method_decorator(never_cache)
    def _dispatch_unlimited(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        response: HttpResponseBase = super(allauth_views.SignupView, self).dispatch(
            request, *args, **kwargs
        )
        return response


def _is_counted_for_link(request: HttpRequest) -> bool:
    """Whether the page after the sign-up is a link with uses left, and not too many have signed up
    by it today."""
    try:
        match = resolve(urlsplit(get_next_redirect_url(request) or "").path)
    except Resolver404:
        return False
    if match.view_name != "campaigns:invitation":
        return False
    link = find_invitation(match.kwargs["token"])
    return link is not None and not link.is_used_up and take_attempt(link)


class EmailView(allauth_views.EmailView):
    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """allauth makes any address primary if the person has no verified one, as nobody has on a
        site without a mail server: also the address of another account."""
        email = request.POST.get("email", "")
        if "action_primary" in request.POST and (fault := why_not_primary(email, request.user)):
            messages.error(request, fault)
            return redirect("account_email")
        response: HttpResponse = super().post(request, *args, **kwargs)
        return response


@login_required
@require_safe
def account_data(request: HttpRequest) -> HttpResponse:
    """A file with all data that the site stores about this person."""
    response = JsonResponse(account_export(request.user), json_dumps_params={"indent": 1})
    response["Content-Disposition"] = 'attachment; filename="my-data.json"'
    return response


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def account_close(request: HttpRequest) -> HttpResponse:
    """Asks for the email address as a confirmation, then closes the account."""
    form = CloseAccountForm(request.POST or None, person=request.user)
    if request.method == "POST" and form.is_valid():
        try:
            close_account(person=request.user)
        except CannotCloseAccount as error:
            form.add_error(None, str(error))
        else:
            logout(request)
            return redirect("campaigns:campaign-list")
    status = 400 if form.errors else 200
    return render(request, "campaigns/people/account_close.html", {"form": form}, status=status)


def _account_context(request: HttpRequest, form: AccountForm) -> dict[str, object]:
    limit = knox_settings.TOKEN_LIMIT_PER_USER
    return {
        "form": form,
        "tokens": list(tokens_of(request.user)),
        "token_limit": limit,
        "has_password": request.user.has_usable_password(),
        "offers_second_factor": settings.SECOND_FACTOR != second_factor.OFF,
        "offers_other_logins": bool(settings.SOCIALACCOUNT_PROVIDERS),
    }
