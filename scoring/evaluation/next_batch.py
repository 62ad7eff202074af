"""When a plan that chooses as judgments come is to choose again."""

from campaigns.models import Claim, Plan
from scoring.models import Job

LIVE = (Job.State.WAITING, Job.State.RUNNING)


def is_due(plan: Plan) -> bool:
    """Whether choosing now would choose something else than the last time: an open plan with
    documents left, nobody at it, and a judgment or a skip since it was last asked for."""
    if plan.state != Plan.State.OPEN or plan.is_laid_out:
        return False
    last = Job.objects.filter(kind=Job.Kind.LAY_OUT, subject=plan.pk).order_by("-pk").first()
    if last is None:
        return True
    if last.state in LIVE:
        return False
    skipped = Claim.objects.filter(task__plan=plan, end=Claim.End.SKIPPED)
    return (
        plan.campaign.judgments.filter(at__gt=last.created_at).exists()
        or skipped.filter(until__gt=last.created_at).exists()
    )
