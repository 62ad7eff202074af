"""What the mean over all orders of tied documents costs beside the order of their ids."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from scoring.cli.opening import open_qrels
from scoring.cli.scored_files import score_file
from scoring.core.measures.graded import default_gain_map
from scoring.core.measures.names import parse_measure
from scoring.core.ties.ties import has_expected
from scoring.library.measure_lines import read_measures
from scoring.library.scoring_options import ScoringOptions
from tools.bench.campaign import MEASURES
from tools.bench.clock import HEADINGS, ROUNDS, median, seconds, three

SAMPLE: Final = 24  # runs, of every form of scores: some forms have many ties
RULES: Final = ("docno", "expected")


def time_ties(qrels: str, paths: Sequence[str]) -> None:
    """Prints what a run takes under both rules, from its file to the scores of every topic, for
    those of the measures that have a mean over all orders. The rules take turns, run by run."""
    measures = [name for name in MEASURES if has_expected(parse_measure(name))]
    table = open_qrels(qrels)
    docno = ScoringOptions(read_measures(measures), table, default_gain_map(table.highest_grade))
    taken: dict[str, list[float]] = {rule: [] for rule in RULES}
    for _ in range(ROUNDS):
        found = dict.fromkeys(RULES, 0.0)
        for path in paths[:SAMPLE]:
            for rule in RULES:
                found[rule] += seconds(_scoring(path, replace(docno, ties=rule)))
        for rule in RULES:
            taken[rule].append(found[rule] / SAMPLE)
    print(f"\n{SAMPLE} runs under both tie rules, files to scores: {', '.join(measures)}\n")
    print(f"{'ms a run':26}{HEADINGS}{'times':>9}")
    for rule in RULES:
        times = median(taken[rule]) / median(taken[RULES[0]])
        print(f"{rule:26}{three(taken[rule])}{times:9.2f}")


def _scoring(path: str, rules: ScoringOptions) -> Callable[[], object]:
    return partial(score_file, path, rules)
