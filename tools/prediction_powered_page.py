"""The page `docs/prediction-powered.md`: prediction-powered scores, and what they are worth.

`make docs`, or `nice python -m tools.prediction_powered_page FOLDER`, where FOLDER
contains `trec-covid-round1`, `trec8-adhoc` and `trec-dl19-passage/reannotation`. It takes some
minutes.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.core.sampling.design import Design
from scoring.core.sampling.sizes import ap_rank_weights, rbp_rank_weights
from tools.prediction_powered_text import CAUTIONS, HEAD, SEE_ALSO, SETTING
from tools.sampling_study import (
    DEPTH,
    Coverage,
    SamplingStudy,
    Z,
    certain_count,
    confusion_matrix,
    coverage,
    read_sampling_study,
    samples_of,
)

RBP_WEIGHTS: Final = rbp_rank_weights(0.8, DEPTH)
LED_BY: Final = "RBP(p=0.8)"
MEASURES: Final = (LED_BY, "RBP(p=0.5)", "P@10", "DCG@10", "nDCG@10", "RBP(p=0.95)")
DRAWS: Final = 1000
RUNS: Final = 20
ERRORS: Final = 1 / 3  # that a better program keeps
BETTER: Final = "this sample, with a program that errs a third as often"
OF_AP: Final = (LED_BY, "nDCG@10", "RBP(p=0.95)")  # looked at with a sample by AP's weights


@dataclass(frozen=True)
class Track:
    """A campaign, the classes of the four grades of the confusion matrix, and the budget."""

    name: str
    folder: str
    classes: tuple[int, ...]
    budget: int


TRACKS: Final = (
    Track("TREC-COVID, round 1", "trec-covid-round1", (0, 1, 1, 2), 1500),
    Track("TREC-8 ad hoc", "trec8-adhoc", (0, 0, 1, 1), 2000),
    Track("TREC Deep Learning 2019, passages", "trec-dl19-passage", (0, 1, 2, 3), 1000),
)


def main(folder: Path) -> None:
    print(HEAD)
    print(SETTING.format(draws=DRAWS, runs=RUNS))
    for track in TRACKS:
        for block in _track(folder, track):
            print(block, end="\n\n", flush=True)
    print(CAUTIONS)
    print(SEE_ALSO, end="")


def _track(folder: Path, track: Track) -> Iterator[str]:
    confusion = confusion_matrix(folder / "trec-dl19-passage/reannotation/main", track.classes)
    study = read_sampling_study(folder / track.folder, confusion, runs=RUNS)
    design = study.design(track.budget, RBP_WEIGHTS)
    samples = samples_of(design, DRAWS)
    yield f"### {track.name}"
    yield _described(study, design, confusion)
    led = coverage(study, LED_BY, samples)
    yield "Coverage of 95 % intervals, over the runs and over pairs of runs:"
    rows = [(name, coverage(study, name, samples)) for name in MEASURES[1:]]
    pairs = (f"{LED_BY}, differences", coverage(study, LED_BY, samples, pairs=True))
    yield _coverages([(LED_BY, led), *rows, pairs])
    yield "The same with a sample of as many documents by the weights of AP:"
    by_ap = samples_of(study.design(track.budget, ap_rank_weights(DEPTH)), DRAWS)
    yield _coverages([(name, coverage(study, name, by_ap)) for name in OF_AP])
    yield (
        "Width of the 95 % intervals of RBP(.8), as 3.92 standard deviations of the estimates, "
        "over the runs:"
    )
    yield _widths(study, track, design, led)
    yield "The runs, by RBP(.8):"
    yield _runs(led, study.plain_error(LED_BY, track.budget, alone=False))


def _described(study: SamplingStudy, design: Design, confusion: NDArray[np.float64]) -> str:
    every = study.candidates
    said = "; ".join(
        f"{grade} as " + ", ".join(f"{other} ({share:.1%})" for other, share in enumerate(row))
        for grade, row in enumerate(confusion.tolist())
    )
    right = float((study.program == study.people).mean())
    return (
        f"{every.runs} runs, {len(every.topics)} topics and {len(every):,} documents. People judge "
        f"{design.sample_size:,} of them: {certain_count(design)} for certain, and two of each of "
        f"{design.stratum_count} strata. The program gives grade {said}. It agrees with people on "
        f"{right:.1%} of the documents."
    )


def _coverages(rows: list[tuple[str, Coverage]]) -> str:
    head = (
        "| score | coverage | lowest | highest | with the normal distribution | bias of the "
        "estimates | bias of the program alone | its largest |\n|---|---|---|---|---|---|---|---|\n"
    )
    return head + "\n".join(_coverage_row(name, found) for name, found in rows)


def _coverage_row(name: str, found: Coverage) -> str:
    shift = found.program - found.truth
    cells = (
        f"{found.covered.mean():.1%}",
        f"{found.covered.min():.1%}",
        f"{found.covered.max():.1%}",
        f"{found.covered_normal.mean():.1%}",
        f"{(found.estimate - found.truth).mean():+.4f}",
        f"{shift.mean():+.3f}",
        f"{np.abs(shift).max():.3f}",
    )
    return f"| {name} | " + " | ".join(cells) + " |"


def _widths(study: SamplingStudy, track: Track, design: Design, led: Coverage) -> str:
    ways = {
        "this sample, with the program": 2 * Z * led.deviation,
        BETTER: 2 * Z * _deviation(study.improved(ERRORS), design, alone=False),
        "this sample, people alone": 2 * Z * _deviation(study, design, alone=True),
        "sizes summed over the runs, with the program": 2
        * Z
        * _deviation(study, study.design(track.budget, RBP_WEIGHTS, "sum"), alone=False),
        "simple random sample, with the program": 2
        * Z
        * study.plain_error(LED_BY, track.budget, alone=False),
        "simple random sample, people alone": 2
        * Z
        * study.plain_error(LED_BY, track.budget, alone=True),
    }
    first = next(iter(ways.values()))
    rows = [
        f"| {name} | {width.mean():.3f} | {width.max():.3f} | {(width / first).mean():.2f} |"
        for name, width in ways.items()
    ]
    head = "| sample | mean | widest run | mean ratio to the first |\n|---|---|---|---|\n"
    return head + "\n".join(rows)


def _deviation(study: SamplingStudy, design: Design, *, alone: bool) -> NDArray[np.float64]:
    return coverage(study, LED_BY, samples_of(design, DRAWS), alone=alone).deviation


def _runs(led: Coverage, plain: NDArray[np.float64]) -> str:
    rows = [
        f"| {led.truth[at]:.3f} | {led.program[at]:.3f} | {led.estimate[at]:.3f} | "
        f"{led.covered[at]:.1%} | {led.width[at]:.3f} | {2 * Z * led.deviation[at]:.3f} | "
        f"{2 * Z * plain[at]:.3f} |"
        for at in np.argsort(-led.truth, kind="stable").tolist()
    ]
    head = (
        "| true | program alone | mean estimate | coverage | median width | 3.92 standard "
        "deviations | the same, simple random |\n|---|---|---|---|---|---|---|\n"
    )
    return head + "\n".join(rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
