"""Runs as public tools write them are submitted unchanged: accepted under their own tags, or
refused with one hint, on the page of the run and in the API."""

import html

import pytest

from tests.flow_world import World
from tests.lines_of_tools import LINES, REFUSED

pytestmark = pytest.mark.usefixtures("wake_ups")


@pytest.fixture
def world(world: World) -> World:
    """With the topics of the runs."""
    lines = [line for data, _ in LINES.values() for line in data.splitlines()]
    codes = {line.split()[0].decode() for line in lines if not line.startswith(b"#")}
    for position, code in enumerate(sorted(codes - {"1", "2"}), start=2):
        world.campaign.topics.create(code=code, position=position)
    return world


@pytest.mark.parametrize("tool", LINES)
def test_a_run_of_a_tool_is_accepted_under_its_own_tag(world: World, tool: str) -> None:
    data, tag = LINES[tool]
    run = world.submitted_run(data)
    assert (run.state, run.problems, run.name, run.tag) == ("accepted", [], tag, tag)
    assert f'<h1 id="run-name" >{tag}</h1>' in world.page_of(run)


@pytest.mark.parametrize("name", REFUSED)
def test_a_run_of_a_tool_is_refused_with_one_hint(world: World, name: str) -> None:
    lines, (line, hint) = REFUSED[name]
    run = world.submitted_run(b"\n".join(lines) + b"\n")
    (problem,) = run.problems
    assert (run.state, problem["line"], run.storage_key) == ("refused", line, "")
    assert hint in problem["message"]
    assert hint in html.unescape(world.page_of(run))
    assert world.answer_on(run)["problems"] == run.problems


def test_two_runs_of_one_tool_have_two_names(world: World) -> None:
    data, tag = LINES["Anserini"]
    first = world.submitted_run(data)
    second = world.submitted_run(b"".join(data.splitlines(keepends=True)[:3]))
    assert (first.name, second.name) == (tag, f"{tag}-2")
    assert [each["code"] for each in second.warnings if each["code"] == "RENAMED"] == ["RENAMED"]
