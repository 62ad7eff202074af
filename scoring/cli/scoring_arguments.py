"""From the arguments of `add_scoring_arguments` to the rules by which runs are scored."""

import argparse

from scoring.cli.opening import open_qrels, tell_of_topics_without_grades
from scoring.library.bad_input import BadInput
from scoring.library.measure_lines import GainMap, Line
from scoring.library.scoring_options import (
    ScoringOptions,
    declared_grade,
    without_tie_rule,
    worth_of_grades,
)


def scoring_options(
    options: argparse.Namespace, lines: tuple[Line, ...], qrels: str
) -> ScoringOptions:
    """The rules that the arguments give. Raises BadInput."""
    given: GainMap | None = options.gain_map
    depth, ties = options.max_depth, options.ties
    if wrong := without_tie_rule(lines, ties):
        raise BadInput([f"--ties {ties} is not defined for {', '.join(wrong)}"])
    # -M takes the first documents in the order of their ids: those of a tied group across the cut
    # that it leaves out have no share in the group any more.
    if depth is not None and ties != "docno":
        why = f"-M {depth} does not go with --ties {ties}: it cuts tied documents by their ids"
        raise BadInput([f"{why}; leave it out, and give measures their cutoff, as in AP@{depth}"])
    table = open_qrels(qrels, highest_grade=declared_grade(given))
    tell_of_topics_without_grades(qrels, table)
    try:
        # Only now: without a map, the gains depend on the highest grade of the qrels.
        worth = worth_of_grades(given, table.highest_grade)
    except ValueError as error:
        raise BadInput([f"--gain-map: {error}"]) from None
    return ScoringOptions(
        lines=lines,
        table=table,
        gain_map=worth,
        rel=options.rel,
        no_relevant=options.no_relevant,
        ties=options.ties,
        max_depth=options.max_depth,
    )
