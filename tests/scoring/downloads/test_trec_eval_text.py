"""What the site exports in trec_eval's text is what the command line prints of the same files."""

from pathlib import Path

import pytest
from django.urls import reverse

from campaigns.models import Campaign
from scoring.evaluation.rules import rules_of
from tests.flow_world import World
from tests.scoring.cli.command import Command

pytestmark = pytest.mark.usefixtures("wake_ups")

QRELS = b"1 0 d1 1\n1 0 d2 0\n1 0 d3 2\n2 0 d1 0\n2 0 d2 1\n10 0 d4 2\n"
RUN = b"".join(
    f"{topic} Q0 {document} {rank} {score} ours\n".encode()
    for topic in ("10", "2", "1")
    for rank, (document, score) in enumerate(
        [("d9", 9), ("d2", 8), ("d3", 7), ("d1", 7), ("d4", 1)], start=1
    )
)
MEASURES = ["AP", "nDCG@10", "P@5", "RR", "Rprec", "Judged@10", "NumRelRet", "GMAP", "NumQ"]


@pytest.fixture
def judged(world: World) -> World:
    world.campaign.topics.create(code="10", position=2, fields=[])
    world.change(
        measures=MEASURES, highest_grade=2, stage="published", per_topic_audience=2,
        board_audience=2, runs_audience=2,
    )  # fmt: skip
    world.add_qrels(QRELS)
    return world


def exported(world: World, run_id: str) -> str:
    args = [world.campaign.slug, run_id]
    response = world.browser.get(reverse("scoring:run-trec-eval", args=args))
    assert response.status_code == 200
    return response.content.decode()


def test_the_text_is_that_of_the_command_line(
    judged: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = exported(judged, judged.submitted_run(RUN).public_id)
    campaign = Campaign.objects.get(pk=judged.campaign.pk)
    command = Command(tmp_path, capsys)
    asked = [word for measure in rules_of(campaign).measures for word in ("-m", str(measure))]
    printed = command(
        "evaluate", "-q", "-c", "-m", "runid", *asked, "--no-relevant", "exclude",
        command.write("q", QRELS), command.write("r", RUN),
    )  # fmt: skip
    assert printed.status == 0, printed.err
    assert sorted(text.splitlines()) == sorted(printed.out.splitlines())
    topics = [line.split("\t")[1] for line in text.splitlines()]
    assert list(dict.fromkeys(topics)) == ["1", "10", "2", "all"]  # in order of bytes
    assert "map                   \tall\t" in text


def test_the_api_gives_the_same_text(judged: World) -> None:
    run = judged.submitted_run(RUN)
    url = reverse("api:scores", args=[judged.campaign.slug])
    response = judged.browser.get(url, {"format": "trec_eval", "run": run.public_id})
    assert response["Content-Type"].startswith("text/plain")
    assert response.content.decode() == exported(judged, run.public_id)


def test_a_run_without_scores_has_a_name_and_no_more(judged: World) -> None:
    judged.change(active_qrels=None)
    assert (
        exported(judged, judged.submitted_run(RUN).public_id)
        == "runid                 \tall\tours\n"
    )
