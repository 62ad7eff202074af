"""The ledger: what must hold for every run that was handed in, whatever was killed meanwhile.

The client's own list (numbers of runs, whose bytes it knows) is compared with rows and files. The
golden scores come from the core alone, from the bytes the client sent: no row, no stored file, no
worker has a part in them. Runs inside the helper process.
"""

import hashlib
from collections.abc import Iterator
from datetime import timedelta
from functools import lru_cache
from typing import Any

import numpy as np
from django.core.files.storage import default_storage

from campaigns.models import Campaign, LogEntry, Qrels, Run
from campaigns.trec.qrels import read_qrels
from campaigns.trec.runs import read_run
from scoring.core.data.alignment import align
from scoring.core.data.artefacts import pack_vector, unpack_vector
from scoring.core.data.judgments import build_table
from scoring.core.data.ranking import rank
from scoring.core.measures.graded import GradedTopics, evaluate
from scoring.core.measures.names import rel_of
from scoring.core.statistics.means import mask_excluded, mean_scores, topics_of_mean
from scoring.evaluation.rules import ScoringRules, rules_of
from scoring.jobs.housekeeping import delete_unowned_files
from scoring.models import Evaluation, Job, Score, StoredGrades, StoredRanking
from tests.faults import files

FINAL_RUNS = {Run.State.ACCEPTED, Run.State.REFUSED, Run.State.FAILED}
FINAL_EVALUATIONS = {Evaluation.State.SCORED, Evaluation.State.FAILED}
OWNERS = {"runs": Run, "qrels": Qrels, "rankings": StoredRanking, "grades": StoredGrades}

Values = tuple[float | None, float | None, int, bytes, bytes | None]


def read_ledger(numbers: list[int], poisoned: list[int]) -> dict[str, Any]:
    """Every violation in words, and how many of the client's runs were lost or doubled.

    `poisoned` are those of the runs that must have ended as failed.
    """
    orphans = delete_unowned_files(older_than=timedelta(0))
    good = [number for number in numbers if number not in poisoned]
    return {
        "violations": [*_submitted_once(numbers), *_fates(good, poisoned), *_scores(), *_files()],
        "lost": sum(not _is_scored(number) for number in good),
        "doubled": sum(_is_doubled(number) for number in numbers),
        "orphans": orphans,
    }


def _submitted_once(numbers: list[int]) -> Iterator[str]:
    """Every submitted run exists exactly once, and its stored file is what was sent."""
    for number in numbers:
        data = files.run_bytes(number)
        rows = Run.objects.filter(description=str(number))
        if len(rows) != 1:
            yield f"run {number} exists {len(rows)} times"
            continue
        digest = hashlib.sha256(data).hexdigest()
        if rows[0].digest != digest:
            yield f"run {number} has the digest of other bytes"
        if rows[0].storage_key:
            with default_storage.open(rows[0].storage_key) as file:
                if file.read() != data:
                    yield f"the stored file of run {number} is not what was sent"
    if Run.objects.count() != len(numbers):
        yield f"{Run.objects.count()} runs exist, {len(numbers)} were handed in"


def _fates(good: list[int], poisoned: list[int]) -> Iterator[str]:
    """Every run, evaluation and job has ended, and in the right state."""
    for run in Run.objects.exclude(state__in=FINAL_RUNS):
        yield f"run {run.description} is still {run.state}"
    for evaluation in Evaluation.objects.exclude(state__in=FINAL_EVALUATIONS):
        yield f"an evaluation of run {evaluation.run.description} is still {evaluation.state}"
    for job in Job.objects.filter(state__in=[Job.State.WAITING, Job.State.RUNNING]):
        yield f"the job {job} is still there"
    for number in good:
        if not _is_scored(number):
            yield f"run {number} has no scores"
    for number in poisoned:
        if not Run.objects.filter(description=str(number), state=Run.State.FAILED).exists():
            yield f"the poisoned run {number} has not failed"


def _scores() -> Iterator[str]:
    """Each run has one score for each measure, with a value for each topic. The values equal those
    of the core, bit for bit. The log has one `scored` entry for each run and qrels version."""
    campaign = Campaign.objects.get()
    rules = rules_of(campaign)
    measures = sorted(str(measure) for measure in rules.measures)
    for evaluation in Evaluation.objects.filter(state=Evaluation.State.SCORED):
        number = int(evaluation.run.description)
        scores = list(evaluation.scores.order_by("measure"))
        if sorted(score.measure for score in scores) != measures:
            yield f"run {number} has scores of {[score.measure for score in scores]}"
        golden = _golden(number, rules)
        for score in scores:
            if len(unpack_vector(bytes(score.bases))) != len(files.TOPICS):
                yield f"a vector of run {number} is not as long as the topics"
            if _values(score) != golden.get(score.measure):
                yield f"run {number} has another {score.measure} than the golden one"
        entries = _log_entries(evaluation)
        if entries != 1:
            yield f"run {number} was logged as scored {entries} times"


def _files() -> Iterator[str]:
    """No file is without a row, and no accepted run without its file."""
    owned = set()
    for folder, owner in OWNERS.items():
        keys = set(owner.objects.exclude(storage_key="").values_list("storage_key", flat=True))
        owned |= keys
        for key in keys:
            if not default_storage.exists(key):
                yield f"{folder}: a row names the file {key}, which is not there"
    for key in _stored_files(""):
        if key not in owned:
            yield f"nobody owns the file {key}"
    for run in Run.objects.filter(state=Run.State.ACCEPTED, storage_key=""):
        yield f"run {run.description} is accepted and has no file"


def _stored_files(folder: str) -> Iterator[str]:
    folders, names = default_storage.listdir(folder)
    for name in names:
        yield f"{folder}/{name}".lstrip("/")
    for inner in folders:
        yield from _stored_files(f"{folder}/{inner}".lstrip("/"))


def _is_scored(number: int) -> bool:
    return Evaluation.objects.filter(
        run__description=str(number), state=Evaluation.State.SCORED
    ).exists()


def _is_doubled(number: int) -> bool:
    """More than one row, evaluation, score of a measure, or `scored` entry where one belongs."""
    evaluations = Evaluation.objects.filter(run__description=str(number))
    measures = list(
        Score.objects.filter(evaluation__in=evaluations).values_list("measure", flat=True)
    )
    return (
        Run.objects.filter(description=str(number)).count() > 1
        or len(evaluations) > 1
        or len(measures) > len(set(measures))
        or any(_log_entries(evaluation) > 1 for evaluation in evaluations)
    )


def _log_entries(evaluation: Evaluation) -> int:
    return LogEntry.objects.filter(
        verb="scored",
        subject=evaluation.run.public_id,
        details__qrels=evaluation.qrels.version,
        details__definitions=evaluation.definitions,
    ).count()


def _values(score: Score) -> Values:
    residuals = None if score.residuals is None else bytes(score.residuals)
    return (
        score.mean_base,
        score.mean_residual,
        score.topic_count,
        bytes(score.bases),
        residuals,
    )


_known: dict[int, dict[str, Values]] = {}


def _golden(number: int, rules: ScoringRules) -> dict[str, Values]:
    if number not in _known:  # the rules are the same all along
        _known[number] = dict(_computed(number, rules))
    return _known[number]


def _computed(number: int, rules: ScoringRules) -> Iterator[tuple[str, Values]]:
    parsed = read_run(files.run_bytes(number), known_topics=files.TOPICS)
    ranking = rank(
        topics=parsed.topics,
        topic_index=parsed.topic_index,
        doc_ids=parsed.doc_ids,
        retrieval_scores=parsed.retrieval_scores,
    )
    table = _table(len(rules.gain_map) - 1)
    graded = GradedTopics(
        grades=align(ranking, table, depth=files.DEPTH),
        grade_counts=table.grade_counts,
        gain_map=rules.gain_map,
    )
    for measure, scores in evaluate(rules.measures, graded).items():
        rel = max(rules.rel, rel_of(measure) or 1)
        included = topics_of_mean(table, rel=rel, no_relevant=rules.no_relevant)
        kept = mask_excluded(scores, included)
        mean = mean_scores(kept, included)
        yield (
            str(measure),
            (
                None if np.isnan(mean.base) else mean.base,
                mean.residual,
                mean.topics,
                pack_vector(kept.base),
                None if kept.residual is None else pack_vector(kept.residual),
            ),
        )


@lru_cache
def _table(highest_grade: int):
    judged = read_qrels(files.QRELS)
    return build_table(
        topics=files.TOPICS,
        qrels_topics=judged.topics,
        topic_index=judged.topic_index,
        doc_ids=judged.doc_ids,
        grades=judged.grades,
        highest_grade=highest_grade,
    )
