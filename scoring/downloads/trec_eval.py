"""Scores of a run in the output format of trec_eval."""

import math

from campaigns.access import Viewer
from campaigns.models import Run
from scoring.core.data.trec_eval_lines import (
    ALL,
    has_topic_lines,
    in_order_of_bytes,
    label_of,
    score_line,
    tag_line,
)
from scoring.core.measures.measure import Measure
from scoring.evaluation.rules import rules_of
from scoring.runs.scores import run_scores, run_topic_scores


def trec_eval_text(viewer: Viewer, run: Run) -> str:
    """The output of `trec_eval -q` for this run and the campaign's measures: scores by topic, if
    visible, then those over all topics. Topics that do not count are left out."""
    rel = viewer.campaign.rel
    measures = [(label_of(measure, rel), measure) for measure in rules_of(viewer.campaign).measures]
    lines = _topic_lines(viewer, run, measures)
    lines.append(tag_line(viewer.tag_of(run)))
    means = {score.measure: score.base for score in run_scores(viewer, run)}
    for label, measure in measures:
        if str(measure) in means:
            lines.append(score_line(label, measure, ALL, _or_nan(means[str(measure)])))
    return "".join(f"{line}\n" for line in lines)


def _topic_lines(viewer: Viewer, run: Run, measures: list[tuple[str, Measure]]) -> list[str]:
    scores = run_topic_scores(viewer, run, [measure for _, measure in measures])
    by_measure = [
        (label, measure, scores[str(measure)])
        for label, measure in measures
        if has_topic_lines(measure) and scores.get(str(measure))
    ]
    if not by_measure:
        return []
    topics = [score.code for score in by_measure[0][2]]
    return [
        score_line(label, measure, topics[at], _or_nan(by_topic[at].base))
        # Topics in the order of trec_eval, so that two outputs can be compared line by line.
        for at in in_order_of_bytes(topics)
        if any(by_topic[at].base is not None for _, _, by_topic in by_measure)
        for label, measure, by_topic in by_measure
    ]


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value
