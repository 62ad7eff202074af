"""Settings by script: what is named changes, all of it or nothing, and nothing else can."""

import pytest

from campaigns.manage.settings_api import SettingsSerializer
from campaigns.models import Campaign, LogEntry, Topic
from scoring.models import Job
from tests.campaigns.api.conftest import World, client_of, faulty
from tests.making import make_user

pytestmark = pytest.mark.django_db
ASKED = {"name": "k1", "label": "BM25's k1", "kind": "number"}


def test_only_the_settings_that_are_named_change(world: World) -> None:
    before = Campaign.objects.values().get(pk=world.campaign.pk)
    asked = {"closes_at": "2026-09-01T12:00:00.000001+02:00", "grace_minutes": 30}
    answer = client_of(world.organiser).patch(world.url, asked, format="json")
    after = Campaign.objects.values().get(pk=world.campaign.pk)
    assert answer.status_code == 200
    assert answer.json()["settings"]["closes_at"] == "2026-09-01T10:00:00.000001Z"
    assert {name for name in after if after[name] != before[name]} == set(asked)
    assert LogEntry.objects.filter(verb="changed settings", actor=world.organiser).count() == 1


def test_no_other_column_can_be_written(world: World) -> None:
    """Each column of the model in turn, with values of every kind."""
    organiser_client = client_of(world.organiser)
    before = Campaign.objects.values().get(pk=world.campaign.pk)
    columns = {f.attname for f in Campaign._meta.fields} | {f.name for f in Campaign._meta.fields}
    closed = columns - set(SettingsSerializer().fields)
    for name in closed:
        for value in (1, True, "published", "2026-01-01T00:00:00Z", [], {}):
            assert faulty(organiser_client.patch(world.url, {name: value}, format="json")) == [
                (name, "unknown")
            ]
    assert {"stage", "board_audience", "active_qrels", "published_at", "slug"} <= closed
    assert Campaign.objects.values().get(pk=world.campaign.pk) == before


@pytest.mark.parametrize(
    ("asked", "fault"),
    [
        ({"closes_at": "tomorrow"}, ("closes_at", "invalid")),
        (
            {"closes_at": "2026-01-01T00:00Z", "opens_at": "2026-02-01T00:00Z"},
            ("closes_at", "invalid"),
        ),
        ({"opens_at": "1066-10-14T09:00:00Z"}, ("opens_at", "invalid")),
        ({"rel": 3, "highest_grade": 2}, ("rel", "invalid")),
        ({"gain_map": [0, 1, 0.5]}, ("gain_map", "invalid")),
        ({"gain_map": [0, "much"]}, ("gain_map.1", "invalid")),
        ({"persistences": [1.0]}, ("persistences.0", "max_value")),
        ({"time_zone": "Middle-earth/Bree"}, ("time_zone", "invalid")),
        ({"grace_minutes": 10**12}, ("grace_minutes", "max_value")),
        ({"joining": "never"}, ("joining", "invalid_choice")),
        ({"stage_switches": {"open": {}}}, ("stage_switches", "invalid")),
        ({"stage_switches": {"open": {}}, "run_quota": 7}, ("stage_switches", "invalid")),
        ({"name": ""}, ("name", "blank")),
        ({"name": None}, ("name", "null")),
        ({"name": "a\0b"}, ("name", "null_characters_not_allowed")),
        ({"measures": ["AP", "APP"]}, ("measures", "invalid")),
        ({"measures": ["P"], "run_quota": 7}, ("measures", "invalid")),
        ({"measures": ["AP(rel=1)"], "rel": 2, "highest_grade": 2}, ("measures", "invalid")),
        ({"measures": [f"P@{k}" for k in range(1, 42)]}, ("measures", "invalid")),
        ({"run_types": []}, ("run_types", "empty")),
        ({"run_types": ["magic"]}, ("run_types", "invalid_choice")),
        ({"run_fields": [{"name": "k1"}]}, ("run_fields.0.label", "required")),
        ({"run_fields": [ASKED | {"colour": "red"}]}, ("run_fields.0.colour", "unknown")),
        ({"run_fields": [ASKED, ASKED], "run_quota": 7}, ("run_fields", "invalid")),
        ({"feedback": "all"}, ("feedback", "invalid_choice")),
        ({"feedback_measure": "Judged@10"}, ("feedback_measure", "invalid_choice")),
        ({"feedback_topics": ["99"], "name": "Never"}, ("feedback_topics", "invalid")),
        ({"feedback_days": 0}, ("feedback_days", "min_value")),
    ],
)
def test_a_setting_that_cannot_be_is_refused_by_name_and_nothing_is_changed(
    asked: dict, fault: tuple[str, str], world: World
) -> None:
    before = Campaign.objects.values().get(pk=world.campaign.pk)
    assert fault in faulty(client_of(world.organiser).patch(world.url, asked, format="json"))
    assert Campaign.objects.values().get(pk=world.campaign.pk) == before


def test_a_body_that_is_no_json_object_is_refused(world: World) -> None:
    organiser_client = client_of(world.organiser)
    assert organiser_client.patch(world.url, {"name": "x"}, format="multipart").status_code == 415
    for body in ("[]", "7", '"x"', "null", "{", "NaN"):
        answer = organiser_client.patch(world.url, body, content_type="application/json")
        assert answer.status_code == 400, body


@pytest.mark.parametrize(
    "said",
    [
        {"measures": ["map", "nDCG@10", "AP", "P(rel=2)@5"], "persistences": [0.9]},
        {"measures": [], "highest_grade": 3},
    ],
)
def test_a_script_changes_the_measures_and_runs_are_scored_again(said: dict, world: World) -> None:
    answer = client_of(world.organiser).patch(world.url, said, format="json")
    assert answer.status_code == 200
    names = {"map": "AP", "AP": "AP"}
    due = list(dict.fromkeys(names.get(name, name) for name in said["measures"]))
    assert answer.json()["settings"]["measures"] == due
    campaign = Campaign.objects.get(pk=world.campaign.pk)
    assert (campaign.measures, campaign.persistences) == (
        due, said.get("persistences", [0.5, 0.8, 0.95])
    )  # fmt: skip
    assert Job.objects.filter(campaign=campaign, kind=Job.Kind.EVALUATE, state="waiting").exists()


def test_a_script_sets_the_run_description_form(world: World) -> None:
    said = {"run_types": ["manual", "automatic"], "asks_priority": True, "run_fields": [ASKED]}
    answer = client_of(world.organiser).patch(world.url, said, format="json")
    settings = answer.json()["settings"]
    assert settings["run_types"] == ["automatic", "manual"]
    assert settings["run_fields"] == [ASKED | {"choices": [], "is_required": False}]
    assert settings["asks_priority"]
    assert not settings["asks_acceptance"]
    assert LogEntry.objects.filter(verb="changed run description form").count() == 1


def test_a_script_sets_feedback_and_only_organisers_see_the_setting(world: World) -> None:
    codes = [f"f{place}" for place in range(25)]
    Topic.objects.bulk_create(
        Topic(campaign=world.campaign, code=code, position=100 + place)
        for place, code in enumerate(codes)
    )
    said = {
        "measures": ["AP", "RR"], "feedback": "ladder", "feedback_measure": "RR",
        "feedback_step": 0.05, "feedback_runs": 1, "feedback_days": 7, "feedback_topics": codes,
    }  # fmt: skip
    answer = client_of(world.organiser).patch(world.url, said, format="json")
    assert {name: answer.json()["settings"][name] for name in said} == said
    seen = client_of(world.participant).get(world.url).json()["settings"]
    assert set(said) & set(seen) == {"measures", "feedback"}


def test_a_campaign_is_created_with_all_settings_or_not_at_all() -> None:
    organiser_client = client_of(make_user(is_approved=True))
    said = {
        "slug": "all-at-once", "name": "All", "measures": ["bpref"], "run_fields": [ASKED],
        "feedback": "rounded", "preset": "live",
    }  # fmt: skip
    faults = faulty(
        organiser_client.post("/api/campaigns/", said | {"feedback_topics": ["1"]}, format="json")
    )
    assert faults == [("feedback_topics", "invalid")]
    assert not Campaign.objects.exists()
    made = organiser_client.post("/api/campaigns/", said, format="json").json()["settings"]
    assert (made["measures"], made["feedback"], made["preset"]) == (["bpref"], "rounded", "live")
    assert [field["name"] for field in made["run_fields"]] == ["k1"]
