"""Runs that are scored together: the scores and the faults of each are those it has alone."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from scoring.cli import many_runs
from scoring.cli.opening import open_qrels
from scoring.cli.scored_files import score_file, score_files
from scoring.core.measures.graded import default_gain_map
from scoring.core.ties.ties import has_bounds, has_expected
from scoring.library.bad_input import BadInput
from scoring.library.measure_lines import read_measures
from scoring.library.scored_runs import ScoredRun
from scoring.library.scoring_options import ScoringOptions

MEASURES = (
    *("AP", "nDCG", "nDCG@10", "P@10", "Rprec", "RR", "RR(nth=3)", "R@100", "RBP(p=0.8)"),
    *("bpref", "infAP", "ERR", "Q", "RBP(p1=0.9,p2=0.8)", "SP@10", "GMAP", "num_rel_ret"),
)
TEXTS = ("relstring", "utility.1,-1,0.5,0", "ndcg.1=3,2=9", "runid")
TIE_RULES = ("docno", "bounds", "expected")


def rules(qrels: str, *texts: str, **changes: object) -> ScoringOptions:
    table = open_qrels(qrels)
    options = ScoringOptions(read_measures(texts), table, default_gain_map(table.highest_grade))
    return replace(options, **changes)


def under_ties(ties: str, **changes: object) -> dict[str, object]:
    """The options, and those of the measures that the rule is defined for."""
    defined = {"docno": lambda measure: True, "bounds": has_bounds, "expected": has_expected}[ties]
    lines = [line for line in read_measures(MEASURES) if line.measure and defined(line.measure)]
    return {"lines": tuple(lines), "ties": ties, **changes}


def assert_same(together: Sequence[ScoredRun | BadInput], paths: Sequence[str], options) -> None:
    """Bit for bit what each file has alone, in the order of the files."""
    assert len(together) == len(paths)
    for run, path in zip(together, paths, strict=True):
        assert isinstance(run, ScoredRun)
        assert bits(run) == bits(score_file(path, options))


def bits(value: object) -> object:
    """All that a scored run holds, arrays as their bytes and numbers to the last digit."""
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, tuple):
        return [bits(each) for each in value]
    if hasattr(value, "__dataclass_fields__"):
        return {name: bits(getattr(value, name)) for name in value.__dataclass_fields__}
    return repr(value)


@pytest.fixture
def paths(trackside) -> list[str]:
    """Runs of two depths, with ties; every other one misses a topic."""
    depths, tied = (9, 9, 9, 4, 9, 9, 4, 4), (2, 9, 7, 4, 7, 9, 3, 2)
    written = []
    for number, (depth, group) in enumerate(zip(depths, tied, strict=True)):
        lines = [
            f"{topic} Q0 {'ABCDEFGHI'[(rank * 2 + number + topic) % 9]} 0 {-(rank // group)} tag"
            for topic in (1, 2, 3, 10)[number % 2 :]
            for rank in range(depth)
        ]
        written.append(trackside.write(f"run{number}", "\n".join(lines) + "\n"))
    return written


@pytest.mark.parametrize("is_complete", [True, False])
@pytest.mark.parametrize("judged_only", [True, False])
@pytest.mark.parametrize("ties", TIE_RULES)
def test_scores_are_those_of_each_run_alone(trackside, paths, ties, judged_only, is_complete):
    changes = under_ties(ties, is_complete=is_complete, judged_only=judged_only)
    options = rules(trackside.qrels, **changes)
    assert_same(list(score_files(paths, options)), paths, options)


def test_texts_and_lines_with_parameters_too(trackside, paths):
    options = rules(trackside.qrels, *TEXTS, collection_size=100)
    assert_same(list(score_files(paths, options)), paths, options)


@pytest.mark.parametrize("workers", [1, 2])
def test_files_that_are_refused_change_nothing_for_others(trackside, paths, workers):
    bad = trackside.write("bad", "1 Q0 A 1\n")
    unknown = trackside.write("unknown", "77 Q0 A 1 1 other\n")
    mixed = [bad, *paths[:3], unknown, *paths[3:]]
    options = rules(trackside.qrels, *MEASURES)
    outcomes = list(score_files(mixed, options))
    assert_same(outcomes[: len(paths)], paths, options)
    faults = [message for each in outcomes[len(paths) :] for message in each.messages]
    assert [fault.partition(": ")[0] for fault in faults] == [bad, unknown]
    found = trackside("evaluate", trackside.qrels, *mixed, "--workers", workers)
    assert (found.status, found.out) == (2, "")
    assert all(fault in found.err for fault in faults)


@pytest.mark.parametrize("workers", [2, 3])
def test_workers_get_fewer_files_towards_the_end(workers):
    parts = list(many_runs._parts(range(129), workers))
    assert [file for part in parts for file in part] == list(range(129))
    sizes = [len(part) for part in parts]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == 8
    assert sizes[-workers:] == [1] * workers


@pytest.mark.data
@pytest.mark.parametrize("ties", TIE_RULES)
@pytest.mark.parametrize(
    ("folder", "qrels"),
    [("trec8-adhoc", "qrels.trec8.adhoc.txt.gz"), ("trec-covid-round1", "qrels.txt.gz")],
)
def test_real_runs(data, folder, qrels, ties):
    files = sorted(map(str, (data / folder / "runs").iterdir()))[::16]
    options = rules(str(data / folder / qrels), **under_ties(ties))
    assert_same(list(score_files(files, options)), files, options)
