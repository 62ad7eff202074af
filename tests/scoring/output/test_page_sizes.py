"""No page is larger than 500 kB, or asks the database more often, however many topics, runs and
teams its campaign has."""

import re
from collections.abc import Iterator

import numpy as np
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from campaigns.models import Campaign, Membership, Run, Team, TopicAssessor, User
from scoring.analyses.requests import packed
from scoring.analyses.studies import study_of
from scoring.core.data.artefacts import pack_vector
from scoring.core.data.ranking import Ranking, rank
from scoring.core.measures.names import parse_measure
from scoring.evaluation.rules import rules_of, version_of
from scoring.evaluation.storage import store_ranking
from scoring.models import Analysis, Evaluation, Job, Score, StoredRanking
from tests.access.crawler import urls
from tests.flow_world import perform_jobs
from tests.making import give_file, make_campaign, make_organiser, make_qrels
from tests.scoring.leaderboard.test_board_page import SHOWN

pytestmark = pytest.mark.django_db

LARGEST, QUERIES = 500_000, 60
MEASURE = "RBP(p=0.5)"
CHOICES = (
    "leaderboard/?page=2", "topics/?page=2", "topics/?order=likeness", "compare/?page=2",
    "compare/?a=nothing", "topics/?measure=nothing", "manage/people/?teams=3",
)  # fmt: skip


@pytest.fixture(
    params=[(800, 4), pytest.param((12, 320), marks=pytest.mark.long)], ids=["topics", "runs"]
)
def campaign(request: pytest.FixtureRequest) -> Campaign:
    return _campaign(*request.param)


def _campaign(topics: int, runs: int) -> Campaign:
    """Each run of a team of its own, and a person in each team."""
    codes = tuple(f"topic-{number}" for number in range(topics))
    campaign = make_campaign(topics=codes, measures=["AP"], persistences=[0.5], **SHOWN)
    qrels = make_qrels(campaign)
    give_file(qrels, b"".join(b"%b 0 d1 1\n" % code.encode() for code in codes))
    campaign.refresh_from_db()
    now = timezone.now()
    people = User.objects.bulk_create(
        User(email=f"p{n}@example.org", name=f"Person Number {n}") for n in range(runs)
    )
    teams = Team.objects.bulk_create(
        Team(campaign=campaign, name=f"Team of University {n}", approved_at=now)
        for n in range(runs)
    )
    Membership.objects.bulk_create(
        Membership(campaign=campaign, person=person, team=team, role="participant")
        for person, team in zip(people, teams, strict=True)
    )
    facts = {"size": 9, "digest": "0" * 64, "submitted_at": now, "state_changed_at": now}
    rows = Run.objects.bulk_create(
        Run(campaign=campaign, team=team, tag=f"system-number-{n}", state="accepted", **facts)
        for n, team in enumerate(teams)
    )
    _score(campaign, rows, topics)
    return campaign


def _score(campaign: Campaign, runs: list[Run], topics: int) -> None:
    found = Evaluation.objects.bulk_create(
        Evaluation(
            run=run,
            qrels=campaign.active_qrels,
            definitions=rules_of(campaign).digest,
            state="scored",
            scored_at=timezone.now(),
        )
        for run in runs
    )
    random = np.random.default_rng(1)
    scores = []
    for place, evaluation in enumerate(found):
        bases = np.clip(random.normal(0.2 + place / len(runs) / 2, 0.1, topics), 0, 0.9)
        scores.append(
            Score(
                evaluation=evaluation,
                measure=MEASURE,
                definition=version_of(parse_measure(MEASURE)),
                mean_base=float(bases.mean()),
                mean_residual=0.05,
                topic_count=topics,
                bases=pack_vector(bases),
                residuals=pack_vector(np.full(topics, 0.05)),
            )
        )
    Score.objects.bulk_create(scores)


def _paths(campaign: Campaign) -> Iterator[str]:
    run, topic, team = campaign.runs.first(), campaign.topics.first(), campaign.teams.first()
    values = {
        "slug": campaign.slug, "public_id": run.public_id, "code": topic.code,
        "team": team.public_id,
    }  # fmt: skip
    for name, pattern in urls():
        parts = set(pattern.pattern.converters)
        if "slug" in parts and parts <= set(values):
            yield reverse(name, kwargs={part: values[part] for part in parts})
    for choice in CHOICES:
        yield f"/campaigns/{campaign.slug}/{choice}"


def _answer(campaign: Campaign) -> None:
    """What a worker would, where scores alone are read."""
    for analysis in campaign.analyses.filter(kind__in=("significance", "difference")):
        study = study_of(analysis.kind)
        found = study.compute(campaign, analysis.qrels, study.question(**analysis.question))
        analysis.answer, analysis.state = packed(found), Analysis.State.DONE
        analysis.save()


def test_no_page_grows_with_the_campaign(campaign: Campaign) -> None:
    browser = Client(raise_request_exception=False)
    browser.force_login(make_organiser(campaign))
    for path in _paths(campaign):
        browser.get(path)  # asks for its analyses
    _answer(campaign)
    large, faulty, seen = {}, {}, 0
    for path in _paths(campaign):
        with CaptureQueriesContext(
            connection,
        ) as asked:
            answer = browser.get(path)
            size = len(answer.getvalue())
        if not answer["Content-Type"].startswith("text/html"):
            continue
        seen += answer.status_code == 200
        if answer.status_code >= 500:
            faulty[path] = answer.status_code
        if size > LARGEST or len(asked) > QUERIES:
            large[path] = (size, len(asked))
    assert seen > 30
    assert large == {}
    assert faulty == {}


def test_pages_of_analyses_of_rankings_list_250_runs_at_a_time() -> None:
    """And so do charts. Each run has the same ranking but for one document."""
    campaign = _campaign(4, 300)
    codes = list(campaign.topics.order_by("position").values_list("code", flat=True))
    StoredRanking.objects.bulk_create(
        StoredRanking(
            run=run,
            topic_count=len(codes),
            document_count=2 * len(codes),
            tied_count=0,
            longest=2,
            **store_ranking(_ranking(codes, b"d%d" % number))._asdict(),
        )
        for number, run in enumerate(campaign.runs.order_by("pk"))
    )
    browser = Client()
    browser.force_login(make_organiser(campaign))
    here = f"/campaigns/{campaign.slug}"
    unique = f"runs/{campaign.runs.order_by('pk')[0].public_id}/documents/unique"
    lists = {  # and how often a page may name runs: in a table, and in the points of charts
        "pools/": 2 * 250, "pools/teams/": 2 * 250, "report/": 2 * 250,
        "manage/pooled-runs/": 250, "judging/run-families/": 2 * 250, f"{unique}/": 250,
        "pools/?page=2": 50 + 250, f"{unique}/?runs=2": 50,
    }  # fmt: skip
    for path in lists:
        browser.get(f"{here}/{path}")
    perform_jobs(Job.Kind.ANALYSE)
    for path, most in lists.items():
        answer = browser.get(f"{here}/{path}")
        assert (answer.status_code, answer.get("Refresh")) == (200, None), path
        assert 50 <= answer.content.count(b"system-number-") <= most + 25, path
        links = re.findall(r'href="([^"]*page=2[^"]*)"', answer.content.decode())
        assert all(link.endswith(("?page=2#runs", "?page=2")) for link in links), path


def _ranking(codes: list[str], doc_id: bytes) -> Ranking:
    topics = np.repeat(np.arange(len(codes), dtype=np.int32), 2)
    return rank(
        topics=codes,
        topic_index=topics,
        doc_ids=np.array([doc_id, b"d1"] * len(codes)),
        retrieval_scores=np.tile([2.0, 1.0], len(codes)),
    )


def test_the_queries_of_assignments_do_not_grow_with_topics_and_assessors(client: Client) -> None:
    """Each of 40 assessors judges each of 2,000 topics."""
    codes = tuple(f"{1_000_000 + number}" for number in range(2_000))
    campaign = make_campaign(topics=codes)
    people = User.objects.bulk_create(
        User(email=f"a{n}@example.org", name=f"Assessor Number {n}") for n in range(40)
    )
    Membership.objects.bulk_create(
        Membership(campaign=campaign, person=person, role="assessor") for person in people
    )
    topics = list(campaign.topics.values_list("pk", flat=True))
    TopicAssessor.objects.bulk_create(
        TopicAssessor(topic_id=topic, assessor=person) for person in people for topic in topics
    )
    client.force_login(make_organiser(campaign))
    url = reverse("campaigns:judging-assessors", args=[campaign.slug])
    for chosen in ({}, {"assessor": people[7].pk}):
        page = client.get(url, chosen)
        assert page.status_code == 200
        assert len(page.content) < LARGEST
