"""Qrels versions that contain judgments of a program, with the statement that they carry.

Field 2 of their lines says who judged: 0 is people, and 1 is the program.
"""

from dataclasses import replace

from campaigns.errors import NothingJudged
from campaigns.judging.final_grades import Key
from campaigns.judging.gold import gold_keys
from campaigns.judging.program_judgments import grades_of
from campaigns.models import Campaign, Program, Qrels, Topic
from campaigns.qrels.files import Content
from campaigns.qrels.freezing import frozen_content, generated_content

_Sources = Qrels.Sources


def content_with_program(
    campaign: Campaign, program: Program, sources: Qrels.Sources, *, without_gold: bool
) -> Content:
    """The judgments of the program alone, or after those of people, for the documents that nobody
    has judged. Raises `NothingJudged` if the program adds none."""
    people = None
    if sources == _Sources.PEOPLE_THEN_PROGRAM:
        people = frozen_content(campaign, without_gold=without_gold)
    known = _grades_in(campaign, people) if people else {}
    # A grade below 0 is no judgment, so the program may judge these.
    judged = {key for key, grade in known.items() if grade >= 0}
    gold = gold_keys(campaign) if without_gold else set()
    added = {
        key: grade
        for key, grade in grades_of(program).items()
        if key not in judged and key not in gold
    }
    if not added:
        raise NothingJudged(f"{program.name} has judged no document that the version lacks.")
    by_people, by_program = Qrels.BY_PEOPLE.decode(), Qrels.BY_PROGRAM.decode()
    content = generated_content(
        campaign,
        (
            f"{key[1]} {by_program if key in added else by_people} {key[2]} {grade}\n"
            for key, grade in sorted((known | added).items())
        ),
    )
    return replace(content, provenance=people.provenance if people else {}).with_program(
        sources,
        _statement(program, sources, len(judged), len(added)),
        [
            {
                "name": program.name,
                "model": program.model,
                "version": program.version,
                "prompt_sha256": program.prompt_digest,
                "run_by": program.run_by,
                "run_on": program.run_on.isoformat(),
                "documents": len(added),
            }
        ],
    )


def _statement(program: Program, sources: Qrels.Sources, people: int, added: int) -> str:
    """The counts by source, and which program it was."""
    by_people = f"{people:,} judgment{' is' if people == 1 else 's are'} by people"
    if sources == _Sources.PROGRAM:
        counts = "The judgment is" if added == 1 else f"All {added:,} judgments are"
        counts += " by a program."
    else:
        counts = f"{by_people}, and {added:,} by a program, for documents that nobody judged."
    return f"{counts} {program.statement}."


def _grades_in(campaign: Campaign, content: Content) -> dict[Key, int]:
    parsed = content.parsed
    positions = dict(Topic.objects.filter(campaign=campaign).values_list("code", "position"))
    return {
        (positions[parsed.topics[topic]], parsed.topics[topic], doc_id.decode()): grade
        for topic, doc_id, grade in zip(
            parsed.topic_index.tolist(),
            parsed.doc_ids.tolist(),
            parsed.grades.tolist(),
            strict=True,
        )
    }
