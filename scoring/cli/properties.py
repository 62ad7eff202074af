"""`trackside properties`: the seven numeric properties of measures, decided by search."""

import argparse
from collections.abc import Sequence
from typing import Final

from scoring.cli.bad_input import BadInput
from scoring.cli.measure_lines import refuse_huge
from scoring.cli.tables import Cell, print_csv
from scoring.core.measures.measure import BadMeasure, Measure, UnknownMeasure
from scoring.core.measures.names import parse_measure
from scoring.core.properties import PROPERTIES, CounterExample, properties_of

DESCRIPTION: Final = """\
Decides by search over all binary rankings of up to 7 documents which of the seven numeric
properties (Moffat, AIRS 2013) measures have: bounded, monotonic, convergent, top-weighted,
localized, complete, realizable. Every cutoff is searched: @k and @10 give the same row."""

EXAMPLES: Final = """\
examples:
  trackside properties                          Table 2 of the paper, and further measures
  trackside properties 'P@k' 'RBP(p=0.8)@k'
  trackside properties AP@k --examples          with the smallest counter-examples

A counter-example reads `10@1 = 1, 10@2 = 0.5`: rankings of a whole collection (1 relevant, 0 not),
the cutoffs at which they are scored, and their scores."""

PAPER: Final = (
    *("DCG@k", "SP@k", "Rprec@k", "SNDCG@k", "SNAP@k", "P@k", "nDCG@k", "SDCG@k", "HIT@k"),
    *("RR@k", "R@k", "AP@k", "RBP(p=0.8)@k"),
)
FURTHER: Final = (
    *("CG@k", "DCG(b=2)@k", "nDCG(b=2)@k", "Q", "ERR@k", "INSQ(T=2)@k", "WP(w=harmonic)@k"),
    *("RBP(p1=0.5,p2=0.9)@k", "Success@k", "F1@k", "PR@k", "relative_P@k", "Judged@k"),
    *("RR(nth=2)@k", "APret", "AUC(interpolated)", "IPrec11", "IPrec3", "bpref", "bpref(k=10)"),
    *("infAP", "SetP", "SetR", "SetF", "SetAP", "ESL(n=1)", "RankPower"),
)
_ANY_CUTOFF: Final = "@k"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "measures", metavar="MEASURE", nargs="*", help="such as 'P@k' (default: the whole table)"
    )
    parser.add_argument(
        "--examples", action="store_true", help="add a column of counter-examples to each property"
    )


def run(options: argparse.Namespace) -> int:
    named = [(name, *_read(name)) for name in options.measures or (*PAPER, *FURTHER)]
    faults = [f"{name}: {fault}" for name, _, fault in named if fault]
    if faults:
        raise BadInput(faults)
    columns = ["measure", *PROPERTIES]
    if options.examples:
        columns += [f"{name}_example" for name in PROPERTIES]
    rows = (
        _row(name, measure, examples=options.examples)
        for name, measure, _ in named
        if measure is not None
    )
    print_csv(columns, rows)
    return 0


def _read(name: str) -> tuple[Measure | None, str]:
    """The measure, or what is wrong with its name. Any cutoff stands for @k."""
    try:
        refuse_huge(name)
        if name.endswith(_ANY_CUTOFF):
            return parse_measure(f"{name.removesuffix(_ANY_CUTOFF)}@1"), ""
        return parse_measure(name), ""
    except (BadMeasure, UnknownMeasure) as error:
        return None, str(error)


def _row(name: str, measure: Measure, *, examples: bool) -> Sequence[Cell]:
    found = properties_of(measure)
    row: list[Cell] = [_shown_name(name, measure)]
    row += ["yes" if found[each].holds else "no" for each in PROPERTIES]
    if examples:
        row += [_shown(found[each].counter_example) for each in PROPERTIES]
    return row


def _shown_name(name: str, measure: Measure) -> str:
    if not name.endswith(_ANY_CUTOFF):
        return str(measure)
    return str(Measure(measure.family, measure.parameters)) + _ANY_CUTOFF


def _shown(example: CounterExample | None) -> str:
    if example is None:
        return ""
    parts = zip(example.rankings, example.cutoffs, example.scores, strict=True)
    return ", ".join(f"{ranking}@{cutoff} = {score:.4g}" for ranking, cutoff, score in parts)
