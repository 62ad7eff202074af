"""Tables of two versions of the qrels, at full precision."""

from scoring.output.table import Column, Table, same
from scoring.qrels.diff import VersionDiff


def changes_table(diff: VersionDiff) -> Table:
    """Every changed judgment; an empty grade if the document is not judged."""
    columns = (
        Column("topic"),
        Column("document", "doc_id"),
        Column(f"v{diff.old.version}", "before"),
        Column(f"v{diff.new.version}", "after"),
    )
    return Table(columns, diff.changes)


def moves_table(diff: VersionDiff) -> Table:
    """Every run that has a rank on both boards, with its ranks among these runs."""
    old, new = f"v{diff.old.version}", f"v{diff.new.version}"
    columns = (
        Column("run", "shown_name"),
        Column("team", "shown_team"),
        same("measure", diff.measure),
        Column(f"rank_{old}", "rank_before"),
        Column(f"rank_{new}", "rank_after"),
        Column("ranks_gained"),
        Column(f"base_{old}", "base_before"),
        Column(f"base_{new}", "base_after"),
    )
    return Table(columns, diff.moves)
