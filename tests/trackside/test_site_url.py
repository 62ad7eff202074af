"""Links are made of SITE_URL and of nothing that a client sends."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core import mail
from django.test import Client
from django.urls import reverse

from tests.making import make_campaign, make_organiser, make_user
from trackside.checks import check_deployment

ROOT = Path(__file__).resolve().parents[2]
SITE, FORGED = "https://evaluation.example.org", "evaluation.example.org:6666"


@pytest.fixture(autouse=True)
def served(settings: LazySettings) -> None:
    settings.SITE_URL = SITE
    settings.ALLOWED_HOSTS = ["evaluation.example.org", "other.example.org"]
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")


def client(host: str = FORGED) -> Client:
    return Client(headers={"Host": host, "X-Forwarded-Proto": "https"})


@pytest.mark.django_db
@pytest.mark.parametrize("host", [FORGED, "other.example.org"])
def test_no_mail_carries_the_host_that_a_client_named(host: str, settings: LazySettings) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    make_user("known@example.org")
    twice = {"password1": "a fine long password", "password2": "a fine long password"}
    for email in ("known@example.org", "unknown@example.org"):
        client(host).post(reverse("account_reset_password"), {"email": email})
        client(host).post(reverse("account_signup"), {"email": email, "name": "Ann"} | twice)
    assert len(mail.outbox) == 4
    for each in mail.outbox:
        assert f"{SITE}/accounts/" in each.body
        assert host not in each.body + each.subject


@pytest.mark.django_db
def test_no_other_link_does(settings: LazySettings) -> None:
    campaign = make_campaign()
    browser = client()
    browser.force_login(make_organiser(campaign))
    answer = browser.post(
        reverse("campaigns:role-invite", args=[campaign.slug, "assessor"]), follow=True
    )
    page = answer.content.decode()
    assert f"{SITE}/invitations/" in page
    assert FORGED not in page


@pytest.mark.django_db
@pytest.mark.parametrize("host", ["evaluation.example.org", "other.example.org"])
@pytest.mark.parametrize(
    ("origin", "status"),
    [("", 302), ("https://evil.example", 403), ("https://elsewhere.example.org", 403)],
)
def test_forms_work_under_every_allowed_host_and_from_no_other_site(
    host: str, origin: str, status: int
) -> None:
    make_user("ada@example.org")
    browser = Client(enforce_csrf_checks=True, headers={"Host": host, "X-Forwarded-Proto": "https"})
    browser.get(reverse("account_login"))
    sent = {
        "login": "ada@example.org",
        "password": "a long password",
        "csrfmiddlewaretoken": browser.cookies["csrftoken"].value,
    }
    origin = origin or f"https://{host}"
    answer = browser.post(reverse("account_login"), sent, headers={"Origin": origin})
    assert answer.status_code == status


def test_a_name_that_is_not_the_site_s_is_refused() -> None:
    assert client("evil.example").get("/healthz?of=web").status_code == 400


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "SITE_URL is not set"),
        ("https://elsewhere.example.org", "ALLOWED_HOSTS lacks elsewhere.example.org"),
    ],
)
def test_a_site_url_that_cannot_work_is_reported(
    url: str, said: str, settings: LazySettings
) -> None:
    def found() -> list[str]:
        return [each.msg for each in check_deployment() if "SITE_URL" in each.msg]

    assert found() == []
    settings.SITE_URL = url
    assert [said in message for message in found()] == [True]


@pytest.mark.parametrize(("url", "starts"), [("", False), ("http://x.org", False), (SITE, True)])
def test_a_site_with_https_does_not_start_without_its_url(
    url: str, starts: bool, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import trackside.settings"],
        cwd=ROOT,
        env={"HTTPS": "true", "SITE_URL": url, "VAR_DIR": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode == 0) is starts
    assert ("SITE_URL must name the site" in done.stderr) is not starts
