"""A person's own page: the name others see, mails wanted or not, and the tokens of scripts."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST
from knox.models import AuthToken

from campaigns import people
from campaigns.forms.people import AccountForm


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    form = AccountForm(request.POST or None, instance=request.user)
    if request.method == "POST" and form.is_valid():
        form.save()
        return redirect("campaigns:account")
    return render(request, "campaigns/account.html", _account_page(request, form))


@login_required
@require_POST
def token_create(request: HttpRequest) -> HttpResponse:
    """A new token, shown this once."""
    token = people.make_token(request.user)
    context = _account_page(request, AccountForm(instance=request.user)) | {"token": token}
    return render(request, "campaigns/account.html", context)


@login_required
@require_POST
def token_revoke(request: HttpRequest, key: str) -> HttpResponse:
    token = get_object_or_404(AuthToken, user=request.user, token_key=key)
    token.delete()
    return redirect("campaigns:account")


def _account_page(request: HttpRequest, form: AccountForm) -> dict[str, object]:
    tokens = AuthToken.objects.filter(user=request.user).order_by("-created")
    return {"form": form, "tokens": tokens}
