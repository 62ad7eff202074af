"""A program judges 1,000 documents of Vaswani through the API, by the script of the documentation,
while two assessors judge in browsers. On a real site with processes of its own.

`TRACKSIDE_DATA=... pytest -m "" -s tests/browser/test_programs_and_people.py`
"""

import json
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from docs.examples.judge import judge, word_overlap
from tests.browser.test_class_of_thirty import PASSWORD, running_site
from tests.chromium import new_context
from tests.vaswani import DOCUMENTS, judged_documents, topics

pytestmark = [
    pytest.mark.long,
    pytest.mark.data,
    pytest.mark.browser,
    pytest.mark.xdist_group("crowd"),
]
TOPICS, OF_TOPIC = 10, 100
AT_LEAST = 20  # judgments of each assessor, however quick the program is

SETUP = """
import datetime, gzip, io, json
from campaigns.judging import documents, programs
from campaigns.models import *
chosen = json.loads({chosen!r})
people = [
    User.objects.create_user(f"{{name}}@example.org", {password!r}, name=name)
    for name in ("olga", "ann", "bob")
]
for person in people:
    person.emailaddress_set.create(email=person.email, verified=True, primary=True)
campaign = Campaign.objects.create(
    slug="vaswani", name="Vaswani", stage="judging", highest_grade=1, is_accepting=False
)
roles = ("organiser", "assessor", "assessor")
for person, role in zip(people, roles):
    Membership.objects.create(campaign=campaign, person=person, role=role)
plan = Plan.objects.create(campaign=campaign, budget=1000, laid_out=1000)
place = 0
for position, (code, title, doc_ids) in enumerate(chosen):
    topic = Topic.objects.create(
        campaign=campaign, code=code, position=position, fields=[["title", title]]
    )
    TopicAssessor.objects.create(topic=topic, assessor=people[1 + position % 2])
    for doc_id in doc_ids:
        Task.objects.create(plan=plan, topic=topic, doc_id=doc_id, position=place, turn=place)
        place += 1
with open({documents!r}, "rb") as file:
    documents.add_documents(campaign=campaign, file=file, actor=people[0])
program = Program(
    campaign=campaign, name="Overlap", model="word overlap", version="1", prompt="none",
    run_by="Olga", run_on=datetime.date(2026, 11, 24),
)
programs.add_program(program=program, actor=people[0])
print(programs.create_token(program=program, actor=people[0]))
"""
RESULT = """
import json
from campaigns.judging.final_grades import final_grades
from campaigns.models import *
from campaigns.qrels import versions
from campaigns.qrels.files import text_of
campaign, program = Campaign.objects.get(), Program.objects.get()
qrels = versions.freeze_judgments(
    campaign=campaign, note="", actor=None, sources="people_then_program", program=program
)
by = {}
for judgment in Judgment.objects.select_related("assessor"):
    by.setdefault(judgment.assessor.name, []).append(judgment.doc_id)
grades = final_grades(campaign.judgments.all()).items()
print(json.dumps({
    "program": list(ProgramJudgment.objects.values_list("topic__code", "doc_id", "grade")),
    "people": [[key[1], key[2], final.grade] for key, final in grades],
    "by": by, "claims": Claim.objects.filter(end="judged").count(),
    "text": b"".join(text_of(qrels)).decode(),
    "counts": qrels.counts_by_source, "statement": qrels.statement,
}))
"""


def chosen_documents() -> list[tuple[str, str, list[str]]]:
    """Code, title and 100 documents of each topic: the relevant ones first, then others."""
    chosen = []
    for code, title in topics()[:TOPICS]:
        relevant = judged_documents(code)[:OF_TOPIC]
        others = [str(1 + (int(code) * 977 + 31 * n) % 11429) for n in range(3 * OF_TOPIC)]
        chosen.append((code, title, list(dict.fromkeys((*relevant, *others)))[:OF_TOPIC]))
    return chosen


def unhurried(fields: Any, title: str, text: str, highest_grade: int) -> int:
    time.sleep(0.01)
    return word_overlap(fields, title, text, highest_grade)


def test_a_program_and_two_assessors_judge_at_once(tmp_path: Path, chromium: Browser) -> None:
    setup = SETUP.format(
        chosen=json.dumps(chosen_documents()), password=PASSWORD, documents=str(DOCUMENTS)
    )
    (tmp_path / "mail").mkdir()
    with running_site("embedded", tmp_path) as (site, url):
        token = site.manage("shell", "-v0", "-c", setup, LOG_LEVEL="ERROR").strip()
        with ThreadPoolExecutor(1) as thread, assessors(chromium, url) as pages:
            sent = thread.submit(judge, url, "vaswani", token, unhurried)
            judged = judge_in_turn(pages, sent)
        found = json.loads(site.manage("shell", "-v0", "-c", RESULT, LOG_LEVEL="ERROR"))
    print(f"\nprogram {len(found['program'])}, people {judged}; {found['counts']}")
    keys = {(topic, doc_id) for topic, doc_id, _ in found["program"]}
    assert sent.result() == len(keys) == len(found["program"]) == TOPICS * OF_TOPIC
    assert {name: len(documents) for name, documents in found["by"].items()} == judged
    assert found["claims"] == len(found["people"]) == sum(judged.values())
    program = {(topic, doc_id): grade for topic, doc_id, grade in found["program"]}
    people = {(topic, doc_id): grade for topic, doc_id, grade in found["people"]}
    lines = [line.split() for line in found["text"].splitlines()]
    frozen = {(topic, doc_id): (source, int(grade)) for topic, source, doc_id, grade in lines}
    assert frozen == {
        key: ("0", people[key]) if key in people else ("1", program[key]) for key in program
    }
    counts = (len(people), TOPICS * OF_TOPIC - len(people))
    assert found["counts"] == "people: {}; Overlap: {}".format(*counts)
    assert found["statement"].startswith("{} judgments are by people, and {} by".format(*counts))


@contextmanager
def assessors(chromium: Browser, url: str) -> Iterator[dict[str, Page]]:
    """Both are logged in, and have a document before them."""
    pages = {}
    for name in ("ann", "bob"):
        page = new_context(chromium, base_url=url).new_page()
        page.goto("/accounts/login/?next=/campaigns/vaswani/assess/")
        page.get_by_label("Email address").fill(f"{name}@example.org")
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_role("main").get_by_role("button", name="Log in").click()
        page.get_by_role("link", name="Go through all topics").click()
        pages[name] = page
    yield pages
    for page in pages.values():
        page.context.close()


def judge_in_turn(pages: dict[str, Page], sent: Future[int]) -> dict[str, int]:
    """With a key for each document, until the program is done; the judgments of each assessor."""
    judged = dict.fromkeys(pages, 0)
    while not sent.done() or min(judged.values()) < AT_LEAST:
        for name, page in pages.items():
            before = page.locator("#assessment").get_attribute("data-doc")
            page.keyboard.press(str(judged[name] % 2))
            expect(page.locator("#assessment")).not_to_have_attribute("data-doc", before or "")
            judged[name] += 1
    return judged
