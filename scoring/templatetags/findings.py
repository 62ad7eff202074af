"""The facts for the sentence that states the finding of a board (`_finding.html`)."""

from collections.abc import Sequence
from dataclasses import dataclass

from django import template

from scoring.core.measures.catalogue import family_of
from scoring.core.measures.measure import format_value
from scoring.leaderboard.rows import BoardRow, Leaderboard
from scoring.results.options import persistence_of

register = template.Library()


@dataclass(frozen=True)
class Finding:
    """`kind` chooses the sentence: no qrels, no runs, scoring, not scored, undefined, none ranked,
    judged, one, several. `could_lead` counts the runs below rank 1 whose upper bound exceeds the
    base of the first."""

    kind: str
    first: BoardRow | None
    sharing: int  # runs with rank 1
    others: int  # runs below it
    could_lead: int
    teams: int
    late: int
    disqualified: int
    persistence: str  # the p of an RBP(p=) without a cutoff, "" for every other measure
    is_graded: bool
    description: str  # of the measure, in a sentence
    residual: str  # how the measure's residual is computed, or why it has none
    own_best: BoardRow | None  # the best ranked run of the viewer's team
    own_count: int  # the team's runs with a rank
    is_share: bool  # its scores lie between 0 and 1, so that a chart can show them

    @property
    def unranked(self) -> str:
        """The status of the runs without a rank; empty if all have one."""
        return " or ".join(name for name in ("late", "disqualified") if getattr(self, name))

    @property
    def unranked_count(self) -> int:
        return self.late + self.disqualified


@register.simple_tag
def finding_of(board: Leaderboard) -> Finding:
    ranked = board.ranked
    sharing = sum(row.rank == 1 for row in ranked)
    facts = family_of(board.measure).facts
    parameters = dict(board.measure.parameters)
    own = [row for row in ranked if row.is_own]
    p = persistence_of(board.measure) if board.measure.cutoff is None else None
    return Finding(
        kind=_kind(board, len(ranked)),
        first=ranked[0] if ranked else None,
        sharing=sharing,
        others=len(ranked) - sharing,
        could_lead=len(board.could_lead),
        teams=len({row.team_id for row in board.rows}),
        late=sum(row.status == "late" for row in board.rows),
        disqualified=sum(row.status == "disqualified" for row in board.rows),
        persistence="" if p is None else format_value(p),
        is_graded=parameters.get("gain") == "map",
        description=facts.description,
        residual=facts.residual,
        own_best=own[0] if own else None,
        own_count=len(own),
        is_share=facts.range[1] <= 1,
    )


@register.filter
def places_in_table(board: Leaderboard, rows: Sequence[BoardRow]) -> list[int | None]:
    """Where each run of the chart, a ranked run, is among the rows of the table; None if the table
    has it on another page."""
    places = {row.run_id: place for place, row in enumerate(rows)}
    return [places.get(row.run_id) for row in board.ranked]


def _kind(board: Leaderboard, ranked: int) -> str:
    if board.qrels is None:
        return "no qrels"
    if not board.rows:
        if board.waiting_count:
            return "scoring" if board.uses_active_qrels else "not scored"
        return "no runs"
    if not ranked:
        # Either the measure is defined for no run, or every run is late or disqualified.
        is_scored = any(row.is_ranked for row in board.rows)
        return "undefined" if is_scored else "none ranked"
    if board.measure.family == "Judged":
        return "judged"
    return "one" if ranked == 1 else "several"
