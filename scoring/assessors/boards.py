"""The leaderboards of single assessors compared, computed by a worker."""

from dataclasses import dataclass

from campaigns.access import Viewer
from campaigns.models import User
from scoring.analyses.requests import request_analysis
from scoring.analyses.studies import OfMeasure
from scoring.assessors.analysis import ASSESSOR_BOARDS, OTHERS, BoardsByAssessor
from scoring.core.measures.measure import Measure
from scoring.core.statistics.undefined import none_if_nan
from scoring.models import Analysis


@dataclass(frozen=True)
class TwoBoards:
    """`second` is None for all others together; numbers are None if not defined."""

    first: User
    second: User | None
    topics: int
    tau: float | None
    tau_ap: float | None
    swapped: int  # pairs of runs
    run_pairs: int
    first_mean: float | None
    second_mean: float | None


def request_boards(viewer: Viewer, measure: Measure) -> Analysis:
    """The analysis of the leaderboard by each assessor, which depends on the judgments made so far.
    The viewer must be an organiser."""
    return request_analysis(viewer, None, ASSESSOR_BOARDS, OfMeasure(str(measure)))


def two_boards(result: BoardsByAssessor) -> list[TwoBoards]:
    """A row for each comparison. One query."""
    # The ids are floats, as all columns of the result.
    ids = {int(who) for who in (*result.first, *result.second)} - {OTHERS}
    people = User.objects.in_bulk(ids)
    return [
        TwoBoards(
            first=people[int(result.first[row])],
            # OTHERS is no id of a person.
            second=people.get(int(result.second[row])),
            topics=int(result.topics[row]),
            tau=none_if_nan(result.tau[row]),
            tau_ap=none_if_nan(result.tau_ap[row]),
            swapped=int(result.swapped[row]),
            run_pairs=int(result.run_pairs[row]),
            first_mean=none_if_nan(result.first_mean[row]),
            second_mean=none_if_nan(result.second_mean[row]),
        )
        for row in range(len(result.first))
    ]
