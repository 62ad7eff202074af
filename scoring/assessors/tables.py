"""Agreement between assessors, at full precision."""

from collections.abc import Iterable
from dataclasses import dataclass, fields

from scoring.assessors.agreement import AssessorAgreement, PairAgreement, TopicAgreement
from scoring.assessors.boards import TwoBoards
from scoring.core.measures.measure import Measure
from scoring.output.table import Column, Table, same


@dataclass(frozen=True, kw_only=True)
class _Coefficients:
    """Of all assessors, or of two: None if a coefficient does not apply or is not defined."""

    scope: str  # campaign, topic, pair, or pair on topic
    topic: str | None
    first: str | None = None
    second: str | None = None
    judged: int | None = None
    judged_twice: int
    raw: float | None
    cohen: float | None = None
    cohen_linear: float | None = None
    cohen_quadratic: float | None = None
    fleiss: float | None = None
    fleiss_documents: int | None = None
    fleiss_assessors: int | None = None
    alpha_nominal: float | None = None
    alpha_ordinal: float | None = None
    alpha_interval: float | None = None


def agreement_table(agreement: AssessorAgreement) -> Table:
    """For the campaign, each topic, each pair of assessors, and each pair on each topic."""
    columns = tuple(Column(field.name) for field in fields(_Coefficients))
    rows = [_of_all("campaign", agreement.whole)]
    rows += [_of_all("topic", row) for row in agreement.by_topic]
    rows += [_of_two("pair", row) for row in agreement.pairs]
    rows += [_of_two("pair on topic", row) for row in agreement.pairs_by_topic]
    return Table(columns, rows)


def boards_table(rows: Iterable[TwoBoards], measure: Measure) -> Table:
    """One row for each pair of leaderboards; `others` is all but the first."""
    columns = (
        Column("first"),
        Column("second", lambda row: row.second or "others"),
        same("measure", measure),
        Column("topics"),
        Column("tau_b", "tau"),
        Column("tau_ap"),
        Column("swapped_pairs", "swapped"),
        Column("pairs", "run_pairs"),
        Column("first_mean"),
        Column("second_mean"),
    )
    return Table(columns, rows)


def _of_all(scope: str, row: TopicAgreement) -> _Coefficients:
    return _Coefficients(
        scope=scope,
        topic=row.topic,
        judged=row.judged,
        judged_twice=row.coefficients.documents,
        raw=row.coefficients.raw,
        fleiss=row.coefficients.fleiss,
        fleiss_documents=row.coefficients.fleiss_documents,
        fleiss_assessors=row.coefficients.fleiss_assessors,
        alpha_nominal=row.coefficients.nominal,
        alpha_ordinal=row.coefficients.ordinal,
        alpha_interval=row.coefficients.interval,
    )


def _of_two(scope: str, row: PairAgreement) -> _Coefficients:
    return _Coefficients(
        scope=scope,
        topic=row.topic,
        first=row.first,
        second=row.second,
        judged_twice=row.documents,
        raw=row.raw,
        cohen=row.kappa,
        cohen_linear=row.linear,
        cohen_quadratic=row.quadratic,
    )
