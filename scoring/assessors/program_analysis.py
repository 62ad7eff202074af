"""What the judgments of a program change on the leaderboard, compared with those of people: the
order of the runs, their significance, and the shift of families of runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from campaigns.models import Campaign, Qrels, Run
from scoring.analyses.studies import Reads, Study, declare
from scoring.assessors.analysis import counts_by_choice, scores_by_choice
from scoring.assessors.program_agreement import both_grades, group_agreement
from scoring.core.judging.pooled_judgments import JudgedPlaces, first_positions, judged_places
from scoring.core.measures.catalogue import family_of, sign_of
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.agreement import kendall_tau, tau_ap
from scoring.core.statistics.concordance import concordance
from scoring.core.statistics.corrections import correct
from scoring.core.statistics.means import mask_excluded, mean_scores
from scoring.core.statistics.pairs import all_pairs, compare
from scoring.core.statistics.significance import paired_t
from scoring.evaluation.rules import rules_of
from scoring.evaluation.storage import load_ranking
from scoring.judging.candidates import contributing_runs, table_of_grades

CHOICES: Final = ("people", "program", "both")  # both: people, then the program for the rest
COMPARED: Final = ((0, 1), (0, 2), (1, 2))  # rows of CHOICES
KIND_DEPTH: Final = 20  # the first documents of a run belong to its kind
Vector = NDArray[np.float64]


@dataclass(frozen=True)
class OfProgram:
    measure: str
    program: int  # id


@dataclass(frozen=True, eq=False)
class BoardsByProgram:
    """Over the topics that count in a mean under the judgments of people and under the program's.
    p-values are of two-tailed paired t tests with Holm's correction."""

    run_ids: NDArray[np.str_]
    means: NDArray[np.float64]  # [CHOICES, runs]
    topics: int
    tau: NDArray[np.float64]  # for COMPARED
    tau_ap: NDArray[np.float64]  # the mean of both directions
    swapped: NDArray[np.int64]
    candidates: NDArray[np.int32]  # of each pair, an index of runs
    baselines: NDArray[np.int32]
    differences: NDArray[np.float64]  # [people and program, pairs]; above 0: a better candidate
    p_values: NDArray[np.float64]  # [people and program, pairs]
    families: NDArray[np.str_]
    # [5, families]: runs, topics, mean shift of the family, of the other runs, and the p-value over
    # topics, corrected over the families.
    shifts: NDArray[np.float64]
    kinds: NDArray[np.str_]  # of runs
    kind_figures: NDArray[np.float64]  # [kinds, 9]: agreement on the first documents of their runs


def compute(campaign: Campaign, qrels: Qrels | None, question: OfProgram) -> BoardsByProgram:
    measure, rules = parse_measure(question.measure), rules_of(campaign)
    grades = both_grades(campaign, campaign.programs.get(pk=question.program))
    codes = tuple(campaign.topics.order_by("position").values_list("code", flat=True))
    # The table numbers the documents. The grades of each choice come from `judged`.
    table = table_of_grades(codes, dict.fromkeys(grades.documents, 0), campaign.highest_grade)
    both = np.where(grades.people >= 0, grades.people, grades.program)
    judged = np.array([grades.people, grades.program, both], np.int16)
    counts = counts_by_choice(judged, table)
    included = np.array([rules.topics_of_board(measure, codes, each) for each in counts], bool)
    # Means by people and by the program must be over the same topics.
    common = included[0] & included[1]
    runs = contributing_runs(campaign, None)
    places = [judged_places(load_ranking(run.ranking), table) for run in runs]
    scores = [scores_by_choice(place, judged, counts, measure, rules) for place in places]
    family = family_of(measure)
    shape = (len(CHOICES), len(runs))
    masked = [[mask_excluded(each, common) for each in of_run] for of_run in scores]
    means = np.array(
        [
            [mean_scores(of_run[choice], common, family.summary).base for of_run in masked]
            for choice in range(len(CHOICES))
        ]
    ).reshape(shape)
    # From here on, higher is better by every measure.
    topic_scores = sign_of(measure) * np.array(
        [[of_run[choice].base for of_run in masked] for choice in range(len(CHOICES))]
    ).reshape(*shape, len(codes))
    return BoardsByProgram(
        run_ids=np.array([run.public_id for run in runs], np.str_),
        means=means,
        topics=int(common.sum()),
        **_orders(sign_of(measure) * means),
        **_pairs(topic_scores),
        **_families(topic_scores[1] - topic_scores[0], [run.family for run in runs]),
        **_kinds(grades.people, grades.program, runs, places),
    )


def family_shifts(shifts: Vector, is_family: NDArray[np.bool_]) -> tuple[Vector, Vector]:
    """float64[topics] each: the mean shift of the runs of a family, and of the other runs.

    `shifts` are float64[runs, topics], the score by the program minus that by people, NaN where it
    is not defined. Both vectors are NaN on topics where either group has no score.
    """
    known = ~np.isnan(shifts)
    values = np.where(known, shifts, 0.0)
    sums = [values[group].sum(axis=0) for group in (is_family, ~is_family)]
    sizes = [known[group].sum(axis=0) for group in (is_family, ~is_family)]
    with np.errstate(divide="ignore", invalid="ignore"):
        # 0 / 0: no run of the group has a score on this topic.
        own, others = (total / size for total, size in zip(sums, sizes, strict=True))
    undefined = np.isnan(own) | np.isnan(others)
    return np.where(undefined, np.nan, own), np.where(undefined, np.nan, others)


def _orders(higher: Vector) -> dict[str, Any]:
    taus, both_ways = kendall_tau(higher), tau_ap(higher)
    discordant = concordance(higher).discordant
    return {
        "tau": np.array([taus[a, b] for a, b in COMPARED]),
        # τ_AP depends on which of the two orders is the reference.
        "tau_ap": np.array([(both_ways[a, b] + both_ways[b, a]) / 2 for a, b in COMPARED]),
        "swapped": np.array([discordant[a, b] for a, b in COMPARED]),
    }


def _pairs(topic_scores: Vector) -> dict[str, Any]:
    pairs = all_pairs(topic_scores.shape[1])
    outcomes = [compare(paired_t, pairs, topic_scores[choice]) for choice in (0, 1)]
    return {
        "candidates": pairs.candidates.astype(np.int32),
        "baselines": pairs.baselines.astype(np.int32),
        "differences": np.array(
            [
                _mean(
                    topic_scores[choice][pairs.candidates] - topic_scores[choice][pairs.baselines]
                )
                for choice in (0, 1)
            ]
        ),
        "p_values": np.array([correct(each.p_values, "holm") for each in outcomes]),
    }


def _families(shifts: Vector, families: Sequence[str]) -> dict[str, Any]:
    # A run without a family is among the others of every family.
    names = sorted({family for family in families if family})
    own, others = np.empty((2, len(names), shifts.shape[-1]))
    for row, name in enumerate(names):
        own[row], others[row] = family_shifts(shifts, np.array([each == name for each in families]))
    outcomes = paired_t(own - others)
    return {
        "families": np.array(names, np.str_),
        "shifts": np.array(
            [
                np.array([families.count(name) for name in names], float),
                outcomes.topics.astype(float),
                _mean(own),
                _mean(others),
                correct(outcomes.p_values, "holm"),
            ]
        ),
    }


def _kinds(
    people: NDArray[np.int16],
    program: NDArray[np.int16],
    runs: Sequence[Run],
    places: Sequence[JudgedPlaces],
) -> dict[str, Any]:
    """Over the first KIND_DEPTH documents of the runs of a kind; a document can be of several."""
    common = (people >= 0) & (program >= 0)
    names = sorted({run.run_type for run in runs})
    figures = []
    for name in names:
        of_kind = [place for run, place in zip(runs, places, strict=True) if run.run_type == name]
        chosen = common & (first_positions(of_kind, len(people)) < KIND_DEPTH)
        found = group_agreement("kind of run", name, people[chosen], program[chosen])
        # Without scope and name. As a float, None becomes NaN.
        figures.append(list(vars(found).values())[2:])
    return {
        "kinds": np.array(names, np.str_),
        "kind_figures": np.array(figures, dtype=float).reshape(len(names), 9),
    }


def _mean(values: Vector) -> Vector:
    """float64[rows]: means over the topics that are defined, NaN without any."""
    known = ~np.isnan(values)
    with np.errstate(divide="ignore", invalid="ignore"):
        means: Vector = np.where(known, values, 0.0).sum(axis=-1) / known.sum(axis=-1)
    return means


PROGRAM_BOARDS: Final = declare(
    Study(
        kind="program_boards",
        title="leaderboards by people and by a program",
        question=OfProgram,
        compute=compute,
        result=BoardsByProgram,
        reads=Reads.RANKINGS | Reads.RULES | Reads.JUDGMENTS,
        seconds=lambda size, _: size.reading,
    )
)
