"""Agreement between assessors, and of their leaderboards, and the documents on which they disagree,
at full precision."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from campaigns.judging.adjudication import Dispute, DisputedDocument, with_details
from campaigns.models import Campaign, Judgment
from scoring.assessors.agreement import AssessorAgreement, PairAgreement, TopicAgreement
from scoring.assessors.boards import TwoBoards
from scoring.core.measures.measure import Measure
from scoring.output.latex import number
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


AGREEMENT_COLUMNS = (
    Column(
        "scope", heading="scope", align="l", kind=str,
        help_text="campaign, topic, pair, or pair on topic",
    ),
    Column("topic", heading="topic", align="l", kind=str | None, help_text="null: all topics"),
    Column(
        "first", heading="assessor", align="l", kind=str | None, help_text="null: all assessors"
    ),
    Column("second", heading="assessor", align="l", kind=str | None),
    Column("judged", kind=int | None, help_text="documents; null for a pair"),
    Column(
        "judged_twice", heading="documents", kind=int,
        help_text="documents that two or more judged, or for a pair both",
    ),
    Column("raw", heading="raw", text=number, kind=float, help_text="share of equal grades"),
    Column("cohen", heading="κ", text=number, kind=float, help_text="Cohen's κ, of a pair"),
    Column("cohen_linear", heading="linear κ", text=number, kind=float),
    Column("cohen_quadratic", kind=float),
    Column("fleiss", heading="Fleiss’ κ", text=number, kind=float),
    Column("fleiss_documents", kind=int | None, help_text="documents from which it is computed"),
    Column(
        "fleiss_assessors", kind=int | None, help_text="assessors of each of these documents"
    ),
    Column("alpha_nominal", kind=float, help_text="Krippendorff's α"),
    Column("alpha_ordinal", heading="α", text=number, kind=float),
    Column("alpha_interval", kind=float),
)  # fmt: skip


def agreement_table(agreement: AssessorAgreement) -> Table:
    """For the campaign, each topic, each pair of assessors, and each pair on each topic."""
    rows = [_of_all("campaign", agreement.whole)]
    rows += [_of_all("topic", row) for row in agreement.by_topic]
    rows += [_of_two("pair", row) for row in agreement.pairs]
    rows += [_of_two("pair on topic", row) for row in agreement.pairs_by_topic]
    caption = (
        "agreement of the assessors on documents that two or more judged: the share of equal "
        "grades, Cohen’s κ and linearly weighted κ of pairs, and Fleiss’ κ and Krippendorff’s α "
        "(ordinal) of all."
    )
    return Table(AGREEMENT_COLUMNS, rows, caption)


def boards_table(rows: Iterable[TwoBoards], measure: Measure) -> Table:
    """One row for each pair of leaderboards."""
    caption = (
        f"agreement of the leaderboards by {measure}, each with the judgments of one assessor, "
        "over the topics that both judged."
    )
    return Table(board_columns(measure), rows, caption)


def board_columns(measure: Measure | None = None) -> tuple[Column, ...]:
    return (
        Column("first", lambda row: str(row.first), "first", align="l", kind=str),
        Column(
            "second", lambda row: str(row.second or "others"), "second", align="l", kind=str,
            help_text="an assessor, or others: all but the first",
        ),
        same("measure", measure, str),
        Column("topics", heading="topics", kind=int, help_text="that both judged"),
        Column("tau_b", "tau", "τ", number, kind=float),
        Column(
            "tau_ap", heading="τ AP", text=number, kind=float,
            help_text="the mean of both directions",
        ),
        Column("swapped_pairs", "swapped", "swapped pairs", kind=int),
        Column("pairs", "run_pairs", "pairs", kind=int),
        Column(
            "first_mean", heading="mean of first", text=number, kind=float,
            help_text="of all runs",
        ),
        Column("second_mean", heading="of second", text=number, kind=float),
    )  # fmt: skip


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


# --- disagreements -----------------------------------------------------------------------------

_DISPUTES_AT_A_TIME: Final = 500  # databases limit parameters of a query


class _DisputedJudgment(NamedTuple):
    """The judgment of one assessor on a disputed document."""

    dispute: Dispute
    judgment: Judgment


DISAGREEMENT_COLUMNS = (
    Column("topic", "dispute.of.topic", "topic", align="l", kind=str),
    Column("doc_id", "dispute.of.doc_id", "document", align="l", kind=str),
    Column(
        "assessor", lambda row: str(row.judgment.assessor), "assessor", align="l", kind=str,
    ),
    Column("grade", "judgment.grade", "grade", kind=int),
    Column("is_unsure", "judgment.is_unsure", kind=int, help_text="1: the assessor was not sure"),
    Column("note", "judgment.note", kind=str),
    Column(
        "counts", "dispute.of.grade", "counts", kind=int | None, help_text="the grade that counts"
    ),
    Column(
        "decided", lambda row: row.dispute.decision and row.dispute.decision.grade, "decided",
        kind=int | None, help_text="by an organiser; null: nobody has decided",
    ),
    Column(
        "decided_by", lambda row: row.dispute.decision and str(row.dispute.decision.assessor),
        kind=str | None,
    ),
    Column(
        "decision_note", lambda row: row.dispute.decision and row.dispute.decision.note,
        kind=str | None,
    ),
)  # fmt: skip


def disagreements_table(campaign: Campaign, disputed: Sequence[DisputedDocument]) -> Table:
    """One row for each assessor and document."""

    def rows() -> Iterator[_DisputedJudgment]:
        for start in range(0, len(disputed), _DISPUTES_AT_A_TIME):
            for dispute in with_details(campaign, disputed[start : start + _DISPUTES_AT_A_TIME]):
                for judgment in dispute.judgments:
                    yield _DisputedJudgment(dispute, judgment)

    return Table(DISAGREEMENT_COLUMNS, rows(), "documents that assessors graded differently.")
