"""From rows and files to arrays and back: the one door between storage and the core."""

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db.models import QuerySet
from numpy.typing import NDArray

from campaigns.models import Campaign, Qrels, Run
from campaigns.models.identity import new_public_id
from campaigns.trec.qrels import read_qrels
from scoring.core.alignment import align
from scoring.core.artefacts import (
    ArtefactError,
    pack_grades,
    pack_ranking,
    unpack_grades,
    unpack_ranking,
    unpack_vector,
)
from scoring.core.judgments import JudgmentTable, build_table
from scoring.core.ranking import Ranking
from scoring.models import Evaluation, Score, StoredGrades, StoredRanking


class Stored(NamedTuple):
    storage_key: str
    digest: str


def store_ranking(ranking: Ranking) -> Stored:
    return _store("rankings", pack_ranking(ranking))


def load_ranking(stored: StoredRanking) -> Ranking:
    return unpack_ranking(_load(stored.storage_key, stored.digest))


def load_table(qrels: Qrels, campaign: Campaign) -> JudgmentTable:
    """The qrels ready for look-up, its rows the campaign's topics by position. Kept in memory:
    one worker scores many runs of a campaign in a row."""
    topics = tuple(campaign.topics.order_by("position").values_list("code", flat=True))
    return _table(qrels.storage_key, qrels.digest, topics, campaign.highest_grade)


def grades_of(run: Run, qrels: Qrels, table: JudgmentTable) -> NDArray[np.int8]:
    """int8[topics, depth]: stored ones where they are whole and as many topics, else new ones."""
    stored = StoredGrades.objects.filter(run=run, qrels=qrels).first()
    if stored is not None:
        try:
            grades = unpack_grades(_load(stored.storage_key, stored.digest))
        except (FileNotFoundError, ArtefactError):
            stored.delete()
        else:
            if len(grades) == len(table.topics):
                return grades
            stored.delete()
    grades = align(load_ranking(run.ranking), table, depth=max(run.ranking.longest, 1))
    made = _store("grades", pack_grades(grades))
    StoredGrades.objects.get_or_create(run=run, qrels=qrels, defaults=made._asdict())
    return grades


@dataclass(frozen=True, eq=False)
class Vectors:
    """One measure of one evaluation, topic by topic in the order of positions."""

    run_id: int
    measure: str
    bases: NDArray[np.float64]  # float64[topics], NaN where not defined or not counted
    residuals: NDArray[np.float64] | None


def score_vectors(
    evaluations: QuerySet[Evaluation], measures: Collection[str] | None = None
) -> Iterator[Vectors]:
    """The stored scores of some evaluations, of these measures or of all; one query."""
    scores = Score.objects.filter(evaluation__in=evaluations)
    if measures is not None:
        scores = scores.filter(measure__in=measures)
    rows = scores.order_by("evaluation__run", "pk").values_list(
        "evaluation__run", "measure", "bases", "residuals"
    )
    for run_id, measure, bases, residuals in rows.iterator(chunk_size=500):
        worst = None if residuals is None else unpack_vector(bytes(residuals))
        yield Vectors(run_id, measure, unpack_vector(bytes(bases)), worst)


def _store(kind: str, blob: bytes) -> Stored:
    identity = new_public_id()
    key = default_storage.save(f"{kind}/{identity[:2]}/{identity}", ContentFile(blob))
    return Stored(storage_key=key, digest=hashlib.sha256(blob).hexdigest())


def _load(storage_key: str, digest: str) -> bytes:
    with default_storage.open(storage_key) as file:
        blob = file.read()
    if hashlib.sha256(blob).hexdigest() != digest:
        raise ArtefactError(f"{storage_key} is not the file that was stored")
    return blob


@lru_cache(maxsize=4)
def _table(
    storage_key: str, digest: str, topics: tuple[str, ...], highest_grade: int
) -> JudgmentTable:
    parsed = read_qrels(_load(storage_key, digest))
    return build_table(
        topics=topics,
        qrels_topics=parsed.topics,
        topic_index=parsed.topic_index,
        doc_ids=parsed.doc_ids,
        grades=parsed.grades,
        highest_grade=highest_grade,
    )
