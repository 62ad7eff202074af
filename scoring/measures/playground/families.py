"""The measures of the playground: at least one of each family, with the chosen p, k and b."""

from functools import lru_cache
from typing import Final

from scoring.core.measures.entries import GROUPS, entries
from scoring.core.measures.measure import Measure, format_value
from scoring.core.measures.names import parse_measure

# By group of the catalogue, with placeholders for p, k and b. Other families have their example.
PATTERNS: Final = (
    *(
        "RBP(p={p})",
        "RBP(p={p})@{k}",
        "P@{k}",
        "INSQ(T=2)",
        "INST",
        "WP(w=harmonic)",
        "BPM@{k}",
    ),
    *("AP", "AP@{k}", "SP@{k}", "APret", "SNAP@{k}", "GMAP", "yaap", "AUC", "AUC(interpolated)"),
    *("IPrec@0.5", "IPrec11", "IPrec3"),
    *("nDCG", "nDCG@{k}", "nDCG(b={b})@{k}", "DCG@{k}", "DCG(b={b})@{k}", "CG@{k}", "SDCG@{k}"),
    *("SNDCG@{k}", "Q", "Compat"),
    *("RR", "RR@{k}", "ERR", "ERR@{k}", "nERR", "nERR@{k}"),
    *("NERR8@{k}", "NERR9@{k}", "NERR10", "NERR11", "Success@{k}", "HIT@{k}"),
    *("ESL(n=1)", "RankPower"),
    *("R@{k}", "Rprec", "Rprec@{k}", "F1@{k}", "PR@{k}", "relative_P@{k}", "Accuracy"),
    *("bpref", "bpref(k=10)", "gm_bpref", "infAP", "Judged@{k}", "unj@{k}"),
    *("SetP", "SetR", "SetF", "SetAP", "set_relative_P", "utility"),
    *("binG", "G", "ndcg_rel", "Rndcg"),
    *("NumQ", "NumRet", "NumRel", "NumRelRet", "num_nonrel_judged_ret"),
)
GROUP_OF: Final = {name: title for title, names in GROUPS for name in names}


@lru_cache(maxsize=64)
def measures_at(p: float, k: int, b: float) -> tuple[Measure, ...]:
    """p in [0, 1), k a cutoff, b above 1."""
    numbers = {"p": format_value(p), "k": format_value(k), "b": format_value(b)}
    shown = [parse_measure(pattern.format(**numbers)) for pattern in PATTERNS]
    families = {measure.family for measure in shown}
    others = (each.example for each in entries() if each.family.name not in families)
    return (*shown, *others)
