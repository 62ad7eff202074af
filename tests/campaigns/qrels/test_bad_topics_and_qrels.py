"""Every bad or doubtful file of qrels (Q) and topics (T), by the numbers of tests/campaigns/trec,
through the site: the bad ones refused at their lines, the doubtful ones asked about, nothing
half-stored."""

import html
import re
from dataclasses import dataclass, replace
from typing import Protocol

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.urls import reverse

from campaigns.models import Campaign, LogEntry, Qrels, Topic
from campaigns.qrels import versions
from campaigns.trec.problems import FormatError
from scoring.models import Evaluation, Job
from tests.campaigns.trec import test_qrels_rows, test_topics_rows
from tests.campaigns.trec.outcomes import Row
from tests.flow_world import World, run_file, stored_files
from tests.making import make_campaign

pytestmark = pytest.mark.usefixtures("wake_ups")

DOORS = ("page", "api")
QRELS_ROWS = [case.values[0] for case in test_qrels_rows.ROWS]
TOPICS_ROWS = [case.values[0] for case in test_topics_rows.ROWS]
GOOD = test_qrels_rows.GOOD

# The site has no limit of ten lines: it meets the first line that is there twice.
QRELS_ROWS = [
    replace(row, code="DUP", line=4, says="on line 1") if row.name == "Q39" else row
    for row in QRELS_ROWS
]
CONFIRMED = {"Q34-confirmed"}
ASKED = {"Q29": (None, "NO_RELEVANT"), "Q34": (4, "UNKNOWN_TOPIC")}

BAD_QRELS = [row for row in QRELS_ROWS if row.code is not None and row.name not in ASKED]
GOOD_QRELS = [row for row in QRELS_ROWS if row.code is None and row.name not in ASKED]


@dataclass(frozen=True)
class Answer:
    """What came back: the status and, of a refusal, each problem's line and code, in order."""

    status: int
    problems: list[tuple[int | None, str]]
    words: str


class Door(Protocol):
    def send(self, world: World, what: str, data: bytes, **fields: str) -> Answer: ...


class Page:
    """The form on the page that manages the campaign."""

    def send(self, world: World, what: str, data: bytes, **fields: str) -> Answer:
        response = self._post(world, what, data, **fields)
        text = html.unescape(response.content.decode())
        found = re.findall(
            r'<li data-code="(\w+)">\s*<span class="line">(?:line (\d+)|the file)',
            text.partition('<ol class="problems">')[2].partition("</ol>")[0],
            flags=re.DOTALL,
        )
        problems = [(int(line) if line else None, code) for code, line in found]
        return Answer(response.status_code, problems, re.sub(r"\s+", " ", text))

    def _post(self, world: World, what: str, data: bytes, **fields: str) -> HttpResponse:
        url = reverse(f"campaigns:{what}-add", args=[world.campaign.slug])
        return world.organiser_client.post(
            url, {"file": SimpleUploadedFile("a-file", data), **fields}
        )


class Script:
    """The same by the API."""

    def send(self, world: World, what: str, data: bytes, **fields: str) -> Answer:
        response = world.organiser_client.post(
            f"/api/campaigns/{world.campaign.slug}/{what}/",
            {"file": SimpleUploadedFile("a-file", data), **fields},
        )
        body = response.json()
        problems = body.get("problems", ()) if isinstance(body, dict) else ()
        return Answer(
            response.status_code,
            [(problem["line"], problem["code"]) for problem in problems],
            " ".join(problem["message"] for problem in problems),
        )


@pytest.fixture(params=DOORS)
def door(request: pytest.FixtureRequest) -> Door:
    return {"page": Page, "api": Script}[request.param]()


@pytest.fixture
def world(world: World) -> World:
    """With the widest scale, and a run that must not be scored by what is refused."""
    world.change(highest_grade=127)
    world.submitted_run(run_file())
    return world


def stored(world: World) -> list[object]:
    """Everything a bad file could have left behind."""
    files = [stored_files(folder) for folder in ("runs", "qrels", "rankings", "grades")]
    rows = [list(model.objects.order_by("pk").values()) for model in (Topic, Qrels, Evaluation)]
    jobs = [list(Job.objects.order_by("pk").values()), LogEntry.objects.count()]
    return [*files, *rows, *jobs, Campaign.objects.filter(pk=world.campaign.pk).values().get()]


def add_confirmed(world: World, data: bytes) -> Qrels:
    qrels, _ = versions.add_qrels(
        campaign=world.campaign, data=data, note="", actor=world.organiser, is_confirmed=True
    )
    return qrels


def check_refused(answer: Answer, row: Row) -> None:
    assert answer.status == 400
    assert answer.problems[0][0] == row.line
    assert (row.line, row.code) in answer.problems
    assert row.says in answer.words


@pytest.mark.parametrize("row", BAD_QRELS, ids=lambda row: row.name)
def test_bad_qrels_are_refused_at_their_line_and_leave_nothing(
    world: World, door: Door, row: Row
) -> None:
    before = stored(world)
    check_refused(door.send(world, "qrels", row.data), row)
    assert stored(world) == before


@pytest.mark.parametrize("row", TOPICS_ROWS, ids=lambda row: row.name)
def test_bad_topics_are_refused_at_their_line_and_leave_nothing(
    world: World, door: Door, row: Row
) -> None:
    before = stored(world)
    check_refused(door.send(world, "topics", row.data), row)
    assert stored(world) == before


@pytest.mark.parametrize("row", GOOD_QRELS, ids=lambda row: row.name)
def test_valid_qrels_are_added_with_their_warnings(world: World, door: Door, row: Row) -> None:
    if "3" in dict(row.options).get("known_topics", ()):
        Topic.objects.create(campaign=world.campaign, code="3", position=2)
    if row.name in CONFIRMED:
        qrels = add_confirmed(world, row.data)
    else:
        assert door.send(world, "qrels", row.data).status in {201, 302}
        world.campaign.refresh_from_db()
        qrels = world.campaign.active_qrels
    codes = {warning["code"] for warning in qrels.warnings}
    # The readers' rows know of no topics that a file lacks: the campaign does.
    assert codes - {"MISSING_TOPICS"} == row.warns - {"MISSING_TOPICS"}
    assert row.warns <= codes


@pytest.mark.parametrize("name", ASKED)
def test_unusual_qrels_need_confirmation(world: World, door: Door, name: str) -> None:
    (row,) = (row for row in QRELS_ROWS if row.name == name)
    before = stored(world)
    answer = door.send(world, "qrels", row.data)
    assert (answer.status, answer.problems) == (400, [ASKED[name]])
    assert stored(world) == before


@pytest.mark.parametrize("name", ASKED)
def test_a_confirmation_holds_for_the_file_that_was_looked_at(world: World, name: str) -> None:
    (row,) = (row for row in QRELS_ROWS if row.name == name)
    page = Page().send(world, "qrels", row.data).words
    (confirmed,) = re.findall(r'name="confirmed" value="(\w+)"', page)
    before = stored(world)
    other = row.data.replace(b"A", b"C")
    assert Page().send(world, "qrels", other, confirmed=confirmed).status == 400
    assert stored(world) == before
    assert Page().send(world, "qrels", row.data, confirmed=confirmed).status == 302
    world.campaign.refresh_from_db()
    assert world.campaign.active_qrels.version == 1


def test_grades_above_the_scale_are_refused_at_their_lines(world: World, door: Door) -> None:
    world.change(highest_grade=2)
    before = stored(world)
    data = b"1 0 A 1\n\n2 0 B 3\n1 0 C 0\n2 0 D 127\n2 0 E 2\n"  # an empty line counts
    answer = door.send(world, "qrels", data)
    assert answer.status == 400
    assert answer.problems == [(3, "GRADE"), (5, "GRADE")]
    assert "above 2, the campaign" in answer.words
    assert stored(world) == before


def test_behind_lines_of_unknown_topics_a_grade_keeps_its_line(world: World, door: Door) -> None:
    world.change(highest_grade=2)
    answer = door.send(world, "qrels", b"9 0 A 1\n9 0 B 1\n1 0 C 5\n")
    assert answer.problems == [(3, "GRADE")]


def test_the_note_typed_with_a_refused_file_stays_in_the_form(world: World) -> None:
    url = reverse("campaigns:qrels-add", args=[world.campaign.slug])
    file = SimpleUploadedFile("qrels.txt", b"1 0 A\n" * 400)
    page = world.organiser_client.post(url, {"file": file, "note": "After the meeting"})
    assert page.status_code == 400
    assert 'value="After the meeting"' in page.content.decode()
    assert "It has one problem on 400 lines." in page.content.decode()


def test_dropped_lines_stay_dropped_when_their_topic_is_added(world: World) -> None:
    qrels = add_confirmed(world, GOOD + b"3 0 A 1\n")
    assert [warning["code"] for warning in qrels.warnings] == ["DROPPED_TOPICS"]
    url = reverse("campaigns:qrels-file", args=[world.campaign.slug, 1])
    assert b"".join(world.organiser_client.get(url)) == GOOD


def test_a_topic_cannot_be_removed_once_there_is_a_run(world: World) -> None:
    before = stored(world)
    url = reverse("campaigns:topics-remove", args=[world.campaign.slug])
    page = world.organiser_client.post(url, {"codes": "2"}, follow=True).content.decode()
    assert "There are runs for these topics" in page
    assert stored(world) == before


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"1 0 d1 1\n1 0 d2 2\n2 0 d1 3\n", [2, 3]),
        (b"query-id\tcorpus-id\tscore\n1\td1\t1\n1\td2\t2\n2\td1\t3\n", [3, 4]),
        (b'{"1": {"d1": 1,\n\n"d2": 2},\n "2": {"d1": 3}}', [3, 4]),
        (b"".join(b"1 0 d%d 2\n" % n for n in range(9)), [1]),  # one fault on every line
    ],
)
@pytest.mark.django_db
def test_grades_above_the_highest_have_the_way_out(data: bytes, lines: list[int]) -> None:
    campaign = make_campaign(topics=("1", "2"), highest_grade=1)
    with pytest.raises(FormatError) as caught:
        versions.add_qrels(campaign=campaign, data=data, note="", actor=None)
    problems = caught.value.problems
    assert [problem.line for problem in problems] == lines
    assert sum(problem.count for problem in problems) == caught.value.total
    told = (
        "grade is above 1, the campaign's highest: if it is right, set a higher one in the settings"
    )
    assert {problem.message.removeprefix("all 9 lines: ") for problem in problems} == {told}
