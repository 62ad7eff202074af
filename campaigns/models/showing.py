"""The visibility switches of each stage, and the presets."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import models

# A rounded mean of fewer topics reveals more than two judgments of a run.
FEWEST_FEEDBACK_TOPICS = 25
STAGES = ("draft", "open", "closed", "judging", "published")
ORGANISERS, PARTICIPANTS, EVERYONE = 0, 1, 2
CLOSED = {  # every switch, off
    "runs_audience": ORGANISERS,  # tag, team and type of runs
    "shows_own_scores": False,  # a team's own means
    "board_audience": ORGANISERS,  # the means of all runs
    "per_topic_audience": ORGANISERS,  # of scores that the viewer may see
    "qrels_audience": ORGANISERS,
    "run_files_audience": ORGANISERS,  # of teams that consent
    "shows_own_topics": False,  # a team's own scores by topic
    "shows_own_documents": False,  # the documents of a team's own runs with their judgments
}
OWN = tuple(switch for switch, setting in CLOSED.items() if setting is False)
SHOWN = {
    "runs_audience": EVERYONE,
    "shows_own_scores": True,
    "board_audience": EVERYONE,
    "per_topic_audience": EVERYONE,
}


class Preset(models.TextChoices):
    TREC = "trec", "TREC style: nothing is visible until publication"
    LIVE = "live", "live leaderboard: the mean scores of all runs from the first day"
    CLASS_ROOM = "classroom", "classroom: only participants see the leaderboard"
    OWN = "own", "custom settings"


def trec_style() -> dict[str, dict[str, Any]]:
    return {stage: CLOSED | (SHOWN if stage == "published" else {}) for stage in STAGES}


def live_board() -> dict[str, dict[str, Any]]:
    live = {"runs_audience": EVERYONE, "shows_own_scores": True, "board_audience": EVERYONE}
    return trec_style() | dict.fromkeys(("open", "closed", "judging"), CLOSED | live)


def class_room() -> dict[str, dict[str, Any]]:
    inside = {
        "runs_audience": PARTICIPANTS, "shows_own_scores": True, "board_audience": PARTICIPANTS,
        "shows_own_topics": True,
    }  # fmt: skip
    end = inside | {"per_topic_audience": PARTICIPANTS, "qrels_audience": PARTICIPANTS}
    table = dict.fromkeys(("open", "closed", "judging"), CLOSED | inside)
    return {"draft": dict(CLOSED)} | table | {"published": CLOSED | end}


TABLES = {Preset.TREC: trec_style, Preset.LIVE: live_board, Preset.CLASS_ROOM: class_room}


class StageSwitches(models.JSONField):
    """The settings of all switches by stage. A table of an earlier release, which had fewer
    switches, is read with the others off."""

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        table = super().from_db_value(value, expression, connection)
        if not isinstance(table, dict) or set(table) != set(STAGES):
            return table  # a part of the table, in a query
        return {stage: CLOSED | row for stage, row in table.items()}


def check_stage_switches(table: dict[str, dict[str, Any]]) -> None:
    """Raises `ValidationError` unless every stage has every switch, a draft shows nothing, and
    nobody sees scores by topic or judged documents without the means."""
    if set(table) != set(STAGES) or any(set(row) != set(CLOSED) for row in table.values()):
        raise ValidationError("Set every switch of every stage.")
    if table["draft"] != CLOSED:
        raise ValidationError("Turn off all switches of the draft stage.")
    for stage, row in table.items():
        means = max(row["board_audience"], PARTICIPANTS if row["shows_own_scores"] else ORGANISERS)
        if row["per_topic_audience"] > means:
            raise ValidationError(
                f"Stage {stage}: show scores by topic only to those who see the means."
            )
        if means < PARTICIPANTS and (row["shows_own_topics"] or row["shows_own_documents"]):
            raise ValidationError(
                f"Stage {stage}: show a team its own scores by topic and its judged documents only "
                "together with its own scores."
            )
        if row["board_audience"] > row["runs_audience"]:
            raise ValidationError(
                f"Stage {stage}: show the runs to everyone who sees the leaderboard."
            )
