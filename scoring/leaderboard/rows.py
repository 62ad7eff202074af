"""The rows of a leaderboard: the same for page, CSV, JSON and chart."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Count, Exists, OuterRef

from campaigns.access import Viewer
from campaigns.models import Qrels
from campaigns.options import choice_or_404
from scoring.baselines.rows import Difference, Differences
from scoring.core.measures.catalogue import is_lower_better
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import rel_of
from scoring.core.statistics.means import Interval
from scoring.core.statistics.ranks import shared_ranks
from scoring.evaluation.measure_choices import canonical_name
from scoring.evaluation.rules import ScoringRules, rules_of
from scoring.leaderboard.digits import distinct_digits
from scoring.models import Analysis, Evaluation, TieRule
from scoring.output.numbers import FOUR_DIGITS, Digits
from scoring.ranks.rows import RankInterval
from scoring.results.options import JUDGED
from scoring.results.runs import STATUSES, BoardRun, board_run_fields, board_scores


class BoardCell(NamedTuple):
    """The score of a run by a further measure."""

    base: float | None = None
    residual: float | None = None


class TiedScore(NamedTuple):
    """The mean and the range of a run's score over all orders of its tied documents. None where the
    measure has no such value. `can_swap`: the next run could overtake this run in another order."""

    expected: float | None
    low: float | None
    high: float | None
    can_swap: bool = False


@dataclass(frozen=True, kw_only=True)
class BoardRow(BoardRun, Interval):
    """One run on the board. `base` is its mean score with unjudged documents counted as not
    relevant; `residual` is what they could add, None if the measure has no exact residual."""

    rank: int | None
    judged_at_10: float | None
    topic_count: int  # on which the measure is defined for the run
    counted_topics: int = 0  # that count, whether or not the measure is defined for the run
    columns: tuple[BoardCell, ...] = ()  # one for each of the board's columns
    moved: int | None = None  # ranks gained compared with the active qrels version
    tied: TiedScore | None = None
    people: float | None = None  # the part of the base that people judged; None: all of it
    difference: Difference | None = None  # from the chosen baseline
    interval: RankInterval | None = None  # of ranks, if requested
    printed_digits: Digits = FOUR_DIGITS  # of the base, on the page

    @property
    def is_in_pool(self) -> bool | None:
        """As the organisers say. If they do not say: whether all of its first ten documents are
        judged, on every topic that counts."""
        if self.is_pooled is not None:
            return self.is_pooled
        return None if self.judged_at_10 is None else self.judged_at_10 == 1

    @property
    def is_partial(self) -> bool:
        """Whether its mean leaves out topics that count: the measure is not defined on them."""
        return 0 < self.topic_count < self.counted_topics


@dataclass(frozen=True)
class Ties:
    """The analysis of ties; `fault` says why there is none."""

    analysis: Analysis | None = None
    fault: str = ""

    @property
    def is_done(self) -> bool:
        return self.analysis is not None and self.analysis.state == Analysis.State.DONE


@dataclass(frozen=True)
class AgainstBaseline:
    """The chosen baseline, and the differences from it; `fault` says why there are none."""

    run: BoardRow
    differences: Differences = field(default_factory=Differences)
    fault: str = ""


@dataclass(frozen=True)
class Leaderboard:
    """Rows in the order of the board, and what they are computed from. Late and disqualified runs
    are below the others, without a rank."""

    measure: Measure
    qrels: Qrels | None
    uses_active_qrels: bool  # the qrels version is the active one
    rows: tuple[BoardRow, ...]
    teams: tuple[tuple[str, str], ...]  # public id and name of every team on it, also when filtered
    topic_count: int
    waiting_count: int  # runs that would be ranked but have no score yet
    failed_count: int
    lower_is_better: bool
    filters: Mapping[str, str] = field(default_factory=dict)  # that select the rows
    best_by: Measure | None = None  # only the best run of each team by this measure is ranked
    columns: tuple[Measure, ...] = ()  # further measures
    against: Qrels | None = None  # the active version, if ranks gained are counted
    ties: Ties | None = None  # None: not requested
    intervals: Analysis | None = None  # of ranks, if requested and possible
    rank_set_caution: str = ""  # about sets of ranks that are wide
    intervals_fault: str = ""  # why they are not possible, if requested
    baselines: tuple[BoardRow, ...] = ()  # that are ranked, also when filtered
    against_baseline: AgainstBaseline | None = None  # None: no baseline is chosen
    rescoring: Analysis | None = None  # a worker computes the scores; until then no rows

    @cached_property
    def ranked(self) -> tuple[BoardRow, ...]:
        """The rows that have a rank, best first."""
        return tuple(row for row in self.rows if row.rank is not None)

    @property
    def is_best_per_team(self) -> bool:
        return self.best_by is not None

    @property
    def pending_analysis(self) -> Analysis | None:
        """What a worker must compute before the board is complete."""
        if self.rescoring is not None:
            return self.rescoring
        if self.ties and self.ties.analysis and not self.ties.is_done:
            return self.ties.analysis
        if self.intervals and not self.has_intervals:
            return self.intervals
        against = self.against_baseline
        return against.differences.analysis if against and against.differences.is_pending else None

    @property
    def has_differences(self) -> bool:
        """Whether the differences from a baseline are computed."""
        against = self.against_baseline
        return against is not None and not (against.fault or against.differences.is_pending)

    @property
    def has_intervals(self) -> bool:
        """Whether the intervals of ranks are computed."""
        return self.intervals is not None and self.intervals.state == Analysis.State.DONE

    @property
    def has_tied_scores(self) -> bool:
        return self.ties is not None and self.ties.is_done

    @cached_property
    def knows_judged(self) -> bool:
        """Whether the pool of any run is known."""
        return any(row.is_in_pool is not None for row in self.rows)

    @property
    def has_partial(self) -> bool:
        return any(row.is_partial for row in self.rows)

    @property
    def has_residuals(self) -> bool:
        return any(row.residual is not None for row in self.rows)

    @property
    def has_program(self) -> bool:
        """Whether a program made judgments that the scores use."""
        return self.qrels is not None and self.qrels.has_program

    @property
    def has_people_part(self) -> bool:
        """Whether it is known what people alone judged: not with another p than the campaign's."""
        return any(row.people is not None for row in self.rows)

    @property
    def has_pale_digits(self) -> bool:
        """Whether the last digit of any score is smaller than its residual."""
        return any(row.printed_digits.firm < row.printed_digits.shown for row in self.rows)

    @property
    def further_columns(self) -> int:
        """How many columns the page adds to those that every board has."""
        further = len(self.columns) + (self.against is not None)
        return further + 2 * self.has_tied_scores + 4 * self.has_differences

    @property
    def is_wide(self) -> bool:
        """Whether there are more columns than fit on a page. Those of a difference fit alone."""
        return self.further_columns > (4 if self.has_differences else 3)

    @property
    def could_lead(self) -> tuple[BoardRow, ...]:
        """Runs below rank 1 whose upper bound exceeds the base of the first."""
        if not self.ranked or self.ranked[0].base is None:
            return ()
        best = self.ranked[0].base
        return tuple(r for r in self.ranked if r.rank != 1 and (r.upper or 0.0) > best)


def leaderboard(
    viewer: Viewer,
    measure: Measure,
    *,
    qrels: Qrels | None = None,
    columns: Sequence[Measure] = (),
) -> Leaderboard:
    """The board of one measure under one qrels version (default: the active one), with the scores
    by further measures. Two queries.

    The viewer must be one who may see the board.
    """
    campaign = viewer.campaign
    rules = rules_of(campaign)
    qrels = qrels or campaign.active_qrels
    lower_is_better = is_lower_better(measure)
    rows = ranked_rows(
        _rows(viewer, rules, qrels, (measure, *columns)) if qrels else [],
        lower_is_better=lower_is_better,
    )
    accepted, failed = _counts(viewer, qrels, rules, measure)
    scored = sum(row.is_ranked for row in rows)
    return Leaderboard(
        measure=measure,
        qrels=qrels,
        uses_active_qrels=qrels is None or qrels.pk == campaign.active_qrels_id,
        rows=rows,
        teams=tuple(sorted({(r.team_id, r.team) for r in rows}, key=lambda t: t[1].lower())),
        topic_count=max((row.counted_topics for row in rows), default=0),
        # A run may have been withdrawn between the two queries.
        waiting_count=max(accepted - scored - failed, 0),
        failed_count=failed,
        lower_is_better=lower_is_better,
        columns=tuple(columns),
        baselines=tuple(row for row in rows if row.is_baseline and row.rank is not None),
    )


def _rows(
    viewer: Viewer, rules: ScoringRules, qrels: Qrels, measures: Sequence[Measure]
) -> list[BoardRow]:
    """A row for each run that has a score of the first measure; one query for all of them."""
    fields = ("mean_base", "mean_residual", "mean_people", "topic_count")
    ranked, *columns = (str(measure) for measure in measures)
    scores = list(board_scores(viewer, rules, qrels, (*measures, JUDGED), *fields))
    cells: dict[tuple[int, str], BoardCell] = {
        (score["run"], score["measure"]): BoardCell(score["mean_base"], score["mean_residual"])
        for score in scores
    }
    none = BoardCell()
    # Judged@10 is defined on every topic that counts; a stricter rel of its own leaves out more.
    has_own_topics = (rel_of(measures[0]) or 1) > rules.rel
    counts = [s["topic_count"] for s in scores if s["measure"] == ranked or not has_own_topics]
    counted = max(counts, default=0)
    return [
        BoardRow(
            **board_run_fields(viewer, score),
            rank=None,
            base=score["mean_base"],
            residual=score["mean_residual"],
            people=score["mean_people"],
            judged_at_10=cells.get((score["run"], str(JUDGED)), none).base,
            topic_count=score["topic_count"],
            counted_topics=counted,
            columns=tuple(cells.get((score["run"], name), none) for name in columns),
        )
        for score in scores
        if score["measure"] == ranked
    ]


def ranked_rows(rows: Sequence[BoardRow], *, lower_is_better: bool) -> tuple[BoardRow, ...]:
    """Best first; equal scores share a rank. Then, without a rank, runs without a score, late runs
    and disqualified runs."""
    # Late and disqualified runs have no rank, whatever their score.
    values = np.array(
        [row.base if row.is_ranked and row.base is not None else np.nan for row in rows],
        dtype=float,
    )
    ranks = shared_ranks(-values if lower_is_better else values)
    ranked = [
        replace(row, rank=rank, printed_digits=digits)
        for row, rank, digits in zip(rows, ranks, distinct_digits(rows), strict=True)
    ]

    def sort_key(row: BoardRow) -> tuple[Any, ...]:
        best_first = 0.0 if row.rank or row.base is None else row.base
        return (
            STATUSES.index(row.status),
            row.rank or len(rows) + 1,
            row.base is None,
            best_first if lower_is_better else -best_first,
            row.name.lower(),
        )

    return tuple(sorted(ranked, key=sort_key))


def _counts(
    viewer: Viewer, qrels: Qrels | None, rules: ScoringRules, measure: Measure
) -> tuple[int, int]:
    """The numbers of runs that should be ranked, and of those whose evaluation failed, so that they
    have no score of the measure. One query."""
    failed = Evaluation.objects.filter(
        run=OuterRef("pk"),
        qrels=qrels,
        definitions=rules.digest,
        tie_rule=TieRule.DOCNO,
        state=Evaluation.State.FAILED,
    ).exclude(scores__measure=str(measure))
    counts = (
        viewer.campaign.runs.ranked()
        .annotate(has_failed=Exists(failed))
        .values("has_failed")
        .annotate(count=Count("pk"))
        .order_by()
    )
    by_failure = {row["has_failed"]: row["count"] for row in counts}
    return sum(by_failure.values()), by_failure.get(True, 0)


SORT_KEYS: dict[str, Callable[[BoardRow], Any]] = {
    # Sorting is stable, so the rows stay as they are.
    "rank": lambda row: 0,
    "run": lambda row: row.name.lower(),
    "team": lambda row: row.team.lower(),
    "residual": lambda row: _descending(row.residual),
    "judged": lambda row: _descending(row.judged_at_10),
}


def chosen_sort(board: Leaderboard, params: Mapping[str, str], *, rel: int = 1) -> str:
    """The sort key of the rows: a column of every board, or a further measure. The measure that
    ranks and Judged@10 have columns on every board, also if a URL requests them as further
    columns."""
    offered = {key: key for key in SORT_KEYS} | {str(each): str(each) for each in board.columns}
    chosen = params.get("sort") or ""
    if chosen not in offered:
        chosen = canonical_name(chosen, (board.measure, JUDGED, *board.columns), rel=rel)
    named = {str(board.measure): "rank", str(JUDGED): "judged", "unknown": "residual"}
    chosen = named.get(chosen, chosen)
    return choice_or_404("sort", chosen, offered, usual="rank", called="sort column")


def sorted_rows(board: Leaderboard, key: str) -> tuple[BoardRow, ...]:
    """The rows in another order with the same ranks; the best by a measure first."""
    if key in SORT_KEYS:
        return tuple(sorted(board.rows, key=SORT_KEYS[key]))
    column = [str(measure) for measure in board.columns].index(key)
    is_lower = is_lower_better(board.columns[column])

    def by_cell(row: BoardRow) -> tuple[bool, float]:
        base = row.columns[column].base
        return _descending(-base if is_lower and base is not None else base)

    return tuple(sorted(board.rows, key=by_cell))


def _descending(value: float | None) -> tuple[bool, float]:
    return value is None, -(value or 0.0)
