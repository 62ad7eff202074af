"""What each stage shows, and to whom: the switches, and the tables a campaign may begin with."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import models

# A mean of fewer topics, though rounded, gives more than two judgments of a run away.
FEWEST_FEEDBACK_TOPICS = 25
STAGES = ("draft", "open", "closed", "judging", "published")
ORGANISERS, PARTICIPANTS, EVERYONE = 0, 1, 2
CLOSED = {  # every switch, off
    "runs_audience": ORGANISERS,  # that a run exists: tag, team, type
    "shows_own_scores": False,  # a team's own means
    "board_audience": ORGANISERS,  # everybody's means
    "per_topic_audience": ORGANISERS,  # and only of scores that may be seen
    "qrels_audience": ORGANISERS,
    "run_files_audience": ORGANISERS,  # and only of teams that consent
}
SHOWN = {
    "runs_audience": EVERYONE,
    "shows_own_scores": True,
    "board_audience": EVERYONE,
    "per_topic_audience": EVERYONE,
}


class Preset(models.TextChoices):
    TREC = "trec", "TREC style: nothing until published"
    LIVE = "live", "live board: means of every run from the first day"
    CLASS_ROOM = "classroom", "class room: the course sees its own board, nobody else does"
    OWN = "own", "switches set one by one"


def trec_style() -> dict[str, dict[str, Any]]:
    return {stage: CLOSED | (SHOWN if stage == "published" else {}) for stage in STAGES}


def live_board() -> dict[str, dict[str, Any]]:
    live = {"runs_audience": EVERYONE, "shows_own_scores": True, "board_audience": EVERYONE}
    return trec_style() | dict.fromkeys(("open", "closed", "judging"), CLOSED | live)


def class_room() -> dict[str, dict[str, Any]]:
    inside = {
        "runs_audience": PARTICIPANTS, "shows_own_scores": True, "board_audience": PARTICIPANTS,
    }  # fmt: skip
    end = inside | {"per_topic_audience": PARTICIPANTS, "qrels_audience": PARTICIPANTS}
    table = dict.fromkeys(("open", "closed", "judging"), CLOSED | inside)
    return {"draft": dict(CLOSED)} | table | {"published": CLOSED | end}


TABLES = {Preset.TREC: trec_style, Preset.LIVE: live_board, Preset.CLASS_ROOM: class_room}


def check_stage_switches(table: dict[str, dict[str, Any]]) -> None:
    """Every stage has every switch; a draft shows nothing; nobody sees by topic what they may not
    see as a mean."""
    if set(table) != set(STAGES) or any(set(row) != set(CLOSED) for row in table.values()):
        raise ValidationError("Every stage needs every switch.")
    if table["draft"] != CLOSED:
        raise ValidationError("A draft shows nothing.")
    for stage, row in table.items():
        means = max(row["board_audience"], PARTICIPANTS if row["shows_own_scores"] else ORGANISERS)
        if row["per_topic_audience"] > means:
            raise ValidationError(f"When {stage}: no scores by topic without means.")
        if row["board_audience"] > row["runs_audience"]:
            raise ValidationError(f"When {stage}: whoever sees the board sees the runs on it.")
