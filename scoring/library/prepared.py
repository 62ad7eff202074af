"""Runs and qrels that were read, made ready for computing."""

from typing import Final

import numpy as np

from campaigns.trec.problems import shown
from campaigns.trec.qrels import ParsedQrels
from campaigns.trec.runs import ParsedRun
from scoring.core.data.judgments import JudgmentTable, build_table
from scoring.core.data.ranking import Ranking, rank
from scoring.core.data.unmatched import first_cells, longer_ids

_NAMED: Final = 10  # topics of a warning


def judgment_table(
    qrels: ParsedQrels, *, highest_grade: int = 1, in_file_order: bool = False
) -> JudgmentTable:
    """Judgments ready for look-up, topics in ascending order of bytes, as trec_eval prints them, or
    in that of the file. No campaign declares a scale here: it ends at the highest grade of the
    file, or at `highest_grade` if that is higher."""
    return build_table(
        topics=qrels.topics if in_file_order else sorted(qrels.topics, key=str.encode),
        qrels_topics=qrels.topics,
        topic_index=qrels.topic_index,
        doc_ids=qrels.doc_ids,
        grades=qrels.grades,
        highest_grade=max(highest_grade, int(np.max(qrels.grades, initial=1))),
    )


def topics_without_grades(table: JudgmentTable) -> str:
    """A warning: what nobody judged is in no mean, and the scores do not show it. Empty if every
    topic is judged."""
    left_out = [table.topics[row] for row in np.flatnonzero(~table.is_judged_topic).tolist()]
    if not left_out:
        return ""
    topics = "1 topic has" if len(left_out) == 1 else f"{len(left_out):,} topics have"
    named = ", ".join(left_out[:_NAMED]) + (", ..." if len(left_out) > _NAMED else "")
    return f"{topics} no grade of 0 or more, and no part in any mean: {named}"


def none_judged(run: ParsedRun, table: JudgmentTable) -> str:
    """What to say of a run that has topics of the table and no judged document."""
    row_of_topic = np.array([table.row_of.get(topic, -1) for topic in run.topics], np.int32)
    rows = row_of_topic[run.topic_index]
    cells = first_cells(rows, run.doc_ids)
    row, doc_id = cells[0]
    judged = table.doc_ids[(table.rows == row) & (table.grades >= 0)].tolist()
    example = f"for topic {shown(table.topics[row])} the run has {shown(doc_id)}"
    example += f", the qrels have {shown(min(judged))}" if judged else ""
    found = longer_ids(table, cells)
    cause = "Are these the right qrels, and has the run documents where the qrels have passages?"
    if found is not None:
        cause = (
            f"{found.count:,} of {found.looked_at:,} would be judged if the ids of the {found.side}"
            f" ended before their last '{found.separator}', as those of passages do"
        )
    return f"no document of the run is judged: {example}. {cause}"


def rank_run(run: ParsedRun, *, max_depth: int | None = None) -> Ranking:
    """The run in the order of its scores, at most this many documents a topic."""
    return rank(
        topics=run.topics,
        topic_index=run.topic_index,
        doc_ids=run.doc_ids,
        retrieval_scores=run.retrieval_scores,
        max_depth=max_depth,
    )
