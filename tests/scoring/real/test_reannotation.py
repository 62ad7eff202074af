"""TREC DL 2019 judged again: eight assessors of the same documents, then two by two; and what the
choice between the two does to the board of twelve runs."""

import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats import inter_rater

from campaigns.judging import pool_files
from scoring.analyses.studies import OfMeasure
from scoring.assessors import analysis
from scoring.assessors.agreement import agreement_of
from scoring.cli.opening import open_qrels, open_run
from scoring.core.data.alignment import align
from scoring.core.data.ranking import Ranking
from scoring.core.measures.graded import GradedTopics, evaluate
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.agreement import kendall_tau
from scoring.core.statistics.assessor_agreement import (
    LEVELS,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
)
from scoring.evaluation.storage import store_ranking
from scoring.library.prepared import rank_run
from scoring.models import StoredRanking
from tests.making import make_campaign, make_run, make_user

DATA = os.environ.get("TRACKSIDE_DATA")
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not DATA, reason="TRACKSIDE_DATA does not name the folder of real runs"),
]
FOLDER = Path(DATA or ".") / "trec-dl19-passage"
TOPICS = FOLDER / "topics.dl19-passage.txt"
HIGHEST = 3


def grades_of(folder, assessors):
    """integers[assessors, documents], -1 where one of them did not judge."""
    found = []
    for assessor in assessors:
        path = FOLDER / "reannotation" / folder / f"assessor-{assessor}.qrels"
        lines = [line.split() for line in path.read_text().splitlines()]
        found.append({(topic, doc_id): int(grade) for topic, _, doc_id, grade in lines})
    documents = sorted(set().union(*found))
    return np.array([[one.get(document, -1) for document in documents] for one in found])


def test_eight_assessors_of_188_documents():
    grades = grades_of("agreement-round", range(1, 9))
    assert grades.shape == (8, 188)
    counts, _ = inter_rater.aggregate_raters(grades.T, n_cat=HIGHEST + 1)
    assert fleiss_kappa(grades) == pytest.approx(inter_rater.fleiss_kappa(counts), abs=1e-12)
    assert f"{fleiss_kappa(grades):.4f}" == "0.2279"
    alphas = [f"{krippendorff_alpha(grades, level=level):.4f}" for level in LEVELS]
    assert alphas == ["0.2284", "0.4534", "0.4879"]


@pytest.mark.parametrize(
    ("first", "expected"), [(1, "0.2280"), (3, "0.0840"), (5, "0.3316"), (7, "0.2353")]
)
def test_two_assessors_of_the_main_round(first, expected):
    a, b = grades_of("main", (first, first + 1))
    table, _ = inter_rater.to_table(np.array([a, b]).T, bins=np.arange(HIGHEST + 2) - 0.5)
    oracle = inter_rater.cohens_kappa(table, return_results=False)
    assert cohen_kappa(a, b) == pytest.approx(oracle, abs=1e-12)
    assert f"{cohen_kappa(a, b):.4f}" == expected


@cache
def rankings() -> tuple[Ranking, ...]:
    return tuple(rank_run(open_run(str(path))) for path in sorted((FOLDER / "runs").iterdir()))


def table_of(assessor):
    path = FOLDER / "reannotation" / "main" / f"assessor-{assessor}.qrels"
    return open_qrels(str(path), highest_grade=HIGHEST)


def board(assessor, measure):
    """Means over the topics that the assessor judged, by run."""
    table = table_of(assessor)
    gains = np.arange(HIGHEST + 1) / HIGHEST
    return [
        evaluate([measure], GradedTopics(align(one, table, depth=1000), table.grade_counts, gains))[
            measure
        ].base.mean()
        for one in rankings()
    ]


def counted_precision(assessor):
    """P(rel=2)@10 by counting."""
    path = FOLDER / "reannotation" / "main" / f"assessor-{assessor}.qrels"
    lines = [line.split() for line in path.read_text().splitlines()]
    relevant = {(topic, doc_id) for topic, _, doc_id, grade in lines if int(grade) >= 2}
    topics = {topic for topic, *_ in lines}
    return [
        sum(
            (topic, doc_id.decode()) in relevant
            for number, topic in enumerate(one.topics)
            if topic in topics
            for doc_id in one.doc_ids[one.offsets[number] : one.offsets[number + 1]][:10].tolist()
        )
        / (10 * len(topics))
        for one in rankings()
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("P(rel=2)@10", "0.677 0.778 0.930 0.899"), ("nDCG@10", "0.809 0.788 0.846 0.970")],
)
def test_the_boards_of_the_two_assessors_of_a_pair(name, expected):
    """Over the topics of the pair, each board by the judgments of one of them alone."""
    measure = parse_measure(name)
    found = []
    for first in (1, 3, 5, 7):
        boards = np.array([board(first, measure), board(first + 1, measure)])
        found.append(kendall_tau(boards)[0, 1])
        oracle = stats.kendalltau(*boards.round(12)).statistic
        assert found[-1] == pytest.approx(oracle, abs=1e-12)
        if name.startswith("P"):
            counted = [counted_precision(first), counted_precision(first + 1)]
            assert np.abs(boards - counted).max() < 1e-12
    assert " ".join(f"{tau:.3f}" for tau in found) == expected


@pytest.mark.django_db
def test_answers_brought_in_give_the_same_numbers(settings, tmp_path):
    """Through the site: eight files of answers, then two of the main round and twelve runs. Of
    topic 168216 each of the two judged four documents that the other did not."""
    settings.STORAGES = settings.STORAGES | {
        "default": settings.STORAGES["default"] | {"OPTIONS": {"location": str(tmp_path)}}
    }
    folder = FOLDER / "reannotation"
    codes = sorted({line.split("\t")[0] for line in TOPICS.read_text().splitlines()})
    campaign = make_campaign(topics=tuple(codes), highest_grade=HIGHEST, no_relevant="zero")
    for number in range(1, 9):
        take(
            campaign,
            make_user(name=f"{number}"),
            folder / f"agreement-round/assessor-{number}.qrels",
        )
    whole = agreement_of(campaign).whole.coefficients
    assert (whole.documents, whole.fleiss_documents, whole.fleiss_assessors) == (188, 188, 8)
    assert f"{whole.fleiss:.4f} {whole.ordinal:.4f}" == "0.2279 0.4534"

    campaign = make_campaign(topics=tuple(codes), highest_grade=HIGHEST, no_relevant="zero")
    for number in (1, 2):
        take(campaign, make_user(name=f"{number}"), folder / f"main/assessor-{number}.qrels")
    (pair,) = agreement_of(campaign).pairs
    assert (pair.documents, pair.topics, f"{pair.kappa:.4f}") == (1111, 12, "0.2280")
    for number, ranking in enumerate(rankings()):
        store(make_run(campaign, tag=f"run{number}", public_id=f"dl-{number:02}"), ranking)
    found = analysis.compute(campaign, None, OfMeasure("nDCG@10"))
    assert (found.topics.tolist(), found.run_pairs.tolist()) == ([13], [66])
    assert f"{found.tau[0]:.3f}" == "0.809"


def take(campaign, person, path):
    pool_files.import_judgments(
        campaign=campaign, assessor=person, data=path.read_bytes(), actor=person
    )


def store(run, ranking):
    StoredRanking.objects.create(
        run=run,
        **store_ranking(ranking)._asdict(),
        topic_count=len(ranking.topics),
        document_count=len(ranking.doc_ids),
        tied_count=0,
        longest=ranking.max_length,
    )
