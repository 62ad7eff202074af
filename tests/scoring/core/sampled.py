"""Small campaigns of which every possible sample can be listed."""

from itertools import combinations, product

import numpy as np

from scoring.core.data.ranking import rank
from scoring.core.judging.candidates import collect_candidates
from scoring.core.sampling.design import CERTAIN, joint_probability
from scoring.core.sampling.drawing import Sample


def ranking(**topics):
    """`ranking(t1="a b c")`: documents best first."""
    names = list(topics)
    lists = [topics[name].split() for name in names]
    return rank(
        topics=names,
        topic_index=np.repeat(np.arange(len(names), dtype=np.int32), [len(each) for each in lists]),
        doc_ids=np.array([doc_id.encode() for each in lists for doc_id in each]),
        retrieval_scores=np.concatenate([-np.arange(len(each), dtype=float) for each in lists]),
    )


def small_campaign():
    """Three runs, two topics, 17 documents."""
    return collect_candidates(
        [
            ranking(t1="a b c d e f g", t2="m n o p"),
            ranking(t1="d a x y b", t2="o q m r s"),
            ranking(t1="h c a", t2="s r m n"),
        ],
        topics=["t1", "t2"],
    )


def joint_probabilities(probabilities):
    """float64[documents, documents] of a stratum, on the diagonal the probabilities themselves."""
    joint = joint_probability(probabilities, probabilities[:, None], probabilities)
    np.fill_diagonal(joint, probabilities)
    return joint


def every_sample(design):
    """Every sample that can be drawn, with its probability."""
    certain = np.flatnonzero(design.strata == CERTAIN)
    choices = []
    for members in design.members:
        joint = joint_probabilities(design.probabilities[members])
        choices.append(
            [(members[[i, j]], joint[i, j]) for i, j in combinations(range(len(members)), 2)]
        )
    for chosen in product(*choices):
        pairs = np.array([pair for pair, _ in chosen]).reshape(-1, 2)
        joint = np.array([chance for _, chance in chosen])
        yield Sample(certain, pairs, design.probabilities[pairs], joint), float(np.prod(joint))
