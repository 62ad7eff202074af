"""The page Pooled runs and its API: which runs were pooled, to what depth, and corrections."""

import difflib
import json
import re

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns.manage import pooling_views
from campaigns.models import Campaign, Run
from tests.making import make_campaign, make_organiser, make_qrels, make_run, make_team

pytestmark = pytest.mark.django_db


@pytest.fixture
def organiser() -> Client:
    campaign = make_campaign(slug="pooled")
    team = make_team(campaign, name="Alpha")
    for tag in ("bm25", "dense", "sparse"):
        make_run(campaign, team, tag=tag, public_id=tag)
    make_qrels(campaign)
    client = Client()
    client.force_login(make_organiser(campaign))
    return client


def post(client: Client, **data: object) -> HttpResponse:
    return client.post(reverse("campaigns:pooled-runs", args=["pooled"]), data, follow=True)


def patch(client: Client, **data: object) -> HttpResponse:
    url = reverse("api:pool", args=["pooled"])
    return client.patch(url, json.dumps(data), content_type="application/json")


def stated() -> dict[str, bool | None]:
    return dict(Run.objects.values_list("tag", "is_pooled"))


def test_an_organiser_states_corrects_and_withdraws(organiser: Client) -> None:
    page = organiser.get(reverse("campaigns:pooled-runs", args=["pooled"])).content.decode()
    assert "You have not stated which runs were pooled" in page
    page = post(organiser, choose="on", pooled=["bm25", "dense"]).content.decode()
    assert "You state that <b>2</b> of 3 runs were pooled." in page
    assert stated() == {"bm25": True, "dense": True, "sparse": False}
    post(organiser, choose="on", pooled=["dense"])
    assert stated() == {"bm25": False, "dense": True, "sparse": False}
    make_run(Campaign.objects.get(), tag="late")
    page = organiser.get(reverse("campaigns:pooled-runs", args=["pooled"])).content.decode()
    assert "You have not said whether 1 other run was." in page
    post(organiser, withdraw="on")
    assert set(stated().values()) == {None}
    assert "Nothing has changed." in post(organiser, withdraw="on").content.decode()
    log = Campaign.objects.get().log.order_by("pk").values_list("verb", "details")
    assert list(log) == [
        ("stated pooled runs", {"total": 2, "pooled": "bm25, dense", "not_pooled": "sparse"}),
        ("stated pooled runs", {"total": 1, "not_pooled": "bm25"}),
        ("stated pooled runs", {"total": 0, "not_stated": "bm25, dense, sparse"}),
    ]


def test_a_page_of_runs_changes_no_other_runs(
    organiser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pooling_views, "ROWS", 2)
    url = reverse("campaigns:pooled-runs", args=["pooled"])
    page = organiser.get(url, {"page": 2}).content.decode()
    assert re.findall(r'data-run="(.*?)"', page) == ["sparse"]
    assert re.findall(r'name="shown" value="(.*?)"', page) == ["sparse "]
    data = {"choose": "on", "pooled": ["sparse"], "shown": "sparse "}
    response = organiser.post(f"{url}?page=2", data)
    assert response["Location"] == f"{url}?page=2"
    assert stated() == {"bm25": None, "dense": None, "sparse": True}
    page = post(organiser, choose="on", pooled=["dense"], shown="bm25 dense ").content.decode()
    assert stated() == {"bm25": False, "dense": True, "sparse": True}
    assert "You state that <b>2</b> of 3 runs were pooled." in page


def test_a_pasted_list_replaces_the_statement(organiser: Client) -> None:
    post(organiser, choose="on", pooled=["sparse"])
    post(organiser, paste="on", names="bm25\r\n\r\n  dense \n")
    assert stated() == {"bm25": True, "dense": True, "sparse": False}


def test_each_bad_line_of_a_list_is_named_and_nothing_is_stored(organiser: Client) -> None:
    campaign = Campaign.objects.get()
    beta = make_run(campaign, make_team(campaign, name="Beta"), tag="bm25")
    Run.objects.filter(tag="sparse").update(withdrawn_at=timezone.now())
    answer = post(organiser, paste="on", names="dense\nbm25\ndence\nsparse\n" + "zz\n" * 40)
    page = answer.content.decode()
    assert answer.status_code == 400
    assert "No change was saved." in page
    ids = f"bm25 of Alpha, {beta.public_id} of Beta"
    assert f"Line 2: “bm25” is the name of 2 runs. Write the id of one: {ids}." in page
    assert "Line 3: “dence” is not a run that counts. Did you mean dense?" in page
    assert "Line 4: “sparse” is not a run that counts." in page
    assert "And 18 more." in page
    assert "dence" in page.split("<textarea")[1]  # the list is kept
    assert set(stated().values()) == {None}
    assert "The list is empty" in post(organiser, paste="on", names=" \n").content.decode()


def test_similar_names_are_looked_for_only_for_the_lines_that_are_shown(
    organiser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched = []
    monkeypatch.setattr(
        difflib, "get_close_matches", lambda name, known, n: searched.append(name) or []
    )
    answer = post(organiser, paste="on", names="zz\n" * 1000)
    assert "And 975 more." in answer.content.decode()
    assert len(searched) == 25


def test_the_depth_of_each_version_is_stated_and_corrected(organiser: Client) -> None:
    campaign = Campaign.objects.get()
    post(organiser, depths="on", **{"depth-1": "100"})
    assert campaign.qrels.get().pool_depth == 100
    for bad in ("0", "ten", "1.5", "-3", "99999999", "٣"):
        answer = post(organiser, depths="on", **{"depth-1": bad})
        assert answer.status_code == 400
        assert f'value="{bad}"' in answer.content.decode()
    post(organiser, depths="on", **{"depth-1": ""})
    assert campaign.qrels.get().pool_depth is None
    log = campaign.log.order_by("pk").values_list("verb", "subject", "details")
    assert list(log) == [
        ("stated pool depth", "1", {"changed": [None, 100]}),
        ("stated pool depth", "1", {"changed": [100, None]}),
    ]


def test_scripts_state_both_or_nothing(organiser: Client) -> None:
    answer = patch(organiser, pooled_runs=["dense"], depths={"1": 20})
    assert answer.json() == {"pooled_runs": ["dense"], "depths": {"1": 20}}
    refused = patch(organiser, pooled_runs=["nobody"], depths={"1": 30})
    assert (refused.status_code, refused.json()["code"]) == (409, "cannot_state")
    for bad in ({"depths": {"7": 3}}, {"depths": {"one": 3}}, {"depths": {"1": 0}}):
        assert patch(organiser, **bad).status_code == 400
    assert patch(organiser).json() == {"pooled_runs": ["dense"], "depths": {"1": 20}}
    answer = patch(organiser, pooled_runs=None, depths={"1": None})
    assert answer.json() == {"pooled_runs": None, "depths": {"1": None}}
