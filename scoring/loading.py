"""From rows and files to arrays and back: the one door between storage and the core."""

import hashlib
import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
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
from scoring.models import StoredGrades, StoredRanking


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
            grades = load_grades(stored.storage_key, stored.digest)
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


def load_grades(storage_key: str, digest: str) -> NDArray[np.int8]:
    """int8[topics, depth] as they were stored. Raises FileNotFoundError and ArtefactError."""
    return unpack_grades(_load(storage_key, digest))


def values_by_topic(packed: bytes | None, topics: int) -> list[float | None]:
    """A stored vector as one value for each of so many topics: None for NaN, for topics that came
    after the vector was made, and throughout where nothing is stored."""
    vector = [] if packed is None else unpack_vector(bytes(packed)).tolist()
    known = [None if math.isnan(value) else value for value in vector]
    return (known + [None] * topics)[:topics]


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
