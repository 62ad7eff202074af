"""What is written about the API is all of it."""

import re
from pathlib import Path

from django.urls import reverse
from drf_spectacular.generators import SchemaGenerator

DOCS = Path(__file__).resolve().parents[3] / "docs"


def operations() -> dict[str, dict]:
    paths = SchemaGenerator().get_schema(public=True)["paths"]
    names = {"public_id": "id"}
    return {
        f"{method.upper()} " + re.sub(
            r"\{(\w+)\}", lambda found: f"<{names.get(found[1], found[1])}>", path[len("/api/") :]
        ): operation
        for path, methods in paths.items()
        for method, operation in methods.items()
    }  # fmt: skip


def test_the_page_names_every_act_and_no_other() -> None:
    written = re.findall(r"^\| `([A-Z]+ [^`]+)` \|", (DOCS / "api.md").read_text(), re.MULTILINE)
    assert sorted(written) == sorted(operations())


def test_every_act_has_a_summary_and_a_name_of_its_own() -> None:
    summaries = [operation.get("summary", "") for operation in operations().values()]
    assert all(summaries)
    assert len(set(summaries)) == len(summaries)


def test_every_response_with_rows_and_every_request_body_has_an_example() -> None:
    """The ones that a newcomer needs first."""
    wanted = {
        "POST campaigns/", "PATCH campaigns/<slug>/", "POST campaigns/<slug>/runs/",
        "GET campaigns/<slug>/runs/<id>/", "GET campaigns/<slug>/leaderboard/",
        "GET campaigns/<slug>/scores/", "POST campaigns/<slug>/topics/",
        "POST campaigns/<slug>/qrels/", "POST campaigns/<slug>/snapshots/",
        "GET campaigns/<slug>/topic-means/", "GET campaigns/<slug>/agreement/",
        "GET campaigns/<slug>/significance/", "GET campaigns/<slug>/pool/",
        "POST campaigns/<slug>/teams/", "POST campaigns/<slug>/teams/<team>/invitations/",
    }  # fmt: skip
    assert {name for name, each in operations().items() if "'examples'" in str(each)} >= wanted


def test_the_docs_page_points_to_the_schema(client) -> None:
    page = client.get(reverse("api:docs")).content.decode()
    script = client.get(reverse("api:docs"), {"script": ""})
    assert "<style" not in page
    assert not re.search(r"<script(?![^>]*src=)", page)
    assert script["Content-Type"].startswith("application/javascript")
    assert "/api/schema/" in script.content.decode()


def test_the_page_groups_acts_by_what_they_are_of(client) -> None:
    schema = client.get(reverse("api:schema"), headers={"Accept": "application/json"}).json()
    groups = {
        path: operation["tags"]
        for path, methods in schema["paths"].items()
        for operation in methods.values()
    }
    assert groups["/api/campaigns/{slug}/copy/"] == ["campaigns"]
    assert groups["/api/campaigns/{slug}/teams/{team}/merge/"] == ["teams"]
    assert {group for (group,) in groups.values()} == {
        "campaigns", "topics", "runs", "leaderboard", "scores", "snapshots", "qrels", "teams",
        "announcements", "analyses", "judging", "uploads",
    }  # fmt: skip
    assert "`code`" in schema["info"]["description"]
