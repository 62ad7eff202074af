"""Scores of runs and topics as LaTeX: one run, two runs, the topics, one topic."""

from collections.abc import Sequence

from scoring.comparison import Comparison
from scoring.core.measures.measure import Measure
from scoring.exports.latex import STARS_SAID, Marked, added, interval, number, signed, stars, table
from scoring.run_scores import RunScore
from scoring.topic_rows import TopicRow, TopicRun


def run_latex(scores: Sequence[RunScore], run: str, *, title: str, source: str) -> str:
    """The means of a run by every measure."""
    return table(
        "lrrlr",
        ("measure", "base", "unknown", "interval", "topics"),
        (
            (
                score.measure,
                number(score.base),
                added(score.residual),
                interval(score.base, score.upper),
                str(score.topic_count),
            )
            for score in scores
        ),
        caption=f"{title}: scores of {run}.",
        source=source,
    )


def compare_latex(found: Comparison | None, *, title: str, source: str) -> str:
    """Topic by topic, and the mean difference with the marks of the t test at the end. `found` must
    have its interval."""
    if found is None or found.interval is None:
        headings = ("topic", "a", "b", "difference", "could be")
        return table("lrrrl", headings, (), caption=f"{title}: two runs.", source=source)
    rows = [
        (
            row.code,
            number(row.first),
            number(row.second),
            signed(row.difference),
            interval(row.lowest, row.highest, 2),
        )
        for row in found.topics
    ]
    mean = Marked(signed(found.difference), stars(found.t_p))
    reach = interval(*found.interval)
    return table(
        "lrrrl",
        ("topic", found.first.tag, found.second.tag, "difference", "could be"),
        [*rows, ("mean", "", "", mean, "")],
        caption=(
            f"{title}: {found.measure} of two runs by topic. Mean difference with 95 % of the "
            f"bootstrap {reach}; t test, {STARS_SAID}."
        ),
        source=source,
    )


def topics_latex(rows: Sequence[TopicRow], measure: Measure, *, title: str, source: str) -> str:
    """The runs on each topic: mean, and where the middle half of them lies."""
    return table(
        "llrrl",
        ("topic", "title", "runs", "mean", "middle half"),
        (
            (
                row.code,
                row.title,
                str(row.runs),
                number(row.mean),
                interval(row.lower_quartile, row.upper_quartile),
            )
            for row in rows
        ),
        caption=f"{title}: {measure} of the ranked runs on each topic.",
        source=source,
    )


def topic_latex(
    rows: Sequence[TopicRun], code: str, measure: Measure, *, title: str, source: str
) -> str:
    return table(
        "rllrrl",
        ("", "run", "team", "base", "unknown", "interval"),
        (
            (
                "–" if row.rank is None else str(row.rank),
                row.tag,
                row.team,
                number(row.base),
                added(row.residual),
                interval(row.base, row.upper),
            )
            for row in rows
        ),
        caption=f"{title}: {measure} of each run on topic {code}.",
        source=source,
    )
