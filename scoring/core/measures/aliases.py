"""Names that other tools use for our measures: trec_eval's and those of ir_measures.

Most of trec_eval's stand with the families (`Family.trec_eval`, `Family.trec_eval_cut`); here are
those that say more than a name and a rank.
"""

import re
from typing import Final

from scoring.core.measures.catalogue import FAMILIES
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

_WITH_RANK = re.compile(r"([A-Za-z_]+)_([0-9]{1,9})", re.ASCII)
_WITH_REAL = re.compile(r"(iprec_at_recall|Rprec_mult)_([0-9]{1,4}\.?[0-9]{0,9})", re.ASCII)
_REAL_FORMS: Final = {
    "iprec_at_recall": "IPrec(levels=trec_eval)@{}",
    "Rprec_mult": "Rprec(mult={})",
}
_WHOLE: Final = {"11pt_avg": "IPrec11(levels=trec_eval)"} | {
    family.trec_eval: family.name for family in FAMILIES if family.trec_eval
}
_CUT: Final = {family.trec_eval_cut: family.name for family in FAMILIES if family.trec_eval_cut}


def from_trec_eval(text: str) -> str | None:
    """Our name of the measure that trec_eval writes so, None if it has none such."""
    if text in _WHOLE:
        return _WHOLE[text]
    matched = _WITH_RANK.fullmatch(text)
    if matched and matched[1] in _CUT:
        return f"{_CUT[matched[1]]}@{matched[2]}"
    matched = _WITH_REAL.fullmatch(text)
    return _REAL_FORMS[matched[1]].format(matched[2]) if matched else None


def to_trec_eval(measure: Measure) -> str | None:
    """What trec_eval 10 calls this measure, None if it has none such. `rel` is no part of it: there
    an option of the command line says so (-l)."""
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
