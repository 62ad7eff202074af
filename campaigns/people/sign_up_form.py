"""Signing up. What allauth asks, and in the same time for every address."""

from allauth.account.forms import SignupForm
from django.contrib.auth.hashers import make_password
from django.http import HttpRequest, HttpResponse

from campaigns.models import User


class SignUpForm(SignupForm):
    def try_save(self, request: HttpRequest) -> tuple[User | None, HttpResponse | None]:
        """The password of a new account is hashed, which takes longer than all else. Where the
        address has an account already allauth hashes nothing, and would tell so by answering
        sooner."""
        if self.account_already_exists:
            make_password(self.cleaned_data["password1"])
        saved: tuple[User | None, HttpResponse | None] = super().try_save(request)
        return saved
