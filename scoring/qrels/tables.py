"""Tables of two versions of the qrels, at full precision."""

from collections.abc import Callable
from typing import Any

from scoring.output.latex import Cell, number
from scoring.output.table import Column, Table, same, text_of
from scoring.qrels.diff import VersionDiff


def changes_table(diff: VersionDiff) -> Table:
    """Every changed judgment; an empty grade if the document is not judged."""
    caption = f"judgments that differ between {_versions(diff)}."
    return Table(change_columns(diff), diff.changes, caption)


def change_columns(diff: VersionDiff | None = None) -> tuple[Column, ...]:
    """Without `diff` those that every two versions have, for the schema."""
    return (
        Column("topic", heading="topic", align="l", kind=str),
        Column("document", "doc_id", "document", align="l", kind=str),
        *_by_version(diff, ""),
    )


def moves_table(diff: VersionDiff) -> Table:
    """Every run that has a rank on both boards, with its ranks among these runs."""
    caption = f"{diff.measure} and rank of the runs under {_versions(diff)}."
    return Table(move_columns(diff), diff.moves, caption)


def move_columns(diff: VersionDiff | None = None) -> tuple[Column, ...]:
    """Without `diff` those that every two versions have, for the schema."""
    return (
        Column("run", "shown_name", "run", align="l", kind=str),
        Column("team", "shown_team", "team", align="l", kind=str),
        same("measure", diff and diff.measure, str),
        *_by_version(diff, "rank_"),
        Column("ranks_gained", heading="gained", kind=int, help_text="lost if negative"),
        *_by_version(diff, "base_", number),
    )


def _by_version(
    diff: VersionDiff | None, prefix: str, text: Callable[[Any], Cell] = text_of
) -> tuple[Column, ...]:
    """A column for each version, named by its number."""
    if diff is None:
        return ()
    versions = {"before": f"v{diff.old.version}", "after": f"v{diff.new.version}"}
    return tuple(
        Column(f"{prefix}{version}", f"{prefix}{when}", prefix.replace("_", ", ") + version, text)
        for when, version in versions.items()
    )


def _versions(diff: VersionDiff) -> str:
    return f"versions {diff.old.version} and {diff.new.version} of the qrels"
