"""The organiser chooses the measure with which all pages open."""

import html
import re

import pytest
from django.test import Client
from django.urls import reverse

from campaigns.models import Audience, Campaign, User
from scoring.core.measures.names import parse_measure
from scoring.evaluation.rules import rules_of
from scoring.output.measure_names import measure_label
from tests.making import give_file, make_campaign, make_organiser, make_qrels, make_run, make_scores

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(
        stage=Campaign.Stage.PUBLISHED,
        board_audience=Audience.EVERYONE,
        per_topic_audience=Audience.EVERYONE,
        runs_audience=Audience.EVERYONE,
        measures=["AP", "nDCG@10"],
        persistences=[0.5, 0.8],
        highest_grade=3,
    )
    give_file(make_qrels(campaign, highest_grade=3))
    for tag in ("first", "second"):
        scores = {str(each): (0.5, None) for each in rules_of(campaign).measures}
        make_scores(make_run(campaign, tag=tag), scores)
    return campaign


@pytest.fixture
def organiser(campaign: Campaign) -> User:
    return make_organiser(campaign)


@pytest.fixture
def client(organiser: User) -> Client:
    client = Client()
    client.force_login(organiser)
    return client


def save(client: Client, campaign: Campaign, **changes: str) -> str:
    """Posts the form as the page shows it, with these changes."""
    path = reverse("campaigns:campaign-edit", args=[campaign.slug])
    page = client.get(path)
    posted: dict[str, object] = {"version": page.context["version"]}
    for form in (page.context["form"], page.context["measures_form"]):
        for field in form:
            value = field.value()
            posted[field.html_name] = "" if value is None or value is False else value
    answer = client.post(path, posted | changes, follow=True)
    campaign.refresh_from_db()
    return answer.content.decode()


def names(campaign: Campaign) -> list[str]:
    return [str(measure) for measure in rules_of(campaign).measures]


PAGES = ("leaderboard", "significance", "topic-list", "leaderboard-csv", "badge")


def test_every_page_opens_with_it(client: Client, campaign: Campaign) -> None:
    assert names(campaign)[0] == "RBP(p=0.5)"
    save(client, campaign, leading="nDCG@10")
    assert names(campaign)[0] == "nDCG@10"
    for name in PAGES:
        body = client.get(reverse(f"scoring:{name}", args=[campaign.slug])).content.decode()
        opens = '<option value="nDCG@10" selected>' in body or ",nDCG@10," in body
        assert opens or "nDCG@10 0.50" in body, name
    run = campaign.runs.get(tag="first")
    page = client.get(reverse("scoring:run-detail", args=[campaign.slug, run.public_id]))
    assert "By nDCG@10 the run scores" in page.content.decode()
    entry = campaign.log.latest("pk")
    assert "nDCG@10" in str(entry.details)


def test_a_measure_that_is_not_on_the_leaderboard_is_added(
    client: Client, campaign: Campaign
) -> None:
    save(client, campaign, leading="RR")
    assert names(campaign)[0] == "RR"
    assert campaign.measures == ["AP", "nDCG@10", "RR"]


def test_rbp_with_a_persistence_can_lead_until_it_goes(client: Client, campaign: Campaign) -> None:
    save(client, campaign, leading="RBP(p=0.8)")
    assert names(campaign)[:2] == ["RBP(p=0.8)", "RBP(p=0.5)"]
    page = save(client, campaign, persistences="0.5, 0.95")
    assert "RBP(p=0.8) is no longer among the measures" in page
    assert campaign.persistences == [0.5, 0.8]


def test_the_api_sets_it(client: Client, campaign: Campaign) -> None:
    path = reverse("api:campaign-detail", args=[campaign.slug])

    def patch(**values: object) -> tuple[int, str]:
        answer = client.patch(path, values, content_type="application/json")
        return answer.status_code, answer.content.decode()

    assert patch(leading_measure="AP")[0] == 200
    assert patch(leading_measure="AP")[0] == 200
    assert campaign.log.filter(verb="changed settings").count() == 1
    campaign.refresh_from_db()
    assert names(campaign)[0] == "AP"
    status, text = patch(leading_measure="P@7")
    assert status == 400
    assert "P@7 is not among the measures" in text
    for change in ({"measures": ["P@7"]}, {"measures": []}):
        status, text = patch(**change)
        assert status == 400
        assert "AP is not among the measures" in text
    assert patch(measures=["P@7"], leading_measure="P@7")[0] == 200
    assert patch(leading_measure="")[0] == 200
    campaign.refresh_from_db()
    assert names(campaign)[0] == "RBP(p=0.5)"


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("RBP(p=.8)", "RBP(p=0.8)"),
        ("RBP( p = 0.80 )", "RBP(p=0.8)"),
        ("rbp(p=.8,rel=1)", "RBP(p=0.8)"),
        ("map", "AP"),
        ("ndcg_cut_10", "nDCG@10"),
    ],
)
def test_the_api_takes_any_spelling(
    client: Client, campaign: Campaign, typed: str, canonical: str
) -> None:
    path = reverse("api:campaign-detail", args=[campaign.slug])
    for _ in range(2):
        answer = client.patch(path, {"leading_measure": typed}, content_type="application/json")
        assert (answer.status_code, answer.json()["settings"]["leading_measure"]) == (
            200,
            canonical,
        )
    campaign.refresh_from_db()
    assert campaign.leading_measure == names(campaign)[0] == canonical
    for unknown in ("RBP(p=.7)", "RBP(p=x)", "RBP(p=2)", "rubbish"):
        answer = client.patch(path, {"leading_measure": unknown}, content_type="application/json")
        assert answer.status_code == 400
        assert f"{unknown} is not among the measures. " in answer.json()["fields"][0]["message"]


@pytest.mark.parametrize("name", ["Judged@10", "NumRelRet"])
def test_a_measure_that_says_nothing_of_quality_cannot_lead(
    client: Client, campaign: Campaign, name: str
) -> None:
    """A campaign that an older release let open with it keeps it while other settings change."""
    measures = ["AP", name]
    Campaign.objects.filter(pk=campaign.pk).update(measures=measures)
    edit = client.get(reverse("campaigns:campaign-edit", args=[campaign.slug])).content.decode()
    choice = edit[edit.index('id="id_leading"') :].split("</select>")[0]
    assert 'value="AP"' in choice
    assert f'value="{name}"' not in choice
    page = html.unescape(save(client, campaign, leading=name))
    assert f"{name} cannot be the leading measure. Choose one from the list." in page
    path = reverse("api:campaign-detail", args=[campaign.slug])
    asked = {"leading_measure": name}
    refused = client.patch(path, asked, content_type="application/json")
    assert refused.status_code == 400
    said = refused.content.decode()
    assert f"{name} does not say how good a run is. Choose the leading measure from these: " in said
    assert names(campaign)[0] == "RBP(p=0.5)"
    Campaign.objects.filter(pk=campaign.pk).update(leading_measure=name)
    change = client.patch(path, {"measures": ["P@5", name]}, content_type="application/json")
    assert change.status_code == 200


def test_the_overview_names_it(client: Client, campaign: Campaign) -> None:
    def overview() -> str:
        page = Client().get(reverse("campaigns:campaign-detail", args=[campaign.slug]))
        return re.sub(r"<[^>]+>", " ", page.content.decode())

    assert re.search(r"leading measure\s+RBP\(p=0\.5\)", overview())
    save(client, campaign, leading="nDCG@10")
    assert re.search(r"leading measure\s+nDCG@10", overview())


def test_graded_gains_come_last_unless_the_organisers_set_them(campaign: Campaign) -> None:
    assert names(campaign)[-2:] == ["RBP(p=0.5,gain=map)", "RBP(p=0.8,gain=map)"]
    campaign.gain_map = [0, 0.1, 0.5, 1]
    assert names(campaign)[2:4] == ["RBP(p=0.5,gain=map)", "RBP(p=0.8,gain=map)"]
    campaign.gain_map, campaign.leading_measure = [], "RBP(p=0.8,gain=map)"
    assert names(campaign)[0] == "RBP(p=0.8,gain=map)"


def test_graded_gains_are_named_in_words(campaign: Campaign) -> None:
    assert measure_label(parse_measure("RBP(p=0.8,gain=map)")) == "RBP(p=0.8), graded gains"
    assert measure_label(parse_measure("nDCG@10")) == "nDCG@10"
    path = reverse("scoring:leaderboard", args=[campaign.slug])
    body = Client().get(path, {"measure": "RBP(p=0.5,gain=map)"}).content.decode()
    assert '<option value="RBP(p=0.8,gain=map)">RBP(p=0.8), graded gains</option>' in body


def select_of(body: str) -> str:
    begin = body.index('<select name="measure"')
    return body[begin : body.index("</select>", begin)]


def test_graded_gains_are_folded_unless_the_organisers_ask_for_them(
    client: Client, campaign: Campaign
) -> None:
    path = reverse("scoring:leaderboard", args=[campaign.slug])
    folded = "Rank-biased precision, graded gains"

    def opened(measure: str = "") -> str:
        query = {"measure": measure} if measure else {}
        return client.get(path, query).content.decode()

    body = opened("RBP(p=0.8)")
    assert f'<option value="RBP(p=0.8,gain=map)">{folded} …</option>' in select_of(body)
    assert select_of(body).count("gain=map") == 1
    assert f"<summary>{folded}</summary>" in body
    whole = f'<optgroup label="{folded}">'
    assert whole in select_of(opened("RBP(p=0.8,gain=map)"))
    for asked in (
        {"gain_map": [0, 0.1, 0.5, 1]},
        {"leading_measure": "RBP(p=0.5,gain=map)"},
        {"measures": ["AP", "RBP(p=0.5,gain=map)", "RBP(p=0.8,gain=map)"]},
    ):
        usual = {"gain_map": [], "leading_measure": "", "measures": ["AP", "nDCG@10"]}
        Campaign.objects.filter(pk=campaign.pk).update(**usual | asked)
        body = opened("AP")
        assert whole in select_of(body), asked
        assert f"<summary>{folded}</summary>" not in body, asked


def test_the_page_of_a_run_folds_them_too(client: Client, campaign: Campaign) -> None:
    run = campaign.runs.get(tag="first")
    path = reverse("scoring:run-detail", args=[campaign.slug, run.public_id])
    table, _, rest = client.get(path).content.decode().partition("Scores with graded gains")
    assert 'data-measure="AP"' in table
    assert 'data-measure="RBP(p=0.8,gain=map)"' in rest
    assert 'data-measure="RBP(p=0.8,gain=map)"' not in table
    Campaign.objects.filter(pk=campaign.pk).update(leading_measure="RBP(p=0.8,gain=map)")
    body = client.get(path).content.decode()
    assert "Scores with graded gains" not in body
    assert "By RBP(p=0.8), graded gains the run scores" in body
