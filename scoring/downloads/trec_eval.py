"""A run's scores in trec_eval's text, for the scripts that read it."""

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
    """What `trec_eval -q` would print of this run for the campaign's measures: scores by topic,
    where they may be seen, then those over all topics. Topics that no mean counts are left out."""
    rel = viewer.campaign.rel
    measures = [(label_of(measure, rel), measure) for measure in rules_of(viewer.campaign).measures]
    lines = _topic_lines(viewer, run, measures)
    lines.append(tag_line(run.shown_tag))
    means = {score.measure: score.base for score in run_scores(viewer, run)}
    for label, measure in measures:
        if str(measure) in means:
            lines.append(score_line(label, measure, ALL, _or_nan(means[str(measure)])))
    return "".join(f"{line}\n" for line in lines)


def _topic_lines(viewer: Viewer, run: Run, measures: list[tuple[str, Measure]]) -> list[str]:
    found = run_topic_scores(viewer, run, [measure for _, measure in measures])
    by_measure = [
        (label, measure, found[str(measure)])
        for label, measure in measures
        if has_topic_lines(measure) and found.get(str(measure))
    ]
    if not by_measure:
        return []
    topics = [score.code for score in by_measure[0][2]]
    return [
        score_line(label, measure, topics[place], _or_nan(scores[place].base))
        for place in in_order_of_bytes(topics)
        if any(scores[place].base is not None for _, _, scores in by_measure)
        for label, measure, scores in by_measure
    ]


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value
