"""A board of five thousand runs: to read, to test, to score again."""

import time

from tests.load.clients import Answers, closed_loop
from tests.load.costs import OTHER_QRELS, failed, settle, work_left
from tests.load.figures import Figure, Figures, at_most, none_of
from tests.load.readers import place
from tests.stack.submissions import fetch
from trackside.stack import Stack

RUNS, TOPICS, DOCUMENTS = 5000, 50, 100
USERS, READERS, SECONDS = 16, 4, 10
PATIENCE = 900

# Every run gets one and the same ranking: what it costs to score it again is the same.
RANKINGS = """
import numpy as np
from campaigns.models import Campaign
from scoring.core.data.ranking import rank
from scoring.evaluation.storage import store_ranking
from scoring.models import StoredRanking
campaign = Campaign.objects.get(slug="{slug}")
topics = [str(code) for code in range({topics})]
docs = np.array([b"d%d" % number for number in range({documents})])
ranking = rank(topics=topics, topic_index=np.repeat(np.arange({topics}, dtype=np.int32),
    {documents}), doc_ids=np.tile(docs, {topics}),
    retrieval_scores=np.tile(np.arange({documents}, 0.0, -1.0), {topics}))
StoredRanking.objects.bulk_create(StoredRanking(run=run, topic_count={topics},
    document_count={topics} * {documents}, tied_count=0, longest={documents},
    **store_ranking(ranking)._asdict()) for run in campaign.runs.all())
"""


def wide(stack: Stack) -> Figures:
    """The pairs of all of them would be 12.5 million; the best thousand are tested."""
    began = time.monotonic()
    place(stack, "wide", runs=RUNS, topics=TOPICS)
    yield Figure(f"{RUNS} runs placed, and the best tested, after", f"{_since(began)} s")
    here = "/campaigns/wide/leaderboard/"
    for name, path in (("first page", here), ("last page", f"{here}?page={RUNS // 250}")):
        read = closed_loop(stack.port, path, users=USERS, seconds=SECONDS)
        yield Figure(f"board of {RUNS} runs, {name}, requests/s", f"{read.per_second:.0f}")
        yield at_most("its answers, p95", 1000 * read.p95, 300, "ms")
        yield none_of("other than 200", sum(status != 200 for status in read.statuses))
    tested = fetch(stack.port, "/campaigns/wide/significance/")
    yield Figure("page of the matrix, kB", f"{len(tested[1]) / 1e3:.0f}")
    yield none_of("other than 200", int(tested[0] != 200))
    yield from _again(stack, here)


def _again(stack: Stack, board: str) -> Figures:
    """All under other qrels, while some read."""
    script = RANKINGS.format(slug="wide", topics=TOPICS, documents=DOCUMENTS)
    stack.manage("shell", "--verbosity", "0", "-c", script)
    began = time.monotonic()
    stack.manage("shell", "--verbosity", "0", "-c", OTHER_QRELS.format(slug="wide"))
    meanwhile = Answers()
    while work_left(stack):
        read = closed_loop(stack.port, board, users=READERS, seconds=5, pause=1)
        meanwhile.seconds += read.seconds
        meanwhile.statuses += read.statuses
        if time.monotonic() - began > PATIENCE:
            break
    settle(stack)
    yield Figure("all scored again, and the best tested, after", f"{_since(began)} s")
    yield none_of("jobs that failed", failed(stack))
    if meanwhile.seconds:
        yield Figure("the board meanwhile, p95", f"{1000 * meanwhile.p95:.0f} ms")
    yield none_of("other than 200", sum(status != 200 for status in meanwhile.statuses))


def _since(began: float) -> str:
    return f"{time.monotonic() - began:.0f}"
