"""Agreement between assessors as CSV: the rows of the page at full precision."""

import io
from collections.abc import Iterable, Sequence

from defusedcsv import csv

from scoring.assessor_agreement import Agreement, PairAgreement, TopicAgreement
from scoring.assessor_boards import TwoBoards

AGREEMENT_COLUMNS = (
    "scope", "topic", "first", "second", "judged", "judged_twice", "raw", "cohen", "cohen_linear",
    "cohen_quadratic", "fleiss", "fleiss_documents", "fleiss_assessors", "alpha_nominal",
    "alpha_ordinal", "alpha_interval",
)  # fmt: skip
BOARD_COLUMNS = (
    "first", "second", "measure", "topics", "tau_b", "tau_ap", "swapped_pairs", "pairs",
    "first_mean", "second_mean",
)  # fmt: skip


def agreement_csv(found: Agreement) -> str:
    """Scope is `campaign`, `topic`, `pair`, or `pair on topic`; empty where not defined."""
    rows = [_of_topic("campaign", found.whole)]
    rows += [_of_topic("topic", row) for row in found.by_topic]
    rows += [_of_pair("pair", row) for row in found.pairs]
    rows += [_of_pair("pair on topic", row) for row in found.pairs_by_topic]
    return _csv(AGREEMENT_COLUMNS, rows)


def boards_csv(rows: Iterable[TwoBoards], measure: str) -> str:
    """One row for each two boards; `others` is all but the first."""
    return _csv(
        BOARD_COLUMNS,
        (
            (
                row.first, row.second or "others", measure, row.topics, row.tau, row.tau_ap,
                row.swapped, row.run_pairs, row.first_mean, row.second_mean,
            )
            for row in rows
        ),
    )  # fmt: skip


def _of_topic(scope: str, row: TopicAgreement) -> Sequence[object]:
    found = row.found
    return (
        scope, row.topic, None, None, row.judged, found.documents, found.raw, None, None, None,
        found.fleiss, found.fleiss_documents, found.fleiss_assessors, found.nominal, found.ordinal,
        found.interval,
    )  # fmt: skip


def _of_pair(scope: str, row: PairAgreement) -> Sequence[object]:
    return (
        scope, row.topic, row.first, row.second, None, row.documents, row.raw, row.kappa,
        row.linear, row.quadratic, *[None] * 6,
    )  # fmt: skip


def _csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()
