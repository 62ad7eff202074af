"""What `docs/prediction-powered.md` is computed with, and that it says what it must."""

import os
import re
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

from tests.scoring.core.sampled import small_campaign
from tools.prediction_powered_page import RBP_WEIGHTS, TRACKS
from tools.prediction_powered_text import CAUTIONS, HEAD, SEE_ALSO
from tools.sampling_study import (
    SamplingStudy,
    confusion_matrix,
    coverage,
    read_sampling_study,
    samples_of,
)

PAGE = Path(__file__).resolve().parents[3] / "docs" / "prediction-powered.md"
DATA = os.environ.get("TRACKSIDE_DATA")


@pytest.fixture
def study():
    candidates = small_campaign()
    random = np.random.default_rng(3)
    people, program = (random.integers(0, 2, len(candidates)).astype(np.int8) for _ in range(2))
    return SamplingStudy(candidates, people, program, 1, np.array([0, 2]))


def test_the_matrix_of_assessors_counts_both_directions(tmp_path):
    """One pair differs once: 0 and 3 of a document; of another both say 2, of a third both 0."""
    for number in range(1, 9):
        lines = [f"1 0 a {0 if number % 2 else 3}", "1 0 b 2", "1 0 c 0", f"1 0 only{number} 1"]
        (tmp_path / f"assessor-{number}.qrels").write_text("\n".join(lines))
    found = confusion_matrix(tmp_path, (0, 0, 1, 1))
    assert found == pytest.approx(np.array([[2 / 3, 1 / 3], [1 / 3, 2 / 3]]), abs=1e-12)


@pytest.mark.parametrize("alone", [True, False])
def test_the_error_of_a_simple_random_sample_is_that_over_all_samples(study, alone):
    every = study.looked_at
    table = study.worth("P@3").table
    program = np.zeros_like(study.program) if alone else study.program
    brought = np.zeros((len(every), every.runs, 2))
    for document in range(len(every)):
        for place in range(every.starts[document], every.starts[document + 1]):
            run, position = every.run_rows[place], every.positions[place]
            cell = document, run, every.topic_rows[document]
            brought[cell] = (
                table[study.people[document], position] - table[program[document], position]
            )
    members = [np.flatnonzero(every.topic_rows == topic) for topic in (0, 1)]
    sums = [
        sum(
            brought[list(chosen)].sum(axis=0) * len(own) / 2
            for chosen, own in zip(both, members, strict=True)
        )
        for both in product(*(combinations(own, 2) for own in members))
    ]
    expected = np.std(np.mean(sums, axis=2), axis=0)
    assert study.plain_error("P@3", 4, alone=alone) == pytest.approx(expected, abs=1e-12)


def test_runs_that_are_looked_at_keep_their_places_and_scores(study):
    everything = SamplingStudy(
        study.candidates, study.people, study.program, 1, np.arange(study.candidates.runs)
    )
    assert study.truth("RBP(p=0.8)") == pytest.approx(
        everything.truth("RBP(p=0.8)")[study.chosen], abs=1e-12
    )


def test_coverage_counts_the_intervals_that_contain_the_truth(study):
    found = coverage(study, "P@3", samples_of(study.design(8, RBP_WEIGHTS), 400))
    assert found.truth == pytest.approx(study.truth("P@3").mean(axis=1), abs=1e-12)
    spread = found.deviation / np.sqrt(400)
    assert (np.abs(found.estimate - found.truth) < 4 * spread + 1e-12).all()
    assert ((found.covered >= found.covered_normal) | np.isnan(found.width)).all()
    gap = coverage(study, "P@3", samples_of(study.design(8, RBP_WEIGHTS), 5), pairs=True)
    assert gap.truth == pytest.approx([found.truth[0] - found.truth[1]], abs=1e-12)


def test_the_page_has_the_texts_and_the_coverage_that_is_promised():
    text = PAGE.read_text()
    for part in (HEAD, CAUTIONS, SEE_ALSO):
        assert part in text
    rows = re.findall(r"^\| RBP\(p=0\.8\) \| ([\d.]+)% \| ([\d.]+)% \| ([\d.]+)% ", text, re.M)
    assert len(rows) == 2 * len(TRACKS)  # of samples by the weights of RBP, and of AP
    for mean, lowest, highest in [map(float, row) for row in rows[::2]]:
        assert 93 <= mean <= 97
        assert 90 <= lowest <= highest <= 99


@pytest.mark.data
@pytest.mark.long
@pytest.mark.skipif(not DATA, reason="TRACKSIDE_DATA does not name the folder of real runs")
@pytest.mark.parametrize("track", TRACKS, ids=lambda track: track.folder)
def test_with_the_first_samples_the_page_finds_the_same_runs(track):
    """The truth and the program of each run, and most intervals of thirty samples."""
    folder = Path(DATA)
    matrix = confusion_matrix(folder / "trec-dl19-passage/reannotation/main", track.classes)
    study = read_sampling_study(folder / track.folder, matrix, runs=20)
    design = study.design(track.budget, RBP_WEIGHTS)
    found = coverage(study, "RBP(p=0.8)", samples_of(design, 30))
    printed = re.findall(r"^\| (0\.\d{3}) \| (0\.\d{3}) \|", PAGE.read_text(), re.M)
    for truth, program in zip(found.truth, found.program, strict=True):
        assert (f"{truth:.3f}", f"{program:.3f}") in printed
    assert f"{design.stratum_count} strata" in PAGE.read_text()
    assert found.covered.mean() > 0.9
