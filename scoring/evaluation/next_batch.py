"""Whether a judging plan that depends on judgments should choose its next documents."""

from campaigns.models import Claim, Plan
from scoring.models import Job

LIVE = (Job.State.WAITING, Job.State.RUNNING)


def is_due(plan: Plan) -> bool:
    """Whether the plan is open and has documents left, no job is choosing them, and a document was
    judged or skipped since the last job."""
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
