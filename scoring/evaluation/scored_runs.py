"""The runs of a leaderboard with their rankings, and the mean that it shows of a run's scores."""

from campaigns.models import Campaign, Qrels, Run
from scoring.core.data.judgments import JudgmentTable
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.graded import Scores
from scoring.core.measures.measure import Measure
from scoring.core.statistics.means import Mean, mask_excluded, mean_scores
from scoring.evaluation.rules import ScoringRules, rules_of
from scoring.models import Evaluation, TieRule


def ranked_and_scored(campaign: Campaign, qrels: Qrels) -> list[Run]:
    """The runs on the leaderboard, by public id, with team and ranking. One query."""
    scored = Evaluation.objects.filter(
        qrels=qrels,
        definitions=rules_of(campaign).digest,
        tie_rule=TieRule.DOCNO,
        scored_at__isnull=False,
    )
    runs = campaign.runs.ranked().filter(pk__in=scored.values("run"), ranking__isnull=False)
    return list(runs.select_related("ranking", "team").order_by("public_id"))


def board_mean(scores: Scores, measure: Measure, table: JudgmentTable, rules: ScoringRules) -> Mean:
    """The mean over the topics that the leaderboard counts."""
    included = rules.topics_of_board(measure, table.topics, table.grade_counts)
    return mean_scores(mask_excluded(scores, included), included, family_of(measure).summary)
