"""What is kept of a person is given to that person, and forgotten when the person goes."""

import pytest
from allauth.account.models import EmailAddress
from django.db import connection
from django.test import Client
from django.urls import reverse

from campaigns.models import LogEntry, Mail, Membership, Run, User
from campaigns.people.accounts import create_token
from tests.making import make_campaign, make_organiser, make_run, make_team, make_user

pytestmark = pytest.mark.django_db

ADDRESS = "leaving-person@example.org"


@pytest.fixture
def leaver() -> User:
    """In a team with a run, with a token and an act in the log."""
    person = make_user(ADDRESS, name="Lea Vingname")
    campaign = make_campaign()
    make_organiser(campaign)
    team = make_team(campaign, person)
    make_run(campaign, team, uploaded_by=person, description="mine")
    LogEntry.objects.create(campaign=campaign, actor=person, verb="uploaded")
    create_token(person)
    return person


def browser_of(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def everything_stored() -> str:
    """Every row of every table, as text."""
    with connection.cursor() as cursor:
        found = []
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            found += [str(row) for row in cursor.fetchall()]
    return "\n".join(found)


def test_a_person_can_download_all_stored_data(leaver: User) -> None:
    data = browser_of(leaver).get(reverse("campaigns:account-data")).json()
    assert data["account"]["email"] == ADDRESS
    assert [role["role"] for role in data["roles"]] == ["participant"]
    assert [upload["description"] for upload in data["uploads"]] == ["mine"]
    assert [act["verb"] for act in data["log_entries"]] == ["uploaded"]
    assert len(data["tokens"]) == 1


def test_a_closed_account_leaves_no_personal_data_and_runs_stay(leaver: User) -> None:
    browser = browser_of(leaver)
    assert ADDRESS in everything_stored()
    wrong = browser.post(reverse("campaigns:account-close"), {"email": "other@example.org"})
    assert wrong.status_code == 400
    gone = browser.post(reverse("campaigns:account-close"), {"email": ADDRESS.upper()})
    assert gone.status_code == 302
    stored = everything_stored()
    assert ADDRESS not in stored
    assert "Vingname" not in stored
    assert Run.objects.get().description == "mine"
    assert not Membership.objects.filter(person=leaver).exists()
    assert str(User.objects.get(pk=leaver.pk)) == "deleted user"
    assert browser.get(reverse("campaigns:account")).status_code == 302


def test_the_last_organiser_stays_until_there_is_another(leaver: User) -> None:
    campaign = make_campaign(name="Mine alone")
    make_organiser(campaign, leaver)
    browser = browser_of(leaver)
    page = browser.post(reverse("campaigns:account-close"), {"email": ADDRESS})
    assert page.status_code == 400
    assert "You are the only organiser of Mine alone" in page.content.decode()
    make_organiser(campaign)
    assert browser.post(reverse("campaigns:account-close"), {"email": ADDRESS}).status_code == 302


@pytest.mark.parametrize("is_verified", [False, True], ids=["only added", "verified"])
def test_emails_to_an_address_belong_to_the_person_who_verified_it(
    leaver: User, is_verified: bool
) -> None:
    """Whoever only adds somebody else's address neither reads nor deletes that person's mails."""
    other = "somebody-else@example.org"
    EmailAddress.objects.create(user=leaver, email=other, verified=is_verified)
    Mail.objects.create(recipient=other, subject="Reset your password", body="by this link")
    Mail.objects.create(recipient=ADDRESS, subject="Confirm your address", body="by this link")
    browser = browser_of(leaver)
    told = browser.get(reverse("campaigns:account-data")).json()["unsent_emails"]
    subjects = ["Reset your password"] * is_verified + ["Confirm your address"]
    assert [mail["subject"] for mail in told] == subjects
    browser.post(reverse("campaigns:account-close"), {"email": ADDRESS})
    assert Mail.objects.filter(recipient=other).exists() == (not is_verified)
    assert not Mail.objects.filter(recipient=ADDRESS).exists()
