"""How far a program agrees with people, on the documents that both judged: in all, by topic, and by
the grade that people gave."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from campaigns.judging.final_grades import final_grades_now
from campaigns.judging.program_judgments import grades_of
from campaigns.models import Campaign, Program
from scoring.core.data.grades import UNJUDGED
from scoring.core.statistics.assessor_agreement import (
    cohen_kappa,
    confusion_matrix,
    krippendorff_alpha,
    raw_agreement,
)
from scoring.core.statistics.undefined import none_if_nan

Grades = NDArray[np.int16]


@dataclass(frozen=True, eq=False)
class BothGrades:
    """The grade that counts of people, and the program's latest one; UNJUDGED without a grade."""

    documents: tuple[tuple[int, str, str], ...]  # topic position, topic code, document
    people: Grades  # int16[documents]
    program: Grades  # int16[documents]

    @property
    def topics(self) -> NDArray[np.int64]:
        """int64[documents]: the topic's position."""
        return np.array([position for position, _, _ in self.documents], np.int64)

    @property
    def is_common(self) -> NDArray[np.bool_]:
        return (self.people >= 0) & (self.program >= 0)


@dataclass(frozen=True)
class GroupAgreement:
    """Some of the documents that both judged. `scope` is campaign, topic, grade or kind of run, and
    `name` which one. A program is harsher where its grade is lower than that of people. None if a
    figure is not defined."""

    scope: str
    name: str
    documents: int
    equal: int
    harsher: int
    kinder: int
    mean_difference: float | None  # the program's grade minus that of people
    raw: float | None
    kappa: float | None
    kappa_linear: float | None
    alpha: float | None  # by the order of grades


@dataclass(frozen=True)
class ProgramAgreement:
    whole: GroupAgreement
    by_topic: tuple[GroupAgreement, ...]
    by_grade: tuple[GroupAgreement, ...]
    confusion: tuple[tuple[int, ...], ...]  # rows: people; columns: the program
    only_people: int  # documents
    only_program: int

    @property
    def harshest(self) -> GroupAgreement | None:
        """The topic on which the program's grades are lowest compared with those of people."""
        return min(self.by_topic, key=_difference, default=None)

    @property
    def kindest(self) -> GroupAgreement | None:
        return max(self.by_topic, key=_difference, default=None)


def both_grades(campaign: Campaign, program: Program) -> BothGrades:
    """Every document that either judged. Three queries at most."""
    people = final_grades_now(campaign)
    of_program = grades_of(program)
    documents = tuple(sorted(people.keys() | of_program.keys()))
    final = [people[key].grade if key in people else None for key in documents]
    return BothGrades(
        documents=documents,
        people=np.array([UNJUDGED if grade is None else grade for grade in final], np.int16),
        program=np.array([of_program.get(key, UNJUDGED) for key in documents], np.int16),
    )


def program_agreement(campaign: Campaign, program: Program) -> ProgramAgreement:
    grades = both_grades(campaign, program)
    people, of_program, common = grades.people, grades.program, grades.is_common
    topics = grades.topics
    codes = {position: code for position, code, _ in grades.documents}
    confusion = confusion_matrix(people, of_program, highest_grade=campaign.highest_grade)
    return ProgramAgreement(
        whole=group_agreement("campaign", "", people[common], of_program[common]),
        by_topic=tuple(
            group_agreement("topic", code, people[chosen], of_program[chosen])
            for position, code in sorted(codes.items())
            if (chosen := common & (topics == position)).any()
        ),
        # Without coefficients: where people give one grade only, chance explains every agreement.
        by_grade=tuple(
            replace(
                group_agreement("grade", str(grade), people[chosen], of_program[chosen]),
                kappa=None,
                kappa_linear=None,
                alpha=None,
            )
            for grade in range(campaign.highest_grade + 1)
            if (chosen := common & (people == grade)).any()
        ),
        confusion=tuple(map(tuple, confusion.tolist())),
        only_people=int(((people >= 0) & (of_program < 0)).sum()),
        only_program=int(((people < 0) & (of_program >= 0)).sum()),
    )


def group_agreement(scope: str, name: str, people: Grades, program: Grades) -> GroupAgreement:
    """Of documents that both judged."""
    difference = program.astype(np.int64) - people
    both = np.array([people, program])
    return GroupAgreement(
        scope=scope,
        name=name,
        documents=len(people),
        equal=int((difference == 0).sum()),
        harsher=int((difference < 0).sum()),
        kinder=int((difference > 0).sum()),
        mean_difference=float(difference.mean()) if len(people) else None,
        raw=none_if_nan(raw_agreement(both)),
        kappa=none_if_nan(cohen_kappa(people, program)),
        kappa_linear=none_if_nan(cohen_kappa(people, program, weights="linear")),
        alpha=none_if_nan(krippendorff_alpha(both, level="ordinal")),
    )


def _difference(group: GroupAgreement) -> float:
    return group.mean_difference or 0.0
