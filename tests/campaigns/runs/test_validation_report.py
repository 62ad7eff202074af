"""The validation report: what it says of a file, of equal runs and of possible probes."""

import gzip

import pytest

from campaigns.models import Run
from campaigns.runs import decisions
from scoring.models import Job
from tests.flow_world import World, perform_jobs, run_file

pytestmark = pytest.mark.usefixtures("wake_ups")


def test_the_sheet_says_what_the_file_covers_and_where_it_contradicts_itself(world: World) -> None:
    data = b"1 Q0 a 1 9 t\n1 Q0 b 2 9 t\n1 Q0 c 3 7 t\n1 Q0 d 5 6 t\n1 Q0 e 4 5 t\n"
    run = world.submitted_run(data)
    assert run.check_sheet == {
        "topics": 1,
        "of_topics": 2,
        "missing": ["2"],
        "missing_count": 1,
        "documents": 5,
        "depth": {"min": 5, "median": 5.0, "max": 5},
        "tied_documents": 2,
        "tied_topics": 1,
        "is_all_tied": False,
        "rank_disagreements": 1,
        "same_as": [],
        "flags": ["shallow"],
    }
    page = world.page_of(run)
    assert "1 of 2" in page
    assert "2 documents in 1 topic" in page
    assert "Validation report" in page


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ("9876", "<dd>agree</dd>"),
        ("9977", "agree where the scores differ. The document id determines the order"),
        ("9999", "cannot be compared</span>: all scores of each topic are equal"),
    ],
)
def test_the_sheet_claims_no_agreement_where_scores_are_tied(
    world: World, scores: str, said: str
) -> None:
    lines = [
        f"{topic} Q0 {document} {rank} {score} t\n"
        for topic in (1, 2)
        for rank, (document, score) in enumerate(zip("abcd", scores, strict=True), start=1)
    ]
    run = world.submitted_run("".join(lines).encode())
    assert run.check_sheet["is_all_tied"] == (len(set(scores)) == 1)
    assert said in world.page_of(run)


def test_a_sheet_knows_the_teams_equal_rankings_however_they_are_packed(world: World) -> None:
    world.submitted_run(run_file("first"))
    again = world.submitted_run(gzip.compress(run_file("second")))
    assert again.check_sheet["same_as"] == ["first"]
    assert again.warnings == []  # the files differ
    assert "same ranking</span> as first" in world.page_of(again)


def test_of_two_equal_rankings_that_are_checked_at_the_same_time_one_knows_the_other(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one is checked when the first has read its file and is about to pass."""
    lock = decisions.lock_run

    def lock_after_the_other(run: Run) -> Run:
        monkeypatch.setattr(decisions, "lock_run", lock)
        assert perform_jobs(Job.Kind.CHECK) == 1
        return lock(run)

    world.submit(run_file("one"))
    world.submit(run_file("other"))
    monkeypatch.setattr(decisions, "lock_run", lock_after_the_other)
    perform_jobs()
    sheets = {run.tag: run.check_sheet["same_as"] for run in Run.objects.all()}
    assert sorted(sheets.values()) in ([[], ["one"]], [[], ["other"]])


def test_the_validation_report_does_not_mention_equal_files_of_other_teams(world: World) -> None:
    rival = world.another_team()
    world.submitted_run(run_file("same"), browser=rival)
    alone = world.submitted_run(run_file("same"))
    assert (alone.check_sheet["same_as"], alone.warnings) == ([], [])
    world.change(asks_acceptance=True)
    assert "as same" not in world.page_of(alone)


def test_runs_that_look_like_probes_are_flagged_for_organisers_only(world: World) -> None:
    world.change(asks_acceptance=True)
    deep = tuple(f"d{number}" for number in range(20))
    first = world.submitted_run(run_file("first", documents=deep))
    assert first.check_sheet["flags"] == []
    other = tuple(f"e{number}" for number in range(20))
    probe = world.submitted_run(run_file("probe", documents=other))
    assert probe.check_sheet["flags"] == ["unlike the previous run"]
    assert "possible probe" not in world.page_of(probe)
    assert "possible probe" in world.page_of(probe, browser=world.organiser_client)


def test_one_topic_changed_is_flagged(world: World) -> None:
    topics = ("1", "2", "3", "4")
    for number, code in enumerate(topics[2:], start=2):
        world.campaign.topics.create(code=code, position=number)

    def data(tag: str, odd: str) -> bytes:
        lines = []
        for topic in topics:
            name = odd if topic == "3" else "d"
            lines += [f"{topic} Q0 {name}{n} {n} {100 - n} {tag}" for n in range(1, 17)]
        return "\n".join(lines).encode()

    assert world.submitted_run(data("one", "d")).check_sheet["flags"] == []
    assert world.submitted_run(data("two", "x")).check_sheet["flags"] == ["one topic changed"]
