"""Scores that are estimated from stratified samples: on the page, in CSV and API. The library,
which reads files, is the second witness."""

import csv
import io
import random
import re
from dataclasses import dataclass, field

import pytest
from django.test import Client
from django.urls import reverse

import trackside as ts
from campaigns.judging import plans
from campaigns.judging.program_judgments import import_grades
from campaigns.models import Judgment, Plan, Program, Qrels, Run, Sample, SampledDocument
from campaigns.qrels import versions
from scoring.estimates.rows import EstimatedScores
from scoring.library.table import Table
from tests.campaigns.judging.making import make_assessor
from tests.campaigns.judging.programs import make_program
from tests.flow_world import World, perform_jobs, run_file
from tests.scoring.evaluation.test_scores_by_source import publish

pytestmark = pytest.mark.usefixtures("wake_ups")

NUMBERS = ("program", "estimate", "std_error", "low", "high", "degrees")
DOCUMENTS = [f"d{number:02d}" for number in range(20)]
TRUTH = {
    (topic, doc): random.Random(f"{topic}{doc}").randrange(2) for topic in "12" for doc in DOCUMENTS
}
SAID = {
    key: grade if random.Random(f"p{key}").random() < 0.7 else 1 - grade
    for key, grade in TRUTH.items()
}


def ordered(tag: str) -> tuple[str, ...]:
    documents = DOCUMENTS.copy()
    random.Random(tag).shuffle(documents)
    return tuple(documents[:12])


@dataclass
class Sampled:
    """Three runs, and a plan whose documents are a sample of what they rank."""

    world: World
    runs: dict[str, Run] = field(default_factory=dict)

    @property
    def files(self) -> dict[str, dict[str, dict[str, float]]]:
        """The runs as the library takes them."""
        scores = {
            tag: {doc: -float(at) for at, doc in enumerate(ordered(tag))} for tag in self.runs
        }
        return {tag: {"1": scores[tag], "2": scores[tag]} for tag in self.runs}

    def plan(self, **facts: object) -> Plan:
        plan = Plan(
            campaign=self.world.campaign,
            **{"method": "RBPsample", "persistence": 0.5, "budget": 10} | facts,
        )
        plans.create_plan(plan=plan, actor=None)
        perform_jobs()
        plan.refresh_from_db()
        return plan

    def judge(self, plan: Plan, *, but: int = 0) -> Qrels:
        """People judge the tasks, all but this many, and the judgments become active qrels."""
        campaign, person = self.world.campaign, make_assessor(self.world.campaign)
        for task in plan.tasks.select_related("topic").order_by("position")[but:]:
            Judgment.objects.create(
                campaign=campaign, topic=task.topic, doc_id=task.doc_id, task=task,
                grade=TRUTH[task.topic.code, task.doc_id], assessor=person,
            )  # fmt: skip
        return self.freeze("people")

    def freeze(self, sources: str, program: Program | None = None) -> Qrels:
        qrels = versions.freeze_judgments(
            campaign=self.world.campaign, note="", actor=self.world.organiser, sources=sources,
            program=program,
        )  # fmt: skip
        perform_jobs()
        self.world.campaign.refresh_from_db()
        return qrels

    def program(self) -> Program:
        program = make_program(self.world.campaign, self.world.organiser, name="Judge")
        lines = (
            f"{topic} 0 {doc} {grade}\n" for (topic, doc), grade in SAID.items() if doc in self.seen
        )
        import_grades(program=program, data="".join(lines).encode(), actor=self.world.organiser)
        return program

    @property
    def seen(self) -> set[str]:
        return {doc for tag in self.runs for doc in ordered(tag)}

    def rows(self, *, browser: Client | None = None, **query: str) -> list[dict[str, str]]:
        """Of the CSV."""
        url = reverse("scoring:estimates-csv", args=[self.world.campaign.slug])
        browser = browser or self.world.organiser_client
        if browser.get(url, query).status_code == 202:
            perform_jobs()
        response = browser.get(url, query)
        assert response.status_code == 200
        return list(csv.DictReader(io.StringIO(response.content.decode())))

    def text(self, *, browser: Client | None = None, **query: str) -> str:
        url = reverse("scoring:estimates", args=[self.world.campaign.slug])
        browser = browser or self.world.organiser_client
        browser.get(url, query)
        perform_jobs()
        response = browser.get(url, query)
        assert response.status_code == 200
        return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


@pytest.fixture
def sampled(world: World) -> Sampled:
    world.change(persistences=[0.5, 0.8], measures=["P@2", "P@10", "nDCG@5", "AP"])
    found = Sampled(world)
    for tag in ("a", "b", "c"):
        found.runs[tag] = world.submitted_run(run_file(tag, documents=ordered(tag)))
    return found


def by_library(plan: Plan) -> Table:
    """The stored sample as the library writes it."""
    documents = SampledDocument.objects.filter(task__plan=plan).order_by("stratum", "pk")
    rows = [
        (
            each.task.topic.code,
            each.task.doc_id,
            each.stratum,
            each.probability,
            each.joint_probability,
        )
        for each in documents.select_related("task__topic")
    ]
    topic, doc_id, stratum, probability, joint = map(list, zip(*rows, strict=True))
    return Table(
        {
            "topic": topic, "doc_id": doc_id, "stratum": stratum,
            "documents": [len({d for t in "abc" for d in ordered(t)})] * len(rows),
            "probability": probability, "joint_probability": joint,
        }
    )  # fmt: skip


def test_csv_and_api_have_the_numbers_of_the_library(sampled: Sampled) -> None:
    plan = sampled.plan()
    sampled.judge(plan)
    program = sampled.program()
    people = {
        topic: {t.doc_id: TRUTH[topic, t.doc_id] for t in plan.tasks.filter(topic__code=topic)}
        for topic in "12"
    }
    says = {topic: {doc: SAID[topic, doc] for doc in sampled.seen} for topic in "12"}
    measure = "RBP(p=0.5)"
    expected = ts.estimate(sampled.files, by_library(plan), people, says, measure)
    rows = {row["run"]: row for row in sampled.rows(program=str(program.pk), measure=measure)}
    for row in expected:
        got = [float(rows[row.run][name] or "nan") for name in NUMBERS]
        assert got == pytest.approx([getattr(row, n) for n in NUMBERS], abs=1e-12, nan_ok=True)
    to = sampled.runs["b"].public_id
    expected = ts.estimate(sampled.files, by_library(plan), people, says, measure, differences=True)
    rows = {
        row["run"]: row for row in sampled.rows(program=str(program.pk), measure=measure, to=to)
    }
    (difference,) = (row for row in expected if (row.a, row.b) == ("a", "b"))
    assert float(rows["a"]["estimate"]) == pytest.approx(difference.estimate, abs=1e-12)
    assert float(rows["a"]["std_error"]) == pytest.approx(difference.std_error, abs=1e-12)
    assert (set(rows), rows["a"]["base"], rows["a"]["rank"]) == ({"a", "c"}, "", "")
    response = sampled.world.organiser_client.get(
        reverse("api:estimates", args=[sampled.world.campaign.slug]),
        {"program": str(program.pk), "measure": measure, "to": to},
    )
    assert [row["estimate"] for row in response.json()] == [
        float(row["estimate"]) for row in rows.values()
    ]


def test_bounds_are_those_of_the_leaderboard(sampled: Sampled) -> None:
    sampled.judge(sampled.plan())
    board = {row["run"]: row for row in sampled.world.board("RBP(p=0.5)")}
    for row in sampled.rows(measure="RBP(p=0.5)"):
        assert float(row["base"]) == pytest.approx(board[row["run"]]["base"], abs=1e-12)
        tail = 0.5**12  # of the documents that the run does not have
        left = board[row["run"]]["residual"] - tail
        assert float(row["residual"]) == pytest.approx(left, abs=1e-12)
        assert float(row["low"] or 0) <= float(row["estimate"])


def test_runs_may_be_shorter_than_the_cutoff(world: World) -> None:
    world.change(persistences=[0.5], measures=["P@3"])
    found = Sampled(world)
    found.runs["a"] = world.submitted_run(run_file("a", documents=("d00", "d01")))
    found.judge(found.plan(budget=4))
    (row,) = found.rows(measure="P@3")
    relevant = sum(TRUTH[topic, doc] for topic in "12" for doc in ("d00", "d01"))
    assert float(row["estimate"]) == pytest.approx(relevant / 6, abs=1e-12)


def test_judgments_of_people_in_a_mixed_version_are_the_sample(sampled: Sampled) -> None:
    plan = sampled.plan()
    sampled.judge(plan)
    alone = sampled.rows(program="none")
    program = sampled.program()
    mixed = sampled.freeze("people_then_program", program)
    shown = sampled.rows(program="none", qrels=str(mixed.version))
    pairs = zip(alone, shown, strict=True)
    assert all(a[name] == b[name] for a, b in pairs for name in (*NUMBERS, "base"))
    assert {row["judged_by"] for row in shown} == {mixed.counts_by_source}


def test_measures_are_those_for_which_the_sample_was_drawn(sampled: Sampled) -> None:
    sampled.judge(sampled.plan())
    text = sampled.text()
    for name in ("RBP", "P@2"):
        assert name in text
    for name in ("P@10", "nDCG@5", "RBP(p=0.8)"):
        url = reverse("scoring:estimates", args=[sampled.world.campaign.slug])
        assert sampled.world.organiser_client.get(url, {"measure": name}).status_code == 404


def test_a_document_that_nobody_judged_leaves_the_scores_unknown(sampled: Sampled) -> None:
    sampled.judge(sampled.plan(), but=1)
    assert sampled.rows() == []
    assert "qrels v1 have judgments of 9 of 10" in sampled.text()


def test_a_judgment_of_the_program_is_taken_into_account(sampled: Sampled) -> None:
    sampled.judge(sampled.plan())
    program = sampled.program()
    before = sampled.rows(program=str(program.pk))
    changed = "".join(f"{topic} 0 {doc} 1\n" for topic, doc in SAID if doc in sampled.seen)
    import_grades(program=program, data=changed.encode(), actor=sampled.world.organiser)
    assert sampled.rows(program=str(program.pk)) != before


def test_later_judgments_of_the_program_change_no_figures_of_a_frozen_version(
    sampled: Sampled,
) -> None:
    people = sampled.judge(sampled.plan())
    program = sampled.program()
    mixed = sampled.freeze("people_then_program", program)
    visitor = publish(sampled.world)
    frozen = {"program": str(program.pk)}
    versions_shown = [{"qrels": str(each.version)} for each in (people, mixed)]
    before = [sampled.rows(**frozen, **each) for each in versions_shown]
    assert "when qrels were frozen, do not count" in sampled.text(browser=visitor, **frozen)
    changed = "".join(f"{topic} 0 {doc} 1\n" for topic, doc in SAID if doc in sampled.seen)
    import_grades(program=program, data=changed.encode(), actor=sampled.world.organiser)
    assert [sampled.rows(**frozen, **each) for each in versions_shown] == before
    assert sampled.rows(browser=visitor, **frozen) == before[1]
    later = sampled.freeze("people_then_program", program)
    assert [sampled.rows(**frozen, **each) for each in versions_shown] == before
    newest = sampled.rows(**frozen, qrels=str(later.version))
    assert [row["program"] for row in newest] != [row["program"] for row in before[1]]


def test_only_organisers_see_programs_that_no_version_states(sampled: Sampled) -> None:
    sampled.judge(sampled.plan())
    program = sampled.program()
    visitor = publish(sampled.world)
    assert "Judge" in sampled.text()
    assert "Judge" not in sampled.text(browser=visitor)
    url = reverse("scoring:estimates", args=[sampled.world.campaign.slug])
    assert visitor.get(url, {"program": str(program.pk)}).status_code == 404
    sampled.freeze("people_then_program", program)
    assert "Judge" in sampled.text(browser=visitor)


def test_new_topics_end_the_estimates(sampled: Sampled) -> None:
    sampled.judge(sampled.plan())
    Sample.objects.update(runs=[["gone", "0" * 64]])
    assert "The topics have changed since the sample was drawn" in sampled.text()


def test_a_campaign_without_a_sample_says_so(sampled: Sampled) -> None:
    sampled.world.add_qrels(b"1 0 d01 1\n2 0 d02 1\n")
    assert "has drawn a stratified sample" in sampled.text()
    assert sampled.rows() == []


def test_counts_of_documents_that_the_program_did_not_judge() -> None:
    found = EstimatedScores(
        (), is_changed=False, sampled=10, judged=10, documents=30, by_program=28
    )
    assert found.unjudged_by_program == 2
