"""The stratified sample of a plan: which documents people judge, and with which probabilities.

It is drawn from the first documents of each topic of the contributing runs, by a seed that depends
on nothing but the campaign and the number of its earlier plans. So the forecast of a plan shows the
documents of the plan itself.
"""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from campaigns.models import Campaign, Plan, Run, Sample, SampledDocument, Task
from scoring.core.judging.candidates import Candidates, collect_candidates, find_candidates
from scoring.core.sampling import drawing
from scoring.core.sampling.design import design_sample
from scoring.core.sampling.sizes import ap_rank_weights, document_sizes, rbp_rank_weights
from scoring.core.statistics.means import required_depth
from scoring.evaluation.lru import LRUCache
from scoring.evaluation.storage import load_ranking
from scoring.judging.candidates import RunCandidates, id_array

FEWEST_RANKS: Final = 100
NEGLIGIBLE: Final = 1e-4  # of RBP: deeper documents are not sampled
ROWS_AT_ONCE: Final = 1000
DOCUMENTS: Final[LRUCache[dict[tuple[str, str], None]]] = LRUCache(room=500_000)


@dataclass(frozen=True, eq=False)
class DrawnSample:
    """The documents in the order in which they are judged, which is random."""

    seed: int
    sample: drawing.Sample
    order: NDArray[np.int64]  # int64[documents], of `sample.documents`
    runs: tuple[tuple[str, str], ...] = ()  # public id and digest of the ranking of each

    @property
    def documents(self) -> NDArray[np.int64]:
        """int64[documents]: candidates."""
        return self.sample.documents[self.order]

    def rows(self, tasks: Sequence[Task]) -> list[SampledDocument]:
        """Of the tasks of `documents`."""
        certain = len(self.sample.certain)
        # Stratum 0 has the documents that are certain; every pair is a stratum of its own.
        strata = np.append(
            np.zeros(certain, np.int64), np.repeat(np.arange(len(self.sample.pairs)) + 1, 2)
        )
        joint = np.append(np.ones(certain), np.repeat(self.sample.joint, 2))
        columns = (strata, self.sample.document_probabilities, joint)
        cells = (column[self.order].tolist() for column in columns)
        return [
            SampledDocument(
                task=task, stratum=stratum, probability=probability, joint_probability=both
            )
            for task, stratum, probability, both in zip(tasks, *cells, strict=True)
        ]


@dataclass(frozen=True, eq=False)
class PlanSample:
    """A plan's sample, with the candidates from which it was drawn."""

    run_ids: tuple[str, ...]  # in the order of the runs of the candidates
    depth: int  # documents of each topic of a run
    candidates: Candidates
    sample: drawing.Sample


def depth_sampled(persistence: float) -> int:
    return max(FEWEST_RANKS, required_depth(persistence, NEGLIGIBLE))


def rank_weights(method: str, persistence: float) -> NDArray[np.float64]:
    """float64[depth]: to which the probabilities of documents are proportional."""
    depth = depth_sampled(persistence)
    is_ap = method == Plan.Method.AP_SAMPLE
    return ap_rank_weights(depth) if is_ap else rbp_rank_weights(persistence, depth)


def seed_of(campaign: Campaign, *, before: Plan | None = None) -> int:
    """Of the next plan, or of this one, as it was the next `before` it was created. One query."""
    earlier = campaign.plans.all() if before is None else campaign.plans.filter(pk__lt=before.pk)
    # Python's own hash of a text differs from process to process.
    return zlib.crc32(f"{campaign.slug}/{earlier.count()}".encode())


def draw(
    candidates: Candidates, method: str, persistence: float, *, budget: int, seed: int
) -> DrawnSample:
    """Raises ValueError for a budget below two documents for each topic."""
    sizes = document_sizes(candidates, rank_weights(method, persistence))
    sample = drawing.draw_sample(design_sample(candidates, sizes, budget=budget), seed=seed)
    order = np.random.default_rng(seed).permutation(len(sample.documents))
    return DrawnSample(seed, sample, order)


def draw_for(plan: Plan, offered: RunCandidates) -> DrawnSample:
    """The documents of a plan. Raises ValueError as `draw`."""
    seed = seed_of(plan.campaign, before=plan)
    drawn = draw(offered.candidates, plan.method, plan.persistence, budget=plan.budget, seed=seed)
    return replace(drawn, runs=tuple(zip(offered.run_ids, offered.digests, strict=True)))


def keep(plan: Plan, drawn: DrawnSample, tasks: Sequence[Task]) -> None:
    """Stores what was drawn from which runs, and the probabilities of the tasks."""
    Sample.objects.create(
        plan=plan,
        seed=drawn.seed,
        depth=depth_sampled(plan.persistence),
        runs=[list(run) for run in drawn.runs],
    )
    SampledDocument.objects.bulk_create(drawn.rows(tasks), batch_size=ROWS_AT_ONCE)


def load_sample(plan: Plan) -> PlanSample | None:
    """None if a ranking from which it was drawn has changed, because the topics have. Three
    queries."""
    stored = Sample.objects.get(plan=plan)
    runs = Run.objects.filter(public_id__in=[run_id for run_id, _ in stored.runs])
    ranked = runs.filter(ranking__isnull=False).select_related("ranking")
    rankings = {run.public_id: run.ranking for run in ranked}
    now = {run_id: ranking.digest for run_id, ranking in rankings.items()}
    if now != dict(stored.runs):
        return None
    topics = tuple(plan.campaign.topics.order_by("position").values_list("code", flat=True))
    candidates = collect_candidates(
        [load_ranking(rankings[run_id]) for run_id, _ in stored.runs],
        topics=topics,
        depth=stored.depth,
    )
    # First the certain documents, of stratum 0; then both of each pair beside each other.
    documents = SampledDocument.objects.filter(task__plan=plan).order_by("stratum", "pk")
    fields = ("task__topic__position", "task__doc_id", "stratum", "probability")
    rows, ids, strata, probabilities, joint = zip(
        *documents.values_list(*fields, "joint_probability"), strict=True
    )
    places = find_candidates(candidates, np.array(rows, np.int32), id_array(ids))
    certain = strata.count(0)
    sample = drawing.Sample(
        certain=places[:certain],
        pairs=places[certain:].reshape(-1, 2),
        probabilities=np.array(probabilities[certain:], np.float64).reshape(-1, 2),
        joint=np.array(joint[certain::2], np.float64),
    )
    return PlanSample(tuple(run_id for run_id, _ in stored.runs), stored.depth, candidates, sample)


def drawn_from(plan: Plan) -> Mapping[tuple[str, str], None]:
    """Topic and document of all candidates, as the keys of a mapping; empty without a sample. The
    last ones are cached."""
    stored = Sample.objects.filter(plan=plan).first()
    if stored is None:
        return {}
    known = DOCUMENTS.get(str(stored.pk))
    if known is None and (found := load_sample(plan)):
        topics, every = found.candidates.topics, found.candidates
        pairs = zip(every.topic_rows.tolist(), every.doc_ids.tolist(), strict=True)
        known = dict.fromkeys((topics[row], doc_id.decode()) for row, doc_id in pairs)
        DOCUMENTS.keep(str(stored.pk), known, len(known))
    return known or {}
