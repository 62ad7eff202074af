"""Stores and loads rankings, grades and judgments: the only link between storage and the core."""

import hashlib
import logging
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from celery import current_task
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db.models import Q
from numpy.typing import NDArray

from campaigns.models import Campaign, Qrels, Run
from campaigns.models.identity import new_public_id
from campaigns.stored_files import FileLost, read_stored
from campaigns.trec.problems import FormatError
from campaigns.trec.qrels import read_qrels, second_fields
from scoring.core.data.alignment import align
from scoring.core.data.artefacts import (
    pack_grades,
    pack_ranking,
    unpack_doc_ids,
    unpack_grades,
    unpack_ranking,
    unpack_topic,
    unpack_vector,
)
from scoring.core.data.judgments import JudgmentTable, build_table
from scoring.core.data.ranking import Ranking
from scoring.core.statistics.undefined import none_if_nan
from scoring.evaluation.reading import parsed_run, ranking_of
from scoring.models import StoredGrades, StoredRanking

log = logging.getLogger(__name__)

LARGEST_REMADE = 32 << 20  # bytes of a run's file that a web process may read again


class Stored(NamedTuple):
    storage_key: str
    digest: str


def store_ranking(ranking: Ranking) -> Stored:
    return _store("rankings", pack_ranking(ranking))


def load_ranking(stored: StoredRanking) -> Ranking:
    """Recreated from the run's file if its own file is lost. Raises `FileLost`."""
    return unpack_ranking(_ranking_blob(stored))


def remake_ranking(stored: StoredRanking) -> bytes:
    """Recreates the ranking's file from the run's and stores it. Raises `FileLost` if the run's
    file is lost too or no longer passes the check."""
    run = Run.objects.select_related("campaign").get(pk=stored.run_id)
    codes = list(run.campaign.topics.order_by("position").values_list("code", flat=True))
    try:
        parsed, _ = parsed_run(run, codes)
        blob = pack_ranking(ranking_of(parsed))
    except FormatError as error:
        raise FileLost(f"{stored.storage_key}: {run} no longer passes its check") from error
    new = _store("rankings", blob)
    # Unless another process has recreated it meanwhile; housekeeping then deletes our file.
    StoredRanking.objects.filter(pk=stored.pk, storage_key=stored.storage_key).update(
        **new._asdict()
    )
    log.warning("%s was lost and has been recreated as %s.", stored.storage_key, new.storage_key)
    return blob


def load_topic(stored: StoredRanking, topic: str) -> Ranking:
    """One topic of the ranking. Raises `FileLost`."""
    return unpack_topic(_ranking_blob(stored), topic)


def load_doc_ids(stored: StoredRanking, cells: Sequence[tuple[str, int]]) -> list[bytes]:
    """The documents at these topics and positions of the ranking, b"" if there is none. Raises
    `FileLost`."""
    return unpack_doc_ids(_ranking_blob(stored), cells)


def load_table(qrels: Qrels, campaign: Campaign) -> JudgmentTable:
    """The qrels ready for look-up; the rows are the campaign's topics by position. Cached, because
    a worker scores many runs of a campaign in a row."""
    topics = tuple(campaign.topics.order_by("position").values_list("code", flat=True))
    return _table(qrels.storage_key, qrels.digest, topics, campaign.highest_grade)


def load_people_table(qrels: Qrels, campaign: Campaign) -> JudgmentTable | None:
    """The same without the judgments of a program, whose documents nobody has judged then. None if
    no program judged."""
    if not qrels.has_program:
        return None
    topics = tuple(campaign.topics.order_by("position").values_list("code", flat=True))
    return _people_table(qrels.storage_key, qrels.digest, topics, campaign.highest_grade)


def grades_of(run: Run, qrels: Qrels, table: JudgmentTable) -> NDArray[np.int8]:
    """int8[topics, depth]: stored grades if they are intact and cover all topics, else new ones."""
    stored = StoredGrades.objects.filter(run=run, qrels=qrels).first()
    grades, new = stored_or_new_grades(run, qrels, table, stored)
    if new is not None:
        keep_grades([new])
    return grades


def stored_or_new_grades(
    run: Run, qrels: Qrels, table: JudgmentTable, stored: StoredGrades | None
) -> tuple[NDArray[np.int8], StoredGrades | None]:
    """The same, and the row of new grades, which the caller has to keep."""
    if stored is not None:
        try:
            grades = load_grades(stored.storage_key, stored.digest)
        except FileLost:
            stored.delete()
        else:
            if len(grades) == len(table.topics):
                return grades, None
            stored.delete()
    grades = align(load_ranking(run.ranking), table, depth=max(run.ranking.longest, 1))
    new = _store("grades", pack_grades(grades))
    return grades, StoredGrades(run=run, qrels=qrels, **new._asdict())


def keep_grades(rows: Sequence[StoredGrades]) -> None:
    """Adds the rows. Another process may have added some: those stay, and housekeeping deletes the
    files of ours."""
    StoredGrades.objects.bulk_create(rows, ignore_conflicts=True)


def load_grades(storage_key: str, digest: str) -> NDArray[np.int8]:
    """int8[topics, depth] as stored. Raises `FileLost`."""
    return unpack_grades(read_stored(storage_key, digest))


def values_by_topic(packed: bytes | None, topics: int) -> list[float | None]:
    """A stored vector as one value for each topic: None for NaN, for topics added after the vector
    was stored, and for all topics if nothing is stored."""
    vector = [] if packed is None else unpack_vector(bytes(packed)).tolist()
    values = [none_if_nan(value) for value in vector]
    return (values + [None] * topics)[:topics]


def _store(kind: str, blob: bytes) -> Stored:
    identity = new_public_id()
    # In subfolders, because a site may store millions of files.
    key = default_storage.save(f"{kind}/{identity[:2]}/{identity}", ContentFile(blob))
    return Stored(storage_key=key, digest=hashlib.sha256(blob).hexdigest())


def _ranking_blob(stored: StoredRanking) -> bytes:
    try:
        return read_stored(stored.storage_key, stored.digest)
    except FileLost:
        # By its key too: the caller may know only that, or another thread has recreated the file.
        rows = StoredRanking.objects.select_related("run").filter(
            Q(pk=stored.pk) | Q(storage_key=stored.storage_key)
        )
        row = rows.first()
        if row is None:
            raise
        if row.storage_key != stored.storage_key:
            return read_stored(row.storage_key, row.digest)
        if row.run.size > LARGEST_REMADE and not current_task:
            raise  # too much for a web process: use `manage.py verify --repair`
        return remake_ranking(row)


@lru_cache(maxsize=2)
def _people_table(
    storage_key: str, digest: str, topics: tuple[str, ...], highest_grade: int
) -> JudgmentTable:
    data = read_stored(storage_key, digest)
    parsed = read_qrels(data)
    by_program = np.array([field == Qrels.BY_PROGRAM for field in second_fields(data)])
    # `lines` are the line numbers of the judgments, counted from 1.
    by_people = ~by_program[parsed.lines - 1]
    return build_table(
        topics=topics,
        qrels_topics=parsed.topics,
        topic_index=parsed.topic_index[by_people],
        doc_ids=parsed.doc_ids[by_people],
        grades=parsed.grades[by_people],
        highest_grade=highest_grade,
    )


@lru_cache(maxsize=4)
def _table(
    storage_key: str, digest: str, topics: tuple[str, ...], highest_grade: int
) -> JudgmentTable:
    parsed = read_qrels(read_stored(storage_key, digest))
    return build_table(
        topics=topics,
        qrels_topics=parsed.topics,
        topic_index=parsed.topic_index,
        doc_ids=parsed.doc_ids,
        grades=parsed.grades,
        highest_grade=highest_grade,
    )
