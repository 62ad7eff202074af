"""The leaderboard in a frame on the web sites that the organisers list."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns.models import Audience, Campaign, LogEntry, Membership, User
from scoring.leaderboard.embedding import EmbeddingForm
from scoring.templatetags.board_columns import breakable
from tests.making import (
    make_campaign,
    make_organiser,
    make_qrels,
    make_run,
    make_scores,
    make_user,
)

pytestmark = pytest.mark.django_db
SITE = "https://www.example.org"


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(
        name="Night <trains>", stage=Campaign.Stage.PUBLISHED, board_audience=Audience.EVERYONE
    )
    make_qrels(campaign)
    make_scores(make_run(campaign, tag="first"), {"RBP(p=0.5)": (0.5, 0.125)})
    return campaign


@pytest.fixture
def organiser(campaign: Campaign) -> User:
    return make_organiser(campaign)


def embedded(campaign: Campaign) -> str:
    return reverse("scoring:embedded-leaderboard", args=[campaign.slug])


def editing(campaign: Campaign) -> str:
    return reverse("scoring:embedding-edit", args=[campaign.slug])


def save(campaign: Campaign, person: User, text: str) -> str:
    client = Client()
    client.force_login(person)
    return client.post(editing(campaign), {"origins": text}, follow=True).content.decode()


def test_no_site_may_embed_a_leaderboard_by_default(campaign: Campaign) -> None:
    assert Client().get(embedded(campaign)).status_code == 404
    page = Client().get(reverse("scoring:leaderboard", args=[campaign.slug]))
    assert page["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in page["Content-Security-Policy"]


def test_only_the_listed_sites_may_embed_it(campaign: Campaign, organiser: User) -> None:
    page = save(campaign, organiser, f" {SITE}/ \n\nhttps://*.Uni.example:8443\n{SITE}")
    assert "&lt;iframe src=&quot;http://testserver" in page
    for _ in range(2):  # rendered, and from the cache
        answer = Client().get(embedded(campaign))
        policy = answer["Content-Security-Policy"]
        assert f"frame-ancestors {SITE} https://*.uni.example:8443;" in f"{policy};"
        assert "default-src 'none'" in policy
        assert "X-Frame-Options" not in answer
        assert "first" in answer.content.decode()
        assert "Night &lt;trains&gt;" in answer.content.decode()
    entry = LogEntry.objects.get(verb="changed embedding")
    assert entry.actor == organiser


def test_a_frame_never_shows_what_the_public_may_not_see(
    campaign: Campaign, organiser: User
) -> None:
    save(campaign, organiser, SITE)
    client = Client()
    client.force_login(organiser)
    for change in ({"board_audience": Audience.PARTICIPANTS}, {"is_private": True}):
        Campaign.objects.filter(pk=campaign.pk).update(
            **({"board_audience": Audience.EVERYONE, "is_private": False} | change)
        )
        assert client.get(embedded(campaign)).status_code == 404


def test_a_frame_shows_everyone_the_same_and_takes_nothing(
    campaign: Campaign, organiser: User
) -> None:
    team = campaign.teams.get()
    member = make_user()
    Membership.objects.create(
        campaign=campaign, person=member, role=Membership.Role.PARTICIPANT, team=team
    )
    save(campaign, organiser, SITE)
    stranger = Client().get(embedded(campaign))
    text = stranger.content.decode()
    assert text.count("<tr") == 2  # the heading and the run
    assert '0.5<span class="pale">0</span>' in text  # as on the whole page
    assert "tag-baseline" not in text
    campaign.runs.update(is_baseline=True)
    stranger = Client().get(embedded(campaign))
    text = stranger.content.decode()
    assert text.count('<span class="tag-baseline">baseline</span>') == 1
    for forbidden in ("<form", "<input", "<button", "<script", "<iframe", "csrf"):
        assert forbidden not in text
    for person in (member, organiser):
        client = Client()
        client.force_login(person)
        answer = client.get(embedded(campaign))
        assert answer.content == stranger.content
        assert not answer.cookies
    assert not stranger.cookies
    for way in ("post", "put", "delete"):
        assert getattr(Client(), way)(embedded(campaign)).status_code == 405
    others = Client().get(reverse("scoring:leaderboard", args=[campaign.slug]))
    assert others["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("plain", "plain"),
        ("a_b.c/d_2.5", "a_<wbr>b.<wbr>c/<wbr>d_2.5"),
        ("_<b>_&", "_<wbr>&lt;b&gt;_<wbr>&amp;"),
    ],
)
def test_a_name_breaks_after_its_separators(name: str, shown: str) -> None:
    assert breakable(name) == shown


@pytest.mark.parametrize(
    ("typed", "origin"),
    [
        ("HTTPS://Lab.Example:8443/", "https://lab.example:8443"),
        ("https://Bücher.example", "https://xn--bcher-kva.example"),
        ("https://*.straße.example", "https://*.xn--strae-oqa.example"),  # as browsers encode it
        ("https://日本語.example:08080", "https://xn--wgv71a119e.example:8080"),
        ("http://localhost:8000", "http://localhost:8000"),
    ],
)
def test_a_site_is_named_as_browsers_name_it(
    campaign: Campaign, organiser: User, typed: str, origin: str
) -> None:
    save(campaign, organiser, typed)
    campaign.refresh_from_db()
    assert campaign.embedding_origins == [origin]
    policy = Client().get(embedded(campaign))["Content-Security-Policy"]
    assert f"frame-ancestors {origin};" in f"{policy};"


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("lab.example:8443", "begin with https://"),
        ("ftp://lab.example", "begin with https://"),
        ("https://", "begin with https://"),
        *(
            (f"https://lab.example{end}", "remove what follows the name of the site and its port.")
            for end in ("/a", "//", "?a=1", "#a", ":8443/a")
        ),
        *(
            (f"https://{name}", "write * only before a name, as in https://*.example.org.")
            for name in ("*", "www.*.example", "*.*.example", "a*.example")
        ),
        ("https://*.org", "write a domain with two parts or more after *,"),
        *(
            (f"https://lab.example:{port}", "the port is a number from 1 to 65535.")
            for port in ("", "0", "65536", "x", "*", "1:2", "-1")
        ),
        *(
            (f"https://{name}", f"{name} is not the name of a web site.")
            for name in ("-a.example", "a..b", "[", "a@lab.example", "a_b.example", "a" * 64)
        ),
    ],
)
def test_each_fault_of_a_url_has_its_sentence(typed: str, told: str) -> None:
    form = EmbeddingForm({"origins": typed})
    (message,) = form.errors["origins"]
    assert message.startswith(f"{typed}: {told}")


@pytest.mark.parametrize(
    "text",
    [
        "www.example.org",
        "https://www.example.org/path",
        "https://a.example 'unsafe-inline'",
        "https://a.example; script-src *",
        "*",
        "data:",
        "\n".join(f"https://s{number}.example" for number in range(21)),
    ],
)
def test_what_is_not_a_site_is_refused(campaign: Campaign, organiser: User, text: str) -> None:
    client = Client()
    client.force_login(organiser)
    answer = client.post(editing(campaign), {"origins": text})
    assert answer.status_code == 400
    assert "errorlist" in answer.content.decode()
    campaign.refresh_from_db()
    assert campaign.embedding_origins == []


def test_the_sites_of_an_archived_campaign_stay(campaign: Campaign, organiser: User) -> None:
    Campaign.objects.update(archived_at=timezone.now())
    assert "The campaign is archived." in save(campaign, organiser, SITE)
    campaign.refresh_from_db()
    assert campaign.embedding_origins == []
