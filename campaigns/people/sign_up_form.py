"""allauth's sign-up form, with the same response time for every email address."""

from allauth.account.forms import SignupForm
from django.contrib.auth.hashers import make_password
from django.http import HttpRequest, HttpResponse

from campaigns.models import User


class SignUpForm(SignupForm):
    def try_save(self, request: HttpRequest) -> tuple[User | None, HttpResponse | None]:
        """Hashes the password in any case. allauth does not if the address has an account, and the
        shorter response time would reveal that."""
        if self.account_already_exists:
            make_password(self.cleaned_data["password1"])
        saved: tuple[User | None, HttpResponse | None] = super().try_save(request)
        return saved
