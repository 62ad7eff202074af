"""Campaigns whose runs propose documents; the bell is only noted."""

from collections.abc import Mapping, Sequence

from campaigns.models import Campaign, Run
from campaigns.trec.runs import read_run
from scoring.evaluation.storage import store_ranking
from scoring.library.prepared import rank_run
from scoring.models import StoredRanking
from tests.making import make_run

# The paper's Table 1: four runs of one topic, best document first.
TABLE_1 = (
    ("18", "22", "15", "13", "11", "25", "10", "84"),
    ("22", "10", "11", "19", "38", "18", "33", "17"),
    ("21", "35", "16", "11", "38", "33", "18", "17"),
    ("10", "18", "11", "22", "87", "13", "17", "20"),
)


def ranked_run(
    campaign: Campaign, lists: Mapping[str, Sequence[str]], *, tag: str, **facts: object
) -> Run:
    """An accepted run with these documents by topic, in this order, and its stored ranking."""
    lines = [
        f"{topic} Q0 {doc_id} {rank} {1000 - rank} {tag}\n"
        for topic, doc_ids in lists.items()
        for rank, doc_id in enumerate(doc_ids, start=1)
    ]
    parsed = read_run("".join(lines).encode(), known_topics=list(lists))
    ranking = rank_run(parsed)
    run = make_run(campaign, tag=tag, **facts)
    StoredRanking.objects.create(
        run=run,
        **store_ranking(ranking)._asdict(),
        topic_count=len(lists),
        document_count=len(lines),
        tied_count=0,
        longest=max(map(len, lists.values())),
    )
    return run


def table_1(campaign: Campaign) -> list[Run]:
    """The four runs of the paper's Table 1, in a campaign with a topic "1"."""
    return [
        ranked_run(campaign, {"1": documents}, tag=f"run{number}", public_id=f"table1-{number}")
        for number, documents in enumerate(TABLE_1, start=1)
    ]
