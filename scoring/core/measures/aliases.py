"""Names that other tools use for our measures: trec_eval's, those of ir_measures, and those of
others, some of which write them in lower case.

Most of trec_eval's are in the families (`Family.trec_eval`, `Family.trec_eval_cut`); here are those
that say more than a name and a rank.
"""

import re
from typing import Final

from scoring.core.measures.catalogue import FAMILIES, near_names
from scoring.core.measures.measure import Measure, format_value

# ir_measures 0.4 (registered names and their aliases) where it has another one than we.
IR_MEASURES: Final = {
    "MAP": "AP",
    "Bpref": "bpref",
    "BPref": "bpref",
    "MRR": "RR",
    "NDCG": "nDCG",
    "Precision": "P",
    "RPrec": "Rprec",
    "Recall": "R",
    "SetRelP": "set_relative_P",
}

# Names of ranx, MTEB, BEIR, scikit-learn and papers, in lower case.
OTHER_TOOLS: Final = {
    "average_precision": "AP",
    "mean_average_precision": "AP",
    "f1_score": "F1",
    "hit": "Success",
    "hit_rate": "Success",
    "top_k_accuracy": "Success",
    "reciprocal_rank": "RR",
    "mean_reciprocal_rank": "RR",
    "mrr": "RR",
    "normalized_discounted_cumulative_gain": "nDCG",
    "ndcg_burges": "nDCG(gain=exp)",
    "dcg_burges": "DCG(gain=exp)",
    "prec": "P",
    "precision": "P",
    "q_measure": "Q",
    "r_cap": "relative_P",
    "recall_cap": "relative_P",
    "rank_biased_precision": "RBP",
    "recall": "R",
    "r_prec": "Rprec",
    "r_precision": "Rprec",
    "set_f1": "SetF",
}
_BY_SUBTOPIC: Final = (
    "needs judgments by subtopic: use `trackside diversity`, in Python ts.diversity"
)
# Names that are no family's, and what to say of them.
ADVICE: Final = {
    "hits": "is a count in ranx, and Success in others: for the number of relevant documents take "
    "NumRelRet, or P times its cutoff, and for whether there is one Success, as in Success@10",
    "hole": "is 1 - Judged: use Judged",
    **dict.fromkeys(
        ("alphandcg", "alphadcg", "erria", "nerria", "apia", "mapia", "pia", "nrbp", "nnrbp"),
        _BY_SUBTOPIC,
    ),
    **dict.fromkeys(("strecall", "αndcg", "αdcg"), _BY_SUBTOPIC),
}
# Parameters of ir_measures that we name otherwise; None: what we do anyway.
PARAMETERS: Final[dict[tuple[str, str], tuple[str, str] | None]] = {
    ("dcg", "log2"): None,
    ("dcg", "exp-log2"): ("gain", "exp"),
}

_AT_RANK = re.compile(
    r"([A-Za-z][A-Za-z0-9_-]*?)(?:_at_|_cut[_.]|([_.]))([0-9]{1,9})", re.ASCII | re.IGNORECASE
)
_WITH_RANK = re.compile(r"([A-Za-z_]+)_([0-9]{1,9})", re.ASCII)
_WITH_REAL = re.compile(r"(iprec_at_recall|Rprec_mult)_([0-9]{1,4}\.?[0-9]{0,9})", re.ASCII)
_REAL_FORMS: Final = {
    "iprec_at_recall": "IPrec(levels=trec_eval)@{}",
    "Rprec_mult": "Rprec(mult={})",
}
_CUTOFFS: Final = {family.name: family.cutoff for family in FAMILIES}
_FAMILY_NAMES: Final = _CUTOFFS.keys()


def _folded(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "")


_OF_TREC_EVAL: Final = {
    name: family.name
    for family in FAMILIES
    for name in (family.trec_eval, family.trec_eval_cut)
    if name
}
_BY_FOLDED: Final = {
    _folded(alias): name
    for known in (
        _OF_TREC_EVAL,
        dict(zip(_CUTOFFS, _CUTOFFS, strict=True)),
        IR_MEASURES,
        OTHER_TOOLS,
    )
    for alias, name in known.items()
}
_WHOLE: Final = dict.fromkeys(("11pt_avg", "11-pt_avg", "11pt"), "IPrec11(levels=trec_eval)") | {
    family.trec_eval: family.name for family in FAMILIES if family.trec_eval
}
_CUT: Final = {family.trec_eval_cut: family.name for family in FAMILIES if family.trec_eval_cut}


def from_trec_eval(text: str) -> str | None:
    """Our name of the measure that trec_eval writes so, None if it has none such.

    >>> from_trec_eval("map_cut_10"), from_trec_eval("AP@10")
    ('AP@10', None)
    """
    if text in _WHOLE:
        return _WHOLE[text]
    matched = _WITH_RANK.fullmatch(text)
    if matched and matched[1] in _CUT:
        return f"{_CUT[matched[1]]}@{matched[2]}"
    matched = _WITH_REAL.fullmatch(text)
    return _REAL_FORMS[matched[1]].format(matched[2]) if matched else None


def from_other_tools(text: str) -> str:
    """`recall_at_100`, `recall_100` and `Recall.100` as `recall@100`, if it has a cutoff.

    >>> from_other_tools("recall_at_100"), from_other_tools("Recall.100")
    ('recall@100', 'Recall@100')
    """
    matched = _AT_RANK.fullmatch(text)
    if matched is None or (matched[2] == "." and matched[1] in _WHOLE):  # parameters in trec_eval
        return text
    family = _CUTOFFS.get(spelled(matched[1]).partition("(")[0])
    return f"{matched[1]}@{matched[3]}" if family in ("required", "optional") else text


def spelled(name: str) -> str:
    """Our name of the family that another tool calls so, whatever its capitals, hyphens and
    underscores, perhaps with parameters; a name that nobody uses stays as it is.

    >>> spelled("mrr"), spelled("ndcg_burges"), spelled("nonsense")
    ('RR', 'nDCG(gain=exp)', 'nonsense')
    """
    if name in _FAMILY_NAMES:
        return name
    return IR_MEASURES.get(name) or _BY_FOLDED.get(_folded(name), name)


def is_family(name: str) -> bool:
    """Whether this is our name of a family.

    >>> is_family("nDCG"), is_family("ndcg")
    (True, False)
    """
    return name in _FAMILY_NAMES


def advice(name: str) -> str:
    """What to take instead of a name with several meanings, or with one that is computed
    elsewhere; "" for others.

    >>> advice("hole"), advice("nDCG")
    ("'hole' is 1 - Judged: use Judged", '')
    """
    said = ADVICE.get(_folded(name))
    return f"{name!r} {said}" if said else ""


def unknown(name: str) -> str:
    """What to say of a name that is no measure's.

    >>> unknown("presicion")  # the nearest name is "precision", of other tools
    "there is no measure 'presicion'; did you mean P?"
    """
    if said := advice(name):
        return said
    near = [_BY_FOLDED[each].partition("(")[0] for each in near_names(_folded(name), _BY_FOLDED)]
    *others, last = dict.fromkeys(near) or [""]
    hint = f"{', '.join(others)} or {last}" if others else last
    return f"there is no measure {name!r}" + (f"; did you mean {hint}?" if hint else "")


def to_trec_eval(measure: Measure) -> str | None:
    """What trec_eval 10 calls this measure, None if it has none such. `rel` is no part of it: there
    an option of the command line says so (-l).

    >>> to_trec_eval(parse_measure("nDCG@10")), to_trec_eval(parse_measure("RBP(p=0.8)"))
    ('ndcg_cut_10', None)
    """
    given = {key: value for key, value in measure.parameters if key != "rel"}
    family = next(each for each in FAMILIES if each.name == measure.family)
    if given == {"levels": "trec_eval"} and family.cutoff == "recall":
        return f"iprec_at_recall_{float(measure.cutoff or 0):.2f}"
    if given == {"levels": "trec_eval"}:
        return "11pt_avg"
    if list(given) == ["mult"] and measure.cutoff is None:
        return f"Rprec_mult_{float(given['mult']):.2f}"
    if given:
        return None
    if measure.cutoff is None:
        return family.trec_eval
    return family.trec_eval_cut and f"{family.trec_eval_cut}_{format_value(measure.cutoff)}"
