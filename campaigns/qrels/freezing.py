"""The judgments made so far as the content of a qrels version, and where they come from."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from campaigns.judging.final_grades import FinalGrade, Key, final_grades
from campaigns.judging.pool_files import FROM_OUTSIDE
from campaigns.models import Campaign, Plan, Qrels
from campaigns.qrels.files import Content, judgments_of, uploaded_content
from campaigns.trec.problems import FormatError


def frozen_content(campaign: Campaign) -> Content | None:
    """All judgments made so far, by topic and document; None where there are none. Where the latest
    plan starts from a version, that version with these judgments laid over it."""
    judged = final_grades(campaign.judgments.all())
    if not judged:
        return None
    plans = list(campaign.plans.select_related("starts_from").order_by("pk"))
    base = plans[-1].starts_from if plans else None
    before = _grades_of(base, campaign) if base else {}
    grades = before | {key: found.grade for key, found in judged.items()}
    lines = (f"{key[1]} 0 {key[2]} {grades[key]}\n" for key in sorted(grades))
    try:
        content = uploaded_content(campaign, "".join(lines).encode(), is_confirmed=True)
    except FormatError as error:  # nobody has seen this file: its lines say nothing
        unlined = [replace(problem, line=None) for problem in error.problems]
        raise FormatError(unlined, error.total) from error
    provenance = _of_judgments(campaign, judged) | _of_plans(plans)
    if base:
        provenance["laid_over"] = {
            "version": base.version,
            "judgments": base.judgment_count,
            "replaced": sum(before.get(key, -1) >= 0 for key in judged),
        }
    return replace(content, provenance=provenance)


def _grades_of(base: Qrels, campaign: Campaign) -> dict[Key, int]:
    """What a version says, without topics that the campaign has no longer."""
    parsed = judgments_of(base)
    positions = dict(campaign.topics.values_list("code", "position"))
    return {
        (positions[parsed.topics[topic]], parsed.topics[topic], doc_id.decode()): grade
        for topic, doc_id, grade in zip(
            parsed.topic_index.tolist(),
            parsed.doc_ids.tolist(),
            parsed.grades.tolist(),
            strict=True,
        )
        if parsed.topics[topic] in positions
    }


def _of_judgments(campaign: Campaign, judged: Mapping[Key, FinalGrade]) -> dict[str, Any]:
    """Counts; assessors are counted and not named, for a version may be published."""
    by_assessor = Counter(who for found in judged.values() for who in found.by_assessor)
    return {
        "judgments": campaign.judgments.count(),
        "from_outside": _from_outside(campaign),
        "documents": len(judged),
        "assessors": len(by_assessor),
        "by_assessor": sorted(by_assessor.values(), reverse=True),
        "judged_twice": sum(len(found.by_assessor) > 1 for found in judged.values()),
        "disagreed": sum(found.is_disputed for found in judged.values()),
        "decided": sum(found.decided is not None for found in judged.values()),
    }


def _from_outside(campaign: Campaign) -> int:
    """Of the judgments that stand. Those brought in before they were marked have no task."""
    made = campaign.judgments.filter(is_adjudication=False).order_by("at", "pk")
    acts = made.values_list("assessor", "topic", "doc_id", "grade", "task", "key")
    latest = {(who, topic, doc_id): rest for who, topic, doc_id, *rest in acts}
    return sum(
        grade is not None and (task is None or key.startswith(FROM_OUTSIDE))
        for grade, task, key in latest.values()
    )


def _of_plans(plans: Sequence[Plan]) -> dict[str, Any]:
    """How the documents were chosen, plan after plan; nothing where there was none."""
    told = [
        {
            "method": plan.method,
            "persistence": plan.persistence,
            "scope": plan.scope,
            "budget": plan.budget,
            "laid_out": plan.laid_out,
            "batch": plan.batch,
            "overlap_percent": plan.overlap_percent,
            "lowest_priority": plan.lowest_priority,
            "is_shuffled": plan.is_shuffled,
        }
        for plan in plans
    ]
    return {"plans": told} if told else {}
