"""The tables and figures of the RBP paper (Moffat and Zobel, 2008) for another campaign.

    Table III   agreement of measures on the order of the runs, with a shallow pool and with all
                judgments, with reference measures and all judgments
    Table IV    numbers of significant pairs by measure, test and level
    Fig. 2, 4   scores with the shallow pool against scores with all judgments: AP, and RBP
    Fig. 5, 6   bounds on RBP of the best runs, by evaluation depth and as a function of p

All analyses are requested at once, with the same questions as on their own pages, so that page and
report share one result.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from campaigns.access import Viewer
from campaigns.models import Qrels
from scoring.agreement.options import usual_measures, usual_references
from scoring.agreement.rows import shown, statistic_of
from scoring.analyses.requests import AnalysisRequest, request_analyses, result_of
from scoring.analyses.studies import OfMeasures, Question, Result, Study
from scoring.core.measures.catalogue import sign_of
from scoring.core.measures.measure import Measure
from scoring.core.statistics.ranks import shared_ranks
from scoring.core.statistics.undefined import none_if_nan
from scoring.evaluation.rules import rules_of
from scoring.models import Analysis
from scoring.pools.analysis import ALL_JUDGMENTS, POOL_DEPTHS, ScoresByPool
from scoring.pools.options import PoolChoice, PoolDepth
from scoring.pools.rows import PoolStudy, pool_glance
from scoring.report.analysis import RUN_BOUNDS, BoundsOfRuns
from scoring.results.runs import BoardRun
from scoring.results.vectors import visible_means
from scoring.significance.counts import CountRow, count_rows
from scoring.significance.counts_analysis import SEPARATED_COUNTS, CountsOfMeasures
from scoring.significance.options import tested_measures

FIRST: Final = 2  # runs whose bounds are charted


@dataclass(frozen=True)
class AgreementCell:
    reference: Measure
    value: float | None
    is_itself: bool  # the same measure under the same judgments

    @property
    def text(self) -> str:
        return shown(self.value)


@dataclass(frozen=True)
class AgreementRow:
    """Agreement of a measure with a pool and the references with all judgments."""

    measure: Measure
    depth: str  # of the pool, or all judgments
    cells: tuple[AgreementCell, ...]

    @property
    def best(self) -> float | None:
        values = (cell.value for cell in self.cells if not cell.is_itself)
        return max((value for value in values if value is not None), default=None)


@dataclass(frozen=True, eq=False)
class RunBounds:
    """The bounds of one of the best runs with the shallow pool and with all judgments."""

    run: BoardRun
    by_rank: NDArray[np.float64]  # float64[base and residual, pools, persistences, RANKS]
    by_p: NDArray[np.float64]  # float64[base and residual, pools, PERSISTENCES]


@dataclass(frozen=True, eq=False)
class Report:
    """None or empty: not computed yet, or not available (see `analyses`)."""

    qrels: Qrels | None
    pool: PoolDepth  # the shallow one
    runs: tuple[BoardRun, ...] = ()  # ranked
    measure: Measure | None = None  # that ranks the runs
    persistences: tuple[float, ...] = ()
    analyses: tuple[Analysis, ...] = ()
    references: tuple[Measure, ...] = ()
    agreement: tuple[AgreementRow, ...] = ()
    counts: tuple[CountRow, ...] = ()
    pools: tuple[PoolStudy, ...] = ()  # AP first if there is one, then RBP at each p
    bounds: tuple[RunBounds, ...] = ()

    @property
    def done(self) -> int:
        return sum(each.state == Analysis.State.DONE for each in self.analyses)

    @property
    def waits(self) -> bool:
        return any(
            each.state in (Analysis.State.WAITING, Analysis.State.COMPUTING)
            for each in self.analyses
        )

    @property
    def depth(self) -> str:
        return self.pool.shown

    @property
    def pool_words(self) -> str:
        return self.pool.words


def build_report(viewer: Viewer, pool: PoolDepth) -> Report:
    """Three queries if everything is computed. The viewer must be one who may see the board."""
    qrels = viewer.campaign.active_qrels
    if qrels is None:
        return Report(None, pool)
    measures, tested = rules_of(viewer.campaign).measures, tested_measures(viewer)
    rbp = tuple(measure for measure in measures if _persistence(measure) is not None)
    ranking_measure = (rbp or measures)[0]
    runs, bases, _ = visible_means(viewer, qrels, [ranking_measure])
    if len(runs) < FIRST:
        return Report(qrels, pool, runs)
    first = _first(runs, bases[0], ranking_measure)
    persistences = tuple(p for p in map(_persistence, rbp) if p is not None)
    questions: list[AnalysisRequest] = [
        (qrels, POOL_DEPTHS, OfMeasures([str(measure) for measure in measures])),
        (qrels, SEPARATED_COUNTS, CountsOfMeasures([str(each) for each in tested], "two")),
    ]
    if persistences:
        run_ids = [run.run_id for run in first]
        questions.append((qrels, RUN_BOUNDS, BoundsOfRuns(run_ids, persistences, pool.requested)))
    analyses = request_analyses(viewer, questions)
    pooled = _if_done(POOL_DEPTHS, analyses[0])
    counted = _if_done(SEPARATED_COUNTS, analyses[1])
    bounds = _if_done(RUN_BOUNDS, analyses[2]) if persistences else None
    references = usual_references(usual_measures(viewer))
    # Both results know how deep the judged pool is.
    if of_pool := pooled or bounds:
        pool = replace(pool, basis=of_pool)
    return Report(
        qrels=qrels,
        pool=pool,
        runs=runs,
        measure=ranking_measure,
        persistences=persistences,
        analyses=tuple(analyses),
        references=references,
        agreement=_agreement(viewer, references, pool.shown, pooled) if pooled else (),
        counts=tuple(count_rows(tested, counted)) if counted else (),
        pools=_pools(pool, runs, measures, pooled) if pooled else (),
        bounds=tuple(
            RunBounds(run, bounds.by_rank[:, at], bounds.by_p[:, at])
            for at, run in enumerate(first)
        )
        if bounds
        else (),
    )


def _if_done(study: Study[Question, Result], analysis: Analysis) -> Result | None:
    return result_of(study, analysis) if analysis.state == Analysis.State.DONE else None


def _persistence(measure: Measure) -> float | None:
    """p of a plain RBP; pools and bounds are charted only for these."""
    given = dict(measure.parameters)
    is_plain = measure.family == "RBP" and measure.cutoff is None and "gain" not in given
    return float(given["p"]) if is_plain and "p" in given else None


def _first(
    runs: tuple[BoardRun, ...], bases: NDArray[np.float64], measure: Measure
) -> tuple[BoardRun, ...]:
    """The first runs of the board; equal scores by id, so that every viewer gets the same runs."""
    ranks = shared_ranks(sign_of(measure) * bases)
    ordered = sorted(
        (rank, run.run_id, run) for rank, run in zip(ranks, runs, strict=True) if rank is not None
    )
    return tuple(run for _, _, run in ordered[:FIRST])


def _agreement(
    viewer: Viewer, references: Sequence[Measure], depth: str, result: ScoresByPool
) -> tuple[AgreementRow, ...]:
    """Kendall's τ without correction for ties, as on the agreement page."""
    measures, rows = rules_of(viewer.campaign).measures, usual_measures(viewer)
    shown_pools, pools = dict.fromkeys((depth, ALL_JUDGMENTS)), result.pools.tolist()
    orders = [(measure, pool) for measure in rows for pool in shown_pools]
    every = [*orders, *((reference, ALL_JUDGMENTS) for reference in references)]
    scores = np.array(
        [
            sign_of(measure) * result.base[measures.index(measure), pools.index(pool)]
            for measure, pool in every
        ]
    )
    # Rows: measures with a pool; columns: references. Only RBO depends on the persistence.
    values = statistic_of("tau", scores, persistence=0.9)[: len(orders), len(orders) :]
    return tuple(
        AgreementRow(
            measure,
            pool,
            tuple(
                AgreementCell(
                    reference,
                    none_if_nan(value),
                    is_itself=reference == measure and pool == ALL_JUDGMENTS,
                )
                for reference, value in zip(references, row, strict=True)
            ),
        )
        for (measure, pool), row in zip(orders, values, strict=True)
    )


def _pools(
    pool: PoolDepth, runs: tuple[BoardRun, ...], measures: tuple[Measure, ...], result: ScoresByPool
) -> tuple[PoolStudy, ...]:
    charted = [
        *(measure for measure in measures if measure.family == "AP" and measure.cutoff is None),
        *(measure for measure in measures if _persistence(measure) is not None),
    ]
    return tuple(
        pool_glance(PoolChoice(measure, pool), runs, measures, result) for measure in charted
    )
