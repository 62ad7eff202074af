"""The judgments so far as the content of a qrels version, with their provenance."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from campaigns.judging.final_grades import FinalGrade, Key, final_grades
from campaigns.judging.gold import gold_keys
from campaigns.judging.pool_files import IMPORTED
from campaigns.models import Campaign, Plan, Qrels
from campaigns.qrels.files import Content, judgments_of, uploaded_content
from campaigns.trec.problems import FormatError


def frozen_content(campaign: Campaign, *, without_gold: bool = False) -> Content | None:
    """All judgments of people so far, ordered by topic and document, or None if there are none. If
    the latest plan starts from a version, the judgments replace or extend those of that version.
    Leaves out gold documents on request."""
    judged = final_grades(campaign.judgments.all())
    gold = gold_keys(campaign) & judged.keys()
    if without_gold:
        judged = {key: final for key, final in judged.items() if key not in gold}
    if not judged:
        return None
    plans = list(campaign.plans.select_related("starts_from").order_by("pk"))
    base = plans[-1].starts_from if plans else None
    before = _grades_of(base, campaign) if base else {}
    grades = before | {key: final.grade for key, final in judged.items()}
    lines = (f"{key[1]} 0 {key[2]} {grades[key]}\n" for key in sorted(grades))
    content = generated_content(campaign, lines)
    provenance = _judgment_counts(campaign, judged) | _plan_facts(plans)
    if gold:
        provenance["gold"] = {"documents": len(gold), "is_left_out": without_gold}
    if base:
        provenance["laid_over"] = {
            "version": base.version,
            "judgments": base.judgment_count,
            # A grade below 0 is no judgment, so there is nothing to replace.
            "replaced": sum(before.get(key, -1) >= 0 for key in judged),
        }
    return replace(content, provenance=provenance)


def generated_content(campaign: Campaign, lines: Iterable[str]) -> Content:
    """The lines of a version, checked like those of an uploaded file."""
    try:
        return uploaded_content(campaign, "".join(lines).encode(), is_confirmed=True, is_own=True)
    except FormatError as error:  # the lines of this generated file mean nothing to users
        problems = [replace(problem, line=None) for problem in error.problems]
        raise FormatError(problems, error.total) from error


def _grades_of(base: Qrels, campaign: Campaign) -> dict[Key, int]:
    """The grades of a version, without topics that the campaign no longer has."""
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


def _judgment_counts(campaign: Campaign, judged: Mapping[Key, FinalGrade]) -> dict[str, Any]:
    """Counts without names of assessors, because a version may be published."""
    by_assessor = Counter(who for final in judged.values() for who in final.by_assessor)
    count = campaign.judgments.count()
    judgments = campaign.judgments.filter(is_adjudication=False).order_by("at", "pk")
    rows = judgments.values_list("assessor", "topic", "doc_id", "grade", "task", "key")
    latest = {(who, topic, doc_id): rest for who, topic, doc_id, *rest in rows}
    imported = sum(
        # Judgments that an old release imported lack this key, and have no task.
        grade is not None and (task is None or key.startswith(IMPORTED))
        for grade, task, key in latest.values()
    )
    return {
        "judgments": count,
        "from_outside": imported,
        "documents": len(judged),
        "assessors": len(by_assessor),
        "by_assessor": sorted(by_assessor.values(), reverse=True),
        "judged_twice": sum(len(final.by_assessor) > 1 for final in judged.values()),
        "disagreed": sum(final.is_disputed for final in judged.values()),
        "decided": sum(final.decided is not None for final in judged.values()),
    }


def _plan_facts(plans: Sequence[Plan]) -> dict[str, Any]:
    """How each plan selected its documents. Empty if there was no plan."""
    facts = [
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
    return {"plans": facts} if facts else {}
