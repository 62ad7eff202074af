"""Pool studies: the numbers of the command line, what pages say of them, and who sees them."""

import csv
import io
import itertools
import re
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import DjangoAssertNumQueries

from campaigns.models import Audience, Campaign, Run, User
from campaigns.qrels.versions import add_qrels
from campaigns.runs import submission
from scoring.demo.simulation import System, draw_collection, qrels_file, retrieve, run_file
from tests.flow_world import perform_jobs
from tests.making import make_campaign, make_organiser, make_team
from tests.scoring.cli.command import Command
from tests.scoring.leaderboard.test_board_page import SHOWN

pytestmark = pytest.mark.django_db
TOPICS = ("1", "2", "3", "4")
SYSTEMS = [
    System(team=team, tag=f"{team}{number}", quality=quality, depth=40)
    for team, quality in (("ant", 2.5), ("bee", 2.0), ("cat", 1.0))
    for number in (1, 2)
]
MEASURES = ("AP", "nDCG@10", "RBP(p=0.8)")

Runs = dict[str, bytes]


def simulated() -> tuple[Runs, str]:
    collection = draw_collection(TOPICS, seed=5, candidates=300)
    found = [retrieve(collection, system) for system in SYSTEMS]
    runs = {each.system.tag: run_file(collection, each) for each in found}
    return runs, qrels_file(collection, found, pool_depth=20).decode()


RUNS, QRELS = simulated()


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(
        topics=TOPICS, slug="pooled", persistences=[0.8], measures=["AP", "nDCG@10"],
        highest_grade=2, no_relevant="zero",
    )  # fmt: skip
    submit(campaign, RUNS)
    add_qrels(
        campaign=campaign,
        data=QRELS.encode(),
        note="",
        actor=make_organiser(campaign),
        is_confirmed=True,
    )
    perform_jobs()
    return shown(campaign, qrels_audience=Audience.ORGANISERS)


def submit(campaign: Campaign, runs: Runs) -> None:
    teams = {system.team: None for system in SYSTEMS}
    teams = {name: make_team(campaign, name=name) for name in teams}
    for tag, data in runs.items():
        with submission.stored_upload(ContentFile(data, name=f"{tag}.txt")) as file:
            submission.submit_run(
                campaign=campaign, team=teams[tag[:-1]], person=None, file=file,
                submitted_at=timezone.now(), description="",
            )  # fmt: skip


def shown(campaign: Campaign, **facts: object) -> Campaign:
    Campaign.objects.filter(pk=campaign.pk).update(**{**SHOWN, **facts})
    return Campaign.objects.select_related("active_qrels").get(pk=campaign.pk)


def get(name: str, person: User | None = None, **asked: str) -> HttpResponse:
    client = Client()
    if person is not None:
        client.force_login(person)
    return client.get(reverse(f"scoring:{name}", args=["pooled"]), asked)


def table(name: str, person: User | None = None, **asked: str) -> list[dict[str, str]]:
    response = get(name, person, **asked)
    if response.status_code == 202:
        perform_jobs()
        response = get(name, person, **asked)
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def first_ranks() -> dict[tuple[str, str], dict[str, int]]:
    """Of each topic and document the rank in each run that has it, from the lines alone."""
    ranks: dict[tuple[str, str], dict[str, int]] = {}
    for tag, data in RUNS.items():
        lines = [line.split() for line in data.decode().splitlines()]
        for topic in TOPICS:
            own = [(float(line[4]), line[2]) for line in lines if line[0] == topic]
            for rank, (_, document) in enumerate(sorted(own, reverse=True), start=1):
                ranks.setdefault((topic, document), {})[tag] = rank
    return ranks


def by_command_line(command: Command, qrels: str, measure: str) -> dict[str, tuple[str, str]]:
    """Base and residual of every run under these lines."""
    files = [command.write(tag, data) for tag, data in RUNS.items()]
    found = command(
        "evaluate", command.write("other", qrels), *files,
        "-m", measure, "-c", "--no-relevant", "zero", "--format", "csv",
    )  # fmt: skip
    assert found.status == 0, found.err
    rows = csv.DictReader(io.StringIO(found.out))
    return {r["run"]: (r["value"], r["residual"]) for r in rows if r["topic"] == "all"}


@pytest.fixture
def command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(tmp_path, capsys)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("depth", [1, 5, 10])
def test_a_pool_scores_as_the_command_line_does_from_its_judgments(
    campaign: Campaign, command: Command, measure: str, depth: int
) -> None:
    ranks = first_ranks()
    kept = "".join(
        f"{line}\n"
        for line in QRELS.splitlines()
        for topic, _, document, _ in [line.split()]
        if min(ranks[topic, document].values()) <= depth
    )
    rows = table("pools-csv", measure=measure, depth=str(depth))
    found = {row["run"]: (row["base"], row["residual"]) for row in rows}
    assert found == by_command_line(command, kept, measure)
    whole = {row["run"]: (row["base_all"], row["residual_all"]) for row in rows}
    assert whole == by_command_line(command, QRELS, measure)
    assert whole != found


@pytest.mark.parametrize("measure", MEASURES)
def test_a_team_left_out_scores_as_the_command_line_does_without_its_documents(
    campaign: Campaign, command: Command, measure: str
) -> None:
    rows = {row["run"]: row for row in table("pools-teams-csv", measure=measure, depth="5")}
    ranks = first_ranks()
    for team in ("ant", "cat"):
        kept = ""
        for line in QRELS.splitlines():
            topic, _, document, _ = line.split()
            pooled_by = {tag[:-1] for tag, rank in ranks[topic, document].items() if rank <= 5}
            kept += "" if pooled_by == {team} else f"{line}\n"
        expected = by_command_line(command, kept, measure)
        for tag in (f"{team}1", f"{team}2"):
            row = rows[tag]
            assert (row["base"], row["residual"]) == expected[tag]
            better = [1 for base, _ in expected.values() if float(base) > float(row["base"])]
            assert int(row["rank"]) == len(better) + 1


def test_rbp_never_promises_more_than_all_judgments_keep(campaign: Campaign) -> None:
    rows = [row for row in table("pools-depths-csv") if row["measure"] == "RBP(p=0.8)"]
    assert [row["depth"] for row in rows] == [
        "1", "2", "5", "10", "20", "50", "100", "any", "all",
    ]  # fmt: skip
    assert {row["higher"] for row in rows} == {"0"}
    assert {row["covered"] for row in rows} == {"6"}
    assert int(rows[0]["lower"]) == 6
    ap = [row for row in table("pools-depths-csv") if row["measure"] == "AP"]
    assert max(int(row["higher"]) for row in ap) > 0
    assert {row["covered"] for row in ap} == {""}


@pytest.mark.parametrize("measure", MEASURES)
def test_the_finding_is_made_of_the_rows(campaign: Campaign, measure: str) -> None:
    rows = table("pools-csv", measure=measure, depth="1")
    scores = [(float(row["base"]), float(row["base_all"])) for row in rows]
    higher = sum(here > there for here, there in scores)
    pairs = itertools.combinations(scores, 2)
    swaps = sum((a[0] - b[0]) * (a[1] - b[1]) < 0 for a, b in pairs)
    [summary] = [
        row for row in table("pools-depths-csv") if (row["measure"], row["depth"]) == (measure, "1")
    ]
    assert (summary["higher"], summary["swapped_pairs"]) == (str(higher), str(swaps))
    finding = finding_of(get("pools", measure=measure, depth="1"))
    usual = f"{higher} of 6 runs score higher"
    said = {0: "all 6 runs score lower", 6: "all 6 runs score higher"}.get(higher, usual)
    assert said in finding
    assert f"by {measure} with a pool of depth 1" in finding
    assert (f"{swaps} of 15 pairs of runs" if swaps else "no two runs are swapped") in finding
    is_bounded = measure == "RBP(p=0.8)"
    assert ("within the bounds of this pool for every run" in finding) == is_bounded
    assert ("has no residual" in finding) != is_bounded


def test_the_pool_is_as_deep_as_the_qrels_show_on_every_page(campaign: Campaign) -> None:
    """The qrels are a pool of depth 20 of all six runs, and nobody names a depth."""
    for name in ("pools-csv", "pools-teams-csv"):
        rows, at_20 = table(name), table(name, depth="20")
        assert {row["depth"] for row in rows} == {"20"}
        assert rows == at_20 != table(name, depth="10")
    for name in ("pools", "pools-teams", "report"):
        if "Refresh" in (page := get(name)):
            perform_jobs()
            page = get(name)
        text = " ".join(page.content.decode().split())
        assert "The depth of the pool is 20, read from the qrels" in text
        assert "of 6 of 6 pooled runs" in text
        assert "The organisers mark no run as pooled, so every ranked run counts" in text
        assert "ordered by document id, descending" in text


def test_only_runs_that_are_named_as_pooled_contribute(
    campaign: Campaign, command: Command
) -> None:
    """Of the pool of all six runs only what the first runs of two teams put into it."""
    Run.objects.filter(tag__in=["ant1", "bee1"]).update(is_pooled=True)
    Run.objects.filter(tag="cat1").update(is_pooled=False)
    ranks = first_ranks()

    def contributors(topic: str, document: str) -> set[str]:
        known = ranks[topic, document]
        return {tag for tag in ("ant1", "bee1") if known.get(tag, 99) <= 5}

    lines = [(line.split()[0], line.split()[2], f"{line}\n") for line in QRELS.splitlines()]
    kept = "".join(line for topic, document, line in lines if contributors(topic, document))
    rows = table("pools-csv", measure="RBP(p=0.8)", depth="5")
    found = {row["run"]: (row["base"], row["residual"]) for row in rows}
    assert found == by_command_line(command, kept, "RBP(p=0.8)")
    without = {
        team: "".join(line for t, d, line in lines if contributors(t, d) != {f"{team}1"})
        for team in ("ant", "bee", "cat")
    }
    assert without["cat"] == QRELS  # a team without a pooled run loses nothing
    for row in table("pools-teams-csv", measure="RBP(p=0.8)", depth="5"):
        expected = by_command_line(command, without[row["run"][:-1]], "RBP(p=0.8)")
        assert (row["base"], row["residual"]) == expected[row["run"]]
    page = " ".join(get("pools", measure="RBP(p=0.8)", depth="5").content.decode().split())
    assert "of 2 of 2 pooled runs" in page
    assert "Only runs that the organisers mark as pooled contribute." in page


def test_where_the_qrels_show_no_depth_the_page_says_so(campaign: Campaign) -> None:
    """No document of the only pooled run is in the qrels that replace the others."""
    Run.objects.filter(tag="ant1").update(is_pooled=True)
    lines = [line for line in QRELS.splitlines() if "ant1" not in first_ranks()[pair_of(line)]]
    data = "".join(f"{line}\n" for line in lines).encode()
    actor = make_organiser(campaign)
    add_qrels(campaign=campaign, data=data, note="", actor=actor, is_confirmed=True)
    perform_jobs()
    assert {row["depth"] for row in table("pools-teams-csv")} == {"10"}
    page = " ".join(get("pools-teams").content.decode().split())
    assert "The depth of the pool cannot be read from the qrels" in page
    assert "A depth of 10 is used instead." in page


def test_a_stated_depth_replaces_the_one_that_is_read_from_the_qrels(campaign: Campaign) -> None:
    measured = table("pools-csv")
    campaign.qrels.update(pool_depth=5)
    stated = table("pools-csv")
    assert {row["depth"] for row in stated} == {"5"}
    assert stated == table("pools-csv", depth="5") != measured
    for name in ("pools", "pools-teams", "report"):
        if "Refresh" in (page := get(name)):
            perform_jobs()
            page = get(name)
        text = " ".join(page.content.decode().split())
        assert "The organisers state that the pool has a depth of 5." in text
        assert "of 6 of 6 pooled runs" in text
        assert "Read from the qrels, the depth would be 20." in text
    campaign.qrels.update(pool_depth=None)  # corrected
    assert table("pools-csv") == measured


def pair_of(line: str) -> tuple[str, str]:
    topic, _, document, _ = line.split()
    return topic, document


def finding_of(response: HttpResponse) -> str:
    assert response.status_code == 200
    found = re.search(r'<p class="lead" id="finding">(.*?)</p>', response.content.decode(), re.S)
    assert found is not None
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", found[1])).strip()


def test_a_page_says_that_it_is_computed_and_looks_again(campaign: Campaign) -> None:
    for name in ("pools", "pools-teams"):
        response = get(name)
        assert response["Refresh"] == "2"
        assert b"This page reloads automatically" in response.content


@pytest.mark.parametrize("name", ["pools", "pools-teams"])
def test_a_page_takes_at_most_12_queries(
    campaign: Campaign, name: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    get(name)
    perform_jobs()
    with django_assert_max_num_queries(12):
        response = get(name)
    assert response.content.count(b"/runs/") >= 6


def test_counts_of_judgments_are_for_those_who_see_the_qrels(campaign: Campaign) -> None:
    organiser = make_organiser(campaign)
    for name in ("pools-depths-csv", "pools-teams-csv"):
        assert set(table(name, organiser)[0]) - set(table(name)[0]) in (
            {"judgments", "relevant"},
            {"lost", "lost_relevant"},
        )
    for name, heading in (("pools", b">judged<"), ("pools-teams", b">own documents</th>")):
        assert heading in get(name, organiser).content
        assert heading not in get(name).content
    own, public = (get("pools-teams-latex", *who).content.decode() for who in ((organiser,), ()))
    assert "& own documents & relevant" in own
    assert "own documents" not in public
    for row in table("pools-teams-csv", organiser):
        assert f"& {row['lost']} & {row['lost_relevant']} " in own


@pytest.mark.parametrize(
    "asked", [{"depth": "3"}, {"depth": "all"}, {"depth": "-1"}, {"measure": "P@7"}, {"qrels": "9"}]
)
def test_what_is_not_offered_is_not_there(campaign: Campaign, asked: dict[str, str]) -> None:
    for name in ("pools", "pools-csv", "pools-teams", "pools-teams-csv", "pools-depths-csv"):
        assert get(name, **asked).status_code == 404


def test_hidden_with_the_board(campaign: Campaign) -> None:
    shown(campaign, board_audience=Audience.ORGANISERS, stage="judging")
    for name in ("pools", "pools-teams"):
        assert b"The leaderboard is not published yet." in get(name).content
    for name in ("pools-csv", "pools-teams-csv", "pools-depths-csv"):
        assert get(name).status_code == 404


def test_without_qrels_runs_or_rivals_the_page_says_what_is_missing() -> None:
    campaign = shown(make_campaign(topics=TOPICS, slug="pooled", measures=["AP"], highest_grade=2))
    assert "there are no qrels" in finding_of(get("pools"))
    assert table("pools-csv") == table("pools-depths-csv") == table("pools-teams-csv") == []
    add_qrels(
        campaign=campaign,
        data=QRELS.encode(),
        note="",
        actor=make_organiser(campaign),
        is_confirmed=True,
    )
    assert "No ranked run has a score" in finding_of(get("pools-teams"))
    Campaign.objects.filter(pk=campaign.pk).update(stage="open", is_accepting=True)
    submit(Campaign.objects.get(pk=campaign.pk), {"ant1": RUNS["ant1"]})
    perform_jobs()
    shown(campaign)
    for name in ("pools", "pools-teams"):
        get(name)
    perform_jobs()
    assert "the only run scores" in finding_of(get("pools"))
    assert len(table("pools-teams-csv")) == 1
