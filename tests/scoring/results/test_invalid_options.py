"""A choice that is not offered is told in words: as a page with what is offered, to scripts as a
refusal of the usual shape; and nothing is told to who may not see the page."""

import pytest
from django.test import Client

from campaigns.models import Audience, Campaign
from tests.campaigns.judging.making import make_plan
from tests.making import make_campaign, make_organiser, make_qrels, make_run, make_scores, make_team
from tests.scoring.leaderboard.test_board_page import SHOWN

pytestmark = pytest.mark.django_db
HERE, RBP = "/campaigns/published", "RBP(p=0.5)"
SECRET = "canary-name"
SCORES = {RBP: (0.5, 0.25), "AP": (0.25, None), "Judged@10": (1.0, None)}
# Path and query, the words that name it, and one of the choices offered.
WRONG = [
    ("leaderboard/?measure=Mpa", "“Mpa” is not a valid measure.", "AP"),
    ("leaderboard/?measure=app", "Did you mean AP?", "AP"),
    ("leaderboard/?measure=P@7", "P@7 is not among this campaign’s measures", "AP"),
    ("leaderboard/?columns=AP&columns=P@7", "P@7 is not among", "AP"),
    ("leaderboard/?qrels=9", "“9” is not a valid qrels version.", "qrels v1"),
    ("leaderboard/?sort=luck", "“luck” is not a valid sort column.", "judged"),
    ("leaderboard/?team=none", "“none” is not a valid team.", "Blue"),
    ("leaderboard/?type=odd", "“odd” is not a valid run type.", "manual"),
    ("leaderboard/?judged=half", "“half”", "in the judged pool"),
    ("leaderboard/?measure=RBP(p%3D0.5)&p=1.5", "p is a number from 0 to 0.999", ""),
    ("leaderboard.csv?qrels=9", "“9” is not a valid qrels version.", "qrels v1"),
    ("significance/?test=guess", "“guess” is not a valid test.", "Wilcoxon"),
    ("significance/?level=0.3", "“0.3” is not a valid level.", "5 %"),
    ("significance/?measure=Foo", "“Foo” is not a valid measure.", "AP"),
    ("significance/counts/?tail=no", "“no” is not a valid tail.", "one-tailed"),
    ("agreement/?m=AP&m=Foo", "“Foo” is not a valid measure.", "AP"),
    ("agreement/?statistic=rho", "“rho” is not a valid statistic.", "τ-b"),
    ("agreement/?a=AP&against=7", "“7” is not a valid qrels version.", "qrels v1"),
    ("pools/?depth=7", "“7” is not a valid pool depth.", "any rank"),
    ("compare/?a=nothing", "“nothing” is not a valid run.", "own-run"),
    ("topics/?order=up", "“up” is not a valid order.", "hardest first"),
    ("topics/?measure=Foo", "“Foo” is not a valid measure.", "AP"),
    ("runs/?state=odd", "“odd” is not a valid run state.", "accepted"),
    ("report/?depth=3", "“3” is not a valid pool depth.", "any rank"),
]
# The same of one run's pages, and of those that only organisers have.
WRONG_OF_A_RUN = [
    ("?order=luck", "“luck” is not a valid order of topics.", "best first"),
    ("curves/?gain=odd", "“odd” is not a valid gain.", "relevant or not"),
    ("curves/?topic=77", "“77” is not a valid topic.", ""),
    ("documents/?topic=77", "“77” is not a valid topic.", "1"),
    ("documents/unjudged/?p=0.3", "“0.3” is not a valid p.", "0.5"),
    ("documents/unique/?depth=7", "“7” is not a valid pool depth.", "any rank"),
]
WRONG_OF_JUDGING = [
    ("?level=0.3", "“0.3” is not a valid level.", "1 %"),
    ("?after=some", "a whole number of documents", ""),
    ("disagreements/?state=odd", "“odd” is not a valid state.", "decided"),
    ("pool.csv?depth=7", "“7” is not a valid pool depth.", "10"),
]


@pytest.fixture
def published() -> Campaign:
    campaign = make_campaign(slug="published", **SHOWN)
    make_qrels(campaign)
    make_scores(make_run(campaign, make_team(campaign, name="Blue"), tag="own-run"), SCORES)
    hidden = make_team(
        campaign,
        name=f"{SECRET} team",
    )
    type(hidden).objects.filter(pk=hidden.pk).update(is_anonymous=True)
    make_scores(make_run(campaign, hidden, tag=SECRET), SCORES)
    return campaign


@pytest.mark.parametrize(("path", "words", "offered"), WRONG)
def test_pages_say_which_choice_is_unknown_and_what_is_offered(
    published: Campaign, path: str, words: str, offered: str
) -> None:
    answer = Client().get(f"{HERE}/{path}")
    page = answer.content.decode()
    assert answer.status_code == 404
    assert "Invalid option" in page
    assert words in page
    assert offered in page
    assert SECRET not in page
    back = page.split('class="lead"')[1].split('href="')[1].split('"')[0].replace("&amp;", "&")
    assert Client().get(back).status_code == 200


@pytest.mark.parametrize(("path", "words", "offered"), WRONG_OF_A_RUN)
def test_the_pages_of_a_run_do(published: Campaign, path: str, words: str, offered: str) -> None:
    run = published.runs.get(tag="own-run")
    _is_told(published, f"{HERE}/runs/{run.public_id}/{path}", words, offered)


@pytest.mark.parametrize(("path", "words", "offered"), WRONG_OF_JUDGING)
def test_the_pages_of_judging_do(published: Campaign, path: str, words: str, offered: str) -> None:
    make_plan(published, topics=())
    _is_told(published, f"{HERE}/judging/{path}", words, offered)


def _is_told(campaign: Campaign, url: str, words: str, offered: str) -> None:
    client = Client()
    client.force_login(make_organiser(campaign))
    answer = client.get(url)
    page = answer.content.decode()
    assert (answer.status_code, "Invalid option" in page) == (404, True)
    assert words in page
    assert offered in page


def test_a_choice_of_the_list_leads_to_the_page(published: Campaign) -> None:
    page = Client().get(f"{HERE}/leaderboard/?measure=AP&qrels=9").content.decode()
    assert f'href="{HERE}/leaderboard/?measure=AP&amp;qrels=1"' in page


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("leaderboard/?measure=Foo", "measure"),
        ("leaderboard/?columns=Foo", "columns"),
        ("leaderboard/?qrels=9", "qrels"),
        ("leaderboard/?team=none", "team"),
        ("leaderboard/?format=xml", "format"),
        ("scores/?measure=Foo", "measure"),
        ("scores/?format=xml", "format"),
        ("runs/?state=odd", "state"),
    ],
)
def test_scripts_are_refused_in_the_usual_shape(published: Campaign, path: str, field: str) -> None:
    answer = Client().get(f"/api{HERE}/{path}")
    body = answer.json()
    assert (answer.status_code, body["code"]) == (400, "fields")
    assert [(each["field"], each["code"]) for each in body["fields"]] == [(field, "unknown_choice")]
    assert SECRET not in answer.content.decode()
    assert "Offered: " in body["message"]


def test_trec_eval_text_requires_the_id_of_a_run(published: Campaign) -> None:
    api = f"/api{HERE}/scores/?format=trec_eval"
    answer = Client().get(api)
    assert (answer.status_code, answer.json()["fields"][0]["field"]) == (400, "run")
    assert "Add run=<id>" in answer.json()["message"]
    Campaign.objects.filter(pk=published.pk).update(board_audience=Audience.ORGANISERS)
    assert Client().get(api).status_code == 404


@pytest.mark.parametrize("query", ["measure=Foo", "qrels=9", "team=none", "columns=Foo", "a=x"])
def test_a_hidden_leaderboard_responds_the_same_to_every_query(
    published: Campaign, query: str
) -> None:
    Campaign.objects.filter(pk=published.pk).update(board_audience=Audience.ORGANISERS)
    for path in ("leaderboard/", "compare/", "significance/", "agreement/"):
        plain, asked = Client().get(f"{HERE}/{path}"), Client().get(f"{HERE}/{path}?{query}")
        assert (plain.status_code, asked.status_code) == (200, 200)
        assert "Invalid option" not in asked.content.decode()


@pytest.mark.parametrize("query", ["measure=Foo", "qrels=9", "team=none", "columns=Foo"])
def test_the_api_responds_the_same_to_every_query_for_a_hidden_leaderboard(
    published: Campaign, query: str
) -> None:
    api = f"/api{HERE}/leaderboard/"
    unknown = Client().get(f"{api}?a=x")
    Campaign.objects.filter(pk=published.pk).update(board_audience=Audience.ORGANISERS)
    hidden, wrong = Client().get(api), Client().get(f"{api}?{query}")
    assert (hidden.status_code, hidden.json()) == (wrong.status_code, wrong.json())
    assert hidden.status_code == 404
    still_unknown = Client().get(f"{api}?a=x")  # refused before anything is looked up
    assert (still_unknown.status_code, still_unknown.json()) == (400, unknown.json())


def test_what_was_typed_stays_text_and_is_cut(published: Campaign) -> None:
    page = Client().get(f"{HERE}/leaderboard/", {"sort": "<b>" + "x" * 500}).content.decode()
    assert "&lt;b&gt;" in page
    assert "x" * 61 not in page.split("Valid options")[0].split('class="lead"')[1]


def test_an_invalid_page_of_the_log_is_reported(published: Campaign) -> None:
    client = Client()
    client.force_login(make_organiser(published))
    answer = client.get(f"{HERE}/manage/log/?page=7")
    assert answer.status_code == 404
    assert "“7” is not a valid page." in answer.content.decode()
