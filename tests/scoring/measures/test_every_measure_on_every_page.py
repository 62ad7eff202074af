"""Every measure of the catalogue, with every set of parameters that a test names, on every page,
table and answer of the API that takes a measure: each is answered with 200.

All pages of a campaign read the name with one function (`chosen_measure` of scoring/results), and
all computations look the measure up by its family. So the fast tier asks the board for every
measure, and the other pages, in turns, for a few. The long tier asks each page for one measure of
each family; pages take other measures of the family. Files and the API give the rows of a page, so
they are asked for a quarter of the families, in turns. `make test-exhaustive` asks for the rest.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

import pytest
from django.core.files.base import ContentFile
from django.db import transaction
from django.test import Client
from django.utils import timezone

from campaigns.models import Audience, Campaign
from campaigns.qrels.versions import add_qrels
from campaigns.runs import submission
from scoring.core.measures.catalogue import FAMILIES
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import parse_measure
from tests.flow_world import logged_in, perform_jobs
from tests.making import make_campaign, make_organiser, make_team
from tests.scoring.core import test_catalogue, test_measure_names
from tests.scoring.leaderboard.test_board_page import SHOWN

pytestmark = pytest.mark.django_db
TURNS = 45  # in the fast tier a measure meets the board and one in this many of the other pages

NAMED = test_measure_names.test_names_print_canonically.pytestmark[0].args[1]
EXTREMES = (
    "RBP(p=0)", "RBP(p=0.999)", "RBP(p=0.999,gain=map)", "RBP(p=0)@1", "RBP(p1=1,p2=0.999)",
    "RBP(p1=0,p2=0)", "P@1", "P@1000", "P(rel=2)@1", "P(rel=127)@5", "AP@1", "AP@1000", "nDCG@1",
    "nDCG@1000", "RR@1", "RR@1000", "ERR@1", "ERR@1000", "R@1", "R@1000", "Judged@1", "Judged@1000",
    "Success@1", "Success@1000", "IPrec@0", "IPrec@1", "ESL(n=1)", "ESL(n=1000)", "Q(beta=0)",
)  # fmt: skip
MEASURES = tuple(
    dict.fromkeys(
        parse_measure(name)
        for name in (
            *map(str, test_catalogue.EXAMPLES),
            *(canonical for _, canonical in NAMED if canonical),
            *EXTREMES,
        )
    )
)

HERE, API = "/campaigns/{slug}", "/api/campaigns/{slug}"
BOARD = f"{HERE}/leaderboard/?measure={{m}}"
PAGES = (
    f"{HERE}/leaderboard/?measure={{m}}&ties=on&columns={{m}}&columns=AP&sort=judged",
    f"{HERE}/leaderboard/?columns={{m}}&sort={{m}}",
    f"{HERE}/leaderboard/?measure={{m}}&qrels=1",
    f"{HERE}/leaderboard/?measure={{m}}&p=0.5",
    f"{HERE}/leaderboard.csv?measure={{m}}",
    f"{HERE}/leaderboard.tex?measure={{m}}",
    f"{HERE}/badge.svg?measure={{m}}",
    f"{HERE}/runs/{{run}}/?measure={{m}}",
    f"{HERE}/runs/{{run}}/scores.csv?measure={{m}}",
    f"{HERE}/runs/{{run}}/scores.tex?measure={{m}}",
    f"{HERE}/topics/?measure={{m}}",
    f"{HERE}/topics.csv?measure={{m}}",
    f"{HERE}/topics.tex?measure={{m}}",
    f"{HERE}/topics/1/?measure={{m}}",
    f"{HERE}/topics/1.csv?measure={{m}}",
    f"{HERE}/topics/1.tex?measure={{m}}",
    f"{HERE}/topic-matrix.csv?measure={{m}}",
    f"{HERE}/compare/?measure={{m}}",
    f"{HERE}/compare.csv?measure={{m}}",
    f"{HERE}/compare/by-p.csv?measure={{m}}",
    f"{HERE}/compare.tex?measure={{m}}",
    f"{HERE}/compare/topics/1/?measure={{m}}",
    f"{HERE}/compare/topics/1.csv?measure={{m}}",
    f"{HERE}/agreement/?m={{m}}&m=AP&ref={{m}}",
    f"{HERE}/agreement/?a={{m}}&b=AP",
    f"{HERE}/agreement.csv?m={{m}}&m=AP&ref={{m}}&statistic=rbo",
    f"{HERE}/agreement.tex?m={{m}}&m=AP",
    f"{HERE}/agreement/runs.csv?a={{m}}&b=AP",
    f"{HERE}/agreement/runs.tex?a={{m}}&b=AP",
    f"{HERE}/agreement/swaps.csv?a={{m}}&b=AP",
    f"{HERE}/pools/?measure={{m}}",
    f"{HERE}/pools.csv?measure={{m}}",
    f"{HERE}/pools.tex?measure={{m}}",
    f"{HERE}/pools/teams/?measure={{m}}",
    f"{HERE}/pools/teams.csv?measure={{m}}",
    f"{HERE}/pools/teams.tex?measure={{m}}",
    f"{HERE}/qrels/1-2/?measure={{m}}",
    f"{HERE}/qrels/1-2.csv?measure={{m}}&table=runs",
    f"{HERE}/scores.csv?measure={{m}}",
    f"{API}/leaderboard/?measure={{m}}",
    f"{API}/scores/?measure={{m}}",
    f"{API}/topic-means/?measure={{m}}",
    f"{API}/agreement/?m={{m}}&m=AP",
    f"{API}/pool/?measure={{m}}",
    "/measures/{m}/",
    "/measures/playground/?measure={m}&first=1&second=2",
)
# Measures without lines by topic are not tested there, and say so with 404.
TESTED = (
    f"{HERE}/significance/?measure={{m}}",
    f"{HERE}/significance.csv?measure={{m}}",
    f"{HERE}/significance.tex?measure={{m}}",
    f"{API}/significance/?measure={{m}}",
)
# Pages of all measures at once.
WHOLE = (
    f"{HERE}/report/", f"{HERE}/report/agreement.csv", f"{HERE}/report/bounds.csv",
    f"{HERE}/report/agreement.tex", f"{HERE}/downloads/", f"{HERE}/package.zip",
    f"{HERE}/agreement/", f"{HERE}/pools/", f"{HERE}/pools/depths.csv",
    f"{HERE}/pools/measures.tex", f"{HERE}/runs/{{run}}/", f"{HERE}/runs/{{run}}/curves/",
    f"{HERE}/runs/{{run}}/trec_eval.txt", f"{HERE}/runs/{{run}}/scores.csv",
    f"{HERE}/significance/counts/", f"{HERE}/significance/counts.csv", f"{HERE}/scores.csv",
    f"{HERE}/manage/settings/", f"{HERE}/manage/visibility/", f"{HERE}/", "/measures/",
    "/measures.csv", f"{API}/runs/{{run}}/", f"{API}/",
)  # fmt: skip

TOPICS = ("1", "2", "3")
# All ties, a topic that is missing, an empty list's worth of unjudged documents, a plain run.
RUNS = {
    "plain": [("1", "abcdefgh"), ("2", "hgfedcba"), ("3", "aceg")],
    "tied": [("1", "hgfe"), ("2", "abcd"), ("3", "dcba")],
    "sparse": [("1", "bdfh")],
    "unseen": [("1", "stuv"), ("2", "stuv"), ("3", "stuv")],
}
QRELS = "".join(
    f"{topic} 0 {document} {grade}\n"
    for topic, grades in (("1", "20100120"), ("2", "00100201"), ("3", "10-"))
    for document, grade in zip("abcdefgh", grades, strict=False)
    if grade != "-"
)


@dataclass(frozen=True)
class World:
    campaign: Campaign
    desk: Client  # the organiser's browser
    run: str

    def answers(self, url: str, measure: Measure | None = None) -> int:
        """The status; a worker computes what has to be computed first."""
        path = url.format(slug=self.campaign.slug, run=self.run, m=quote(str(measure), safe=""))
        response = self.desk.get(path)
        if response.status_code == 202 or response.has_header("Refresh"):
            perform_jobs()
            response = self.desk.get(path)
        return int(response.status_code)

    def faults(self, pairs: list[tuple[str, Measure]]) -> list[str]:
        """What is not answered, named with the measure and how it is answered instead."""
        found = []
        for url, measure in pairs:
            with transaction.atomic():
                try:
                    status: object = self.answers(url, measure)
                except Exception as error:  # the client raises what a site answers with 500
                    status = repr(error)
                transaction.set_rollback(True)
            if status != 200:
                found.append(f"{measure} {url}: {status}")
        return found


def run_file(tag: str, lists: list[tuple[str, str]]) -> bytes:
    return "".join(
        f"{topic} Q0 {document} {rank} {1 if tag == 'tied' else 100 - rank} {tag}\n"
        for topic, documents in lists
        for rank, document in enumerate(documents, start=1)
    ).encode()


def make_world(
    runs: dict[str, list[tuple[str, str]]], qrels: str, topics: tuple[str, ...], **facts: object
) -> World:
    campaign = make_campaign(topics=topics, **{"highest_grade": 2, **facts})
    organiser = make_organiser(campaign)
    for tag, lists in runs.items():
        team = make_team(campaign, name=f"Team of {tag}")
        file = ContentFile(run_file(tag, lists), name=f"{tag}.txt")
        with submission.stored_upload(file) as stored:
            submission.submit_run(
                campaign=campaign, team=team, person=None, file=stored,
                submitted_at=timezone.now(),
            )  # fmt: skip
    perform_jobs()
    # Two versions: every page that compares them has something to compare.
    for text in (qrels, qrels + f"{topics[0]} 0 t 0\n") if qrels else ():
        add_qrels(
            campaign=campaign, data=text.encode(), note="", actor=organiser, is_confirmed=True
        )
        perform_jobs()
    shown = {**SHOWN, "qrels_audience": Audience.EVERYONE}
    Campaign.objects.filter(pk=campaign.pk).update(**shown)
    run = campaign.runs.ranked().order_by("pk").first()
    assert run is not None
    return World(Campaign.objects.get(pk=campaign.pk), logged_in(organiser), run.public_id)


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: pytest.FixtureRequest) -> Iterator[World]:
    """Made once, and gone at the end: every request leaves it as it was."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield make_world(
            RUNS, QRELS, TOPICS, persistences=[0.0, 0.5, 0.999], measures=list(map(str, MEASURES))
        )
        transaction.set_rollback(True)


def test_every_family_is_among_the_measures() -> None:
    assert {measure.family for measure in MEASURES} == {family.name for family in FAMILIES}
    assert len(MEASURES) > 120


def test_every_measure_meets_the_board(world: World) -> None:
    assert world.faults([(BOARD, measure) for measure in MEASURES]) == []


def is_page(url: str) -> bool:
    return "/?" in url and not url.startswith(API)


def on_each(pages: tuple[str, ...]) -> list[object]:
    """Each page with the measures whose turn it is there (the pages together meet all), with one of
    each family, and with the others."""
    families = [[each for each in MEASURES if each.family == family.name] for family in FAMILIES]
    cases: list[object] = []
    for place, page in enumerate(pages):
        turn = [each for at, each in enumerate(MEASURES) if (place + at) % TURNS == 0]
        asked = families if is_page(page) else families[place % 4 :: 4]
        one_each = [family[place % len(family)] for family in asked]
        others = [each for each in MEASURES if each not in (*turn, *one_each)]
        cases += [
            pytest.param(page, turn, id=page),
            pytest.param(page, one_each, id=f"{page} families", marks=pytest.mark.long),
            pytest.param(page, others, id=f"{page} others", marks=pytest.mark.exhaustive),
        ]
    return cases


@pytest.mark.parametrize(("page", "measures"), on_each(PAGES))
def test_every_measure_meets_the_page(world: World, page: str, measures: list[Measure]) -> None:
    assert world.faults([(page, measure) for measure in measures]) == []


@pytest.mark.parametrize(("page", "measures"), on_each(TESTED))
def test_every_measure_that_has_lines_by_topic_is_tested(
    world: World, page: str, measures: list[Measure]
) -> None:
    faults = world.faults([(page, measure) for measure in measures])
    assert [fault for fault in faults if not fault.endswith((": 404", ": 400"))] == []
    without = {parse_measure(fault.split(" ")[0]).family for fault in faults}
    assert without <= {"GMAP", "gm_bpref", "NumQ", "NumRet", "NumRel", "NumRelRet",
                       "num_nonrel_judged_ret"}  # fmt: skip


def test_pages_of_all_measures_are_answered(world: World) -> None:
    assert world.faults([(url, MEASURES[0]) for url in WHOLE]) == []
