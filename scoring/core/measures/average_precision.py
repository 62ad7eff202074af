"""Average precision (RBP paper, section 3.1)."""

from scoring.core.measures.arrays import Scores
from scoring.core.measures.measure import REL, Arguments, Facts, Family, UserModel
from scoring.core.measures.precision import BUCKLEY_VOORHEES, share
from scoring.core.measures.workings import Workings


def compute(arguments: Arguments, workings: Workings) -> Scores:
    """Divides by R, all relevant documents of the qrels, also with a cutoff; 0 where R is 0."""
    rel, ranks = arguments.integer("rel"), workings.ranks_of(arguments.cutoff)
    relevant = workings.relevant(rel, ranks)
    sums = relevant.sums(workings.precisions_at(relevant, ranks))
    return Scores(share(sums, workings.graded.relevant_count(rel)), None)


AP = Family(
    name="AP",
    compute=compute,
    parameters=(REL,),
    cutoff="optional",
    trec_eval="map",
    trec_eval_cut="map_cut",
    facts=Facts(
        pretty_name="Average precision",
        description=(
            "The mean of the precision at the rank of each relevant document of the topic. "
            "Relevant documents that were not retrieved count 0."
        ),
        formula="(1/R) · Σ b_i · P@i",
        reference=BUCKLEY_VOORHEES,
        relevance="binary",
        needs_relevant=True,
        user_model=UserModel(
            browsing=(
                "The user (Robertson, SIGIR 2008) chooses a number s from 1 to R at random and "
                "reads to the s-th relevant document."
            ),
            utility="Each relevant document has the utility 1.",
            accumulation=(
                "The precision at the rank where the user stops, or 0 if the list ends before."
            ),
        ),
    ),
)
