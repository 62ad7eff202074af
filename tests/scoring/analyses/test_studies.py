"""Studies declare themselves, and their questions and results survive the database."""

import json
from dataclasses import asdict, dataclass, fields, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from campaigns.models import Campaign
from scoring.analyses.requests import judgments_of, packed, result_of
from scoring.analyses.studies import STUDIES, OfMeasures, Reads, Study, declare, study_of
from scoring.models import Analysis
from tests.scoring.analyses.test_analyses import campaign

pytestmark = pytest.mark.django_db
__all__ = ["campaign"]  # the fixture


@dataclass(frozen=True, eq=False)
class Found:
    names: NDArray[np.str_]
    scores: NDArray[np.float64]
    count: int
    why: str
    is_whole: bool


STUDY: Study[OfMeasures, Found | None] = Study(
    kind="tried",
    title="a study of this test",
    question=OfMeasures,
    compute=lambda *_: None,
    result=Found,
    seconds=lambda *_: 1,
)


def done(campaign: Campaign, answer: bytes) -> Analysis:
    return Analysis.objects.create(
        campaign=campaign, kind="tried", digest="d", state=Analysis.State.DONE, answer=answer,
        question=asdict(OfMeasures(["AP"])),
    )  # fmt: skip


def test_a_result_comes_back_with_its_types(campaign: Campaign) -> None:
    kept = Found(np.array(["a", "τ"]), np.array([0.5, np.nan]), 2, "no reason", is_whole=False)
    found = result_of(STUDY, done(campaign, packed(kept, 7)))
    assert found is not None
    assert found.names.tolist() == ["a", "τ"]
    np.testing.assert_array_equal(found.scores, kept.scores)
    assert (found.count, found.why, found.is_whole) == (2, "no reason", False)
    assert [type(each) for each in (found.count, found.why, found.is_whole)] == [int, str, bool]
    assert judgments_of(STUDY, Analysis.objects.get()) == 7


def test_nothing_to_compute_comes_back_as_none(campaign: Campaign) -> None:
    assert result_of(STUDY, done(campaign, packed(None))) is None


def test_no_two_studies_have_the_same_kind() -> None:
    study = study_of("significance")
    assert declare(study) is study
    with pytest.raises(ValueError, match="two studies are of kind significance"):
        declare(replace(study, title="another"))
    assert STUDIES["significance"] is study


def test_every_declared_question_is_json_and_every_result_a_dataclass() -> None:
    study_of("significance")  # all are imported
    assert len(STUDIES) >= 20
    for study in STUDIES.values():
        values = {each.name: each.name for each in fields(study.question)}
        question = study.question(**values)
        assert study.question(**json.loads(json.dumps(asdict(question)))) == question
        assert fields(study.result)
        assert study.title
        assert (Reads.SCORES in study.reads) != (Reads.RANKINGS in study.reads)
