"""A pool goes out in an order that tells nothing; answers come back whole or not at all, and what
they contradict is shown first."""

import csv
import gzip
import hashlib
import io
from collections.abc import Iterable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from campaigns.judging import adjudication, pool_files
from campaigns.judging.final_grades import final_grade_values
from campaigns.models import Campaign, Claim, Judgment, Membership, Plan, Task, User
from campaigns.trec.problems import FormatError
from tests.making import make_campaign, make_organiser, make_user
from tests.ranked_runs import TABLE_1, table_1

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("wake_ups", "files_of_its_own")]


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(topics=("1", "2"), highest_grade=2)


@pytest.fixture
def ada(campaign: Campaign) -> User:
    return make_assessor(campaign, "Ada")


def make_assessor(campaign: Campaign, name: str) -> User:
    person = make_user(name=name)
    Membership.objects.create(campaign=campaign, person=person, role=Membership.Role.ASSESSOR)
    return person


def lay_out(campaign: Campaign, doc_ids: Iterable[str], **facts: object) -> Plan:
    plan = Plan.objects.create(campaign=campaign, **{"budget": 100, "method": "A"} | facts)
    topic = campaign.topics.get(code="1")
    for number, doc_id in enumerate(doc_ids):
        Task.objects.create(plan=plan, topic=topic, doc_id=doc_id, position=number, turn=number)
    return plan


def send(
    client: Client, campaign: Campaign, person: User, text: bytes, **more: str
) -> HttpResponse:
    url = reverse("campaigns:judging-import", args=[campaign.slug])
    file = SimpleUploadedFile("answers.txt", text)
    return client.post(url, {"assessor": person.pk, "file": file, **more})


# --- out ------------------------------------------------------------------------------------------


def test_the_order_depends_only_on_the_documents(campaign: Campaign) -> None:
    doc_ids = [f"d{number:02}" for number in range(30)]
    text = pool_files.pool_csv(campaign, pool_files.pool_of(lay_out(campaign, doc_ids)))
    Plan.objects.update(state=Plan.State.ENDED)
    turned = pool_files.pool_csv(campaign, pool_files.pool_of(lay_out(campaign, doc_ids[::-1])))
    assert turned == text
    listed = [line.split(",")[1] for line in text.splitlines()[1:]]
    assert sorted(listed) == doc_ids
    assert listed not in (doc_ids, doc_ids[::-1])


def test_prels_has_five_columns(campaign: Campaign) -> None:
    lay_out(campaign, ["a"])
    pool = pool_files.pool_of(campaign.plans.get())
    assert pool_files.pool_prels(campaign, pool) == "1 a -999 1 1\n"


def test_a_pool_by_depth_is_what_any_run_has_so_far_up(client: Client, tmp_path: object) -> None:
    campaign = make_campaign()
    table_1(campaign)
    client.force_login(make_organiser(campaign))
    url = reverse("scoring:judging-pool-csv", args=[campaign.slug])
    text = client.get(url, {"depth": "5"}).content.decode()
    listed = [line.split(",")[1] for line in text.splitlines()[1:]]
    assert sorted(listed) == sorted({doc_id for run in TABLE_1 for doc_id in run[:5]})
    assert client.get(url, {"depth": "7"}).status_code == 404
    assert client.get(url).content.decode() == "topic,doc_id,grade\n"


# --- in -------------------------------------------------------------------------------------------


def test_answers_are_judgments_and_the_same_file_adds_nothing(
    client: Client, campaign: Campaign, ada: User
) -> None:
    plan = lay_out(campaign, ["a", "b", "c"])
    client.force_login(make_organiser(campaign))
    text = gzip.compress(b"1 0 a 2\n1 0 b -1\n1 0 c 0\n")
    for _ in range(2):
        assert send(client, campaign, ada, text).status_code == 302
    made = Judgment.objects.order_by("doc_id")
    assert [(one.doc_id, one.grade, one.assessor, one.task.doc_id) for one in made] == [
        ("a", 2, ada, "a"), ("c", 0, ada, "c"),
    ]  # fmt: skip
    ended = Claim.objects.filter(task__plan=plan, assessor=ada, end=Claim.End.JUDGED)
    assert sorted(ended.values_list("task__doc_id", flat=True)) == ["a", "c"]


def test_a_page_from_before_the_renaming_imports_too(
    client: Client, campaign: Campaign, ada: User
) -> None:
    client.force_login(make_organiser(campaign))
    old = f"/campaigns/{campaign.slug}/judging/answers/"
    file = SimpleUploadedFile("judgments.txt", b"1 0 a 2\n")
    assert client.post(old, {"assessor": ada.pk, "file": file}).status_code == 302
    assert Judgment.objects.get().doc_id == "a"


STRANGE = ("=1+1", "@a", "a,b", '"q"', "-2|3", "日本")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_csv_of_a_pool_is_imported_with_its_grades(
    campaign: Campaign, ada: User, separator: str
) -> None:
    pool = pool_files.pool_of(lay_out(campaign, [*STRANGE, "left"]))
    out = list(csv.reader(io.StringIO(pool_files.pool_csv(campaign, pool))))
    assert out[0] == ["topic", "doc_id", "grade"]
    back = io.StringIO()
    writer = csv.writer(back, delimiter=separator)
    writer.writerow([*out[0], "remark"])
    writer.writerows(
        [topic, doc, "" if doc == "left" else "2", "ours"] for topic, doc, _ in out[1:]
    )
    data = ("﻿" + back.getvalue()).encode()  # as a spreadsheet saves it
    answers = pool_files.read_judgments(campaign, ada, data)
    assert answers.grades == {(0, "1", doc_id): 2 for doc_id in STRANGE}
    assert (answers.unjudged, answers.has_conflicts) == (1, False)


def test_prels_come_back_with_their_grades(campaign: Campaign, ada: User) -> None:
    pool = pool_files.pool_of(lay_out(campaign, ["a", "b"]))
    text = pool_files.pool_prels(campaign, pool).replace("1 a -999", "1 a 2")
    answers = pool_files.read_judgments(campaign, ada, gzip.compress(text.encode()))
    assert (answers.grades, answers.unjudged) == ({(0, "1", "a"): 2}, 1)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("topic,doc_id\n1,a\n", [("FIELDS", 1)]),
        ("topic,doc_id,grade\n1,a,1\n\n1,b,x\n", [("GRADE", 4)]),
        ("topic,doc_id,grade\n1,a,1\n1,b\n", [("FIELDS", 3)]),
        ("topic,doc_id,grade\n1,a,1\n1,b\rc,1\n", [("STRAY_CR", 3)]),
        pytest.param(
            f"topic,doc_id,grade\n1,a,1\n1,{'b' * 200_000},1\n", [("LINE_TOO_LONG", 3)], id="long"
        ),
        ("1 a 1 0 1\n9 b 1 0 1\n", [("UNKNOWN_TOPIC", 2)]),
        ("1 a 1 0 1\n1 b 3 0 1\n", [("GRADE", 2)]),
    ],
)
def test_errors_in_an_imported_pool_are_listed_by_line(
    campaign: Campaign, ada: User, text: str, told: list[tuple[str, int]]
) -> None:
    with pytest.raises(FormatError) as refused:
        pool_files.read_judgments(campaign, ada, text.encode())
    assert [(one.code, one.line) for one in refused.value.problems] == told


def test_a_faulty_file_is_refused_whole_with_its_lines(campaign: Campaign, ada: User) -> None:
    faulty = b"# ours\n1 0 a 1\n\n1 0 b 3\n2 0 c 9\n"
    with pytest.raises(FormatError) as refused:
        pool_files.import_judgments(campaign=campaign, assessor=ada, data=faulty, actor=ada)
    assert [(one.line, one.value) for one in refused.value.problems] == [(4, "3"), (5, "9")]
    with pytest.raises(FormatError) as refused:
        pool_files.read_judgments(campaign, ada, b"1 0 a 1\n7 0 b 1\n")
    assert [(one.code, one.line) for one in refused.value.problems] == [("UNKNOWN_TOPIC", 2)]
    assert not Judgment.objects.exists()


def test_conflicts_are_shown_before_anything_is_written(
    client: Client, campaign: Campaign, ada: User
) -> None:
    bob, organiser = make_assessor(campaign, "Bob"), make_organiser(campaign)
    lay_out(campaign, ["a", "b", "c", "d"])
    first = b"1 0 a 0\n1 0 b 1\n1 0 c 1\n"
    pool_files.import_judgments(campaign=campaign, assessor=bob, data=first, actor=organiser)
    adjudication.decide(campaign=campaign, topic="1", doc_id="c", grade=1, note="", actor=organiser)
    client.force_login(organiser)
    second = b"1 0 a 2\n1 0 b 1\n1 0 c 2\n1 0 z 1\n"
    asked = send(client, campaign, ada, second)
    assert asked.status_code == 400
    answers = asked.context["judgments"]
    assert [(c.doc_id, c.grade, c.known) for c in answers.disputed] == [("a", 2, 0), ("c", 2, 1)]
    assert [(c.doc_id, c.known) for c in answers.decided] == [("c", 1)]
    assert [c.doc_id for c in answers.outside] == ["z"]
    assert not Judgment.objects.filter(assessor=ada).exists()
    digest = hashlib.sha256(second).hexdigest()
    other = send(client, campaign, ada, second + b"2 0 y 1\n", confirmed=digest)
    assert other.status_code == 400
    assert send(client, campaign, ada, second, confirmed=digest).status_code == 302
    assert final_grade_values(campaign) == {
        (0, "1", "a"): 2, (0, "1", "b"): 1, (0, "1", "c"): 1, (0, "1", "z"): 1,
    }  # fmt: skip
    changed = pool_files.read_judgments(campaign, ada, b"1 0 a 1\n1 0 b 1\n")
    assert [(c.doc_id, c.grade, c.known) for c in changed.changed] == [("a", 1, 2)]
    assert changed.unchanged == 1


def test_few_queries(
    client: Client, campaign: Campaign, ada: User, django_assert_max_num_queries: object
) -> None:
    lay_out(campaign, ["a"])
    client.force_login(make_organiser(campaign))
    with django_assert_max_num_queries(12):
        page = client.get(reverse("campaigns:judging-pool", args=[campaign.slug]))
    assert "The active plan has selected 1 document" in page.content.decode()
