"""The page `docs/other-tools.md`: what other tools are compared on, and where they differ from us.

`TRACKSIDE_DATA=... python -m tests.scoring.oracles.other_tools_page > docs/other-tools.md`; a test
fails when the page is stale. With `--csv` all cells that pytrec_eval's own order changes, as CSV.
"""

import csv
import sys
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version
from typing import Any, Final

import numpy as np

from tests.scoring.oracles.cells import Cells, compare_cells, read_by
from tests.scoring.oracles.round_one import run_paths

HEAD: Final = """\
<!-- Made by `python -m tests.scoring.oracles.other_tools_page`: do not edit. -->

# Other tools, value by value

We compare the scores of Trackside with those of four other tools. A cell is the score of one run
on one topic by one measure. We compare all cells of TREC-COVID round 1, {runs} runs of {topics}
topics. Two scores are equal if they differ by at most 1e-12.

| tool | equal in every cell | input |
|---|---|---|
| pytrec_eval-terrier {pytrec_eval} | {measures} of trec_eval's measures, with documents \
relevant from grade 1 and from grade 2 | our order, with descending whole numbers as retrieval \
scores |
| cwl-eval {cwl_eval} | RBP at p = .5, .8 and .95, with its residual; INSQ, INST, BPM and NERR8 to \
NERR11 (a sample of runs) | documents in our order, because it uses the order of the lines and \
ignores scores |
| pyNTCIREVAL {pyntcireval} | Q, ERR and nERR, with several gains and cutoffs, to rank 50; whole \
rankings for one topic of each run | documents in our order, with gains 1 and 2 for Q, 1 and 3 \
for ERR |
| ir_measures {ir_measures} | Compat, Accuracy, and ten measures of judged documents alone | \
our order, with descending whole numbers as retrieval scores |

The tests are in `tests/scoring/oracles/`. `ORACLES_IN_FULL=1` compares all cells.

## Known differences

- **pytrec_eval** stores retrieval scores in single precision, see below. It reaches a recall level
  r at r · R + .9 relevant documents, rounded down in floating point, as trec_eval 9 did. Here this
  is `IPrec(levels=trec_eval_9)`. The names `iprec_at_recall_r` and `11pt_avg` mean trec_eval 10's
  r · R, rounded to the nearest whole number. For `gm_map` and `gm_bpref` pytrec_eval returns
  logarithms.
- **cwl-eval** scales weights so that they sum to 1 over a number of ranks, by default 1,000. Our
  weights sum to 1 over all ranks. The result is the same for RBP, but not for INSQ and INST.
- **pyNTCIREVAL** has no default gains. It divides by the highest gain plus 1 in ERR, so its result
  is the published ERR only for gains 2^grade - 1.
- **ir_measures** gives Accuracy as 0 for a topic whose ranking has no relevant document. Here it is
  not defined, and the topic is left out. For Accuracy it keeps the given order of documents with
  equal scores. For Compat it orders them by ascending ids. In the ideal ranking a document that
  is not retrieved counts there with the score 0, and so precedes those with scores below 0.
- **pyndeval** orders documents with equal scores by ascending ids. TREC's ndeval, which it
  contains, orders them by descending ids, as we do.

## Differences in the order of pytrec_eval

For the original files pytrec_eval orders {moved_topics} rankings of {moved_runs} runs
differently. The reason is always the same: scores that differ in double precision can be equal in
single precision. For pytrec_eval such documents are tied, so it orders them by id. If we round the
scores before ranking, all cells are equal. Most documents that change places are unjudged, or have
the same grade. Therefore only {own_topics} rankings of {own_runs} runs have different scores, in
{own_cells} cells:

| run | topics with another order | topics with other scores | cells | mean AP, our order \
| mean AP, its order |
|---|--:|--:|--:|--:|--:|
"""

EXAMPLES: Final = """
NIST's published value for the run BERT, .0653, is the one in single precision. Some cells:

| run | topic | measure | our order | its order | first two scores that are equal in single \
precision | at rank |
|---|--:|---|--:|--:|---|--:|
"""

TAIL: Final = """
Runs with another order but the same scores (number of topics): {silent}.

To list all cells, run `python -m tests.scoring.oracles.other_tools_page --csv`.
"""

# A measure of the first cells of each run, as far as it has them.
_SHOWN: Final = ("recip_rank", "P_20", "bpref", "map")


def page(cells: Cells, pytrec_eval: Any) -> str:
    """The whole page."""
    own, moved = cells.its_own(), cells.first_moved > 0
    by_run = Counter(own[:, 0].tolist())
    numbers = {
        "runs": len(cells.runs),
        "topics": len(cells.topics),
        "measures": len(cells.names),
        "pytrec_eval": version("pytrec-eval-terrier"),
        "cwl_eval": version("cwl-eval"),
        "pyntcireval": version("pyNTCIREVAL"),
        "ir_measures": version("ir-measures"),
        "moved_topics": moved.sum(),
        "moved_runs": moved.any(axis=1).sum(),
        "own_topics": len(np.unique(own[:, :2], axis=0)),
        "own_runs": len(by_run),
        "own_cells": len(own),
    }
    silent = ", ".join(
        f"{run} {count}"
        for place, (run, count) in enumerate(zip(cells.runs, moved.sum(axis=1), strict=True))
        if count and place not in by_run
    )
    runs = "".join(_run_row(cells, run) for run, _ in by_run.most_common())
    examples = "".join(_examples(cells, pytrec_eval))
    return HEAD.format(**numbers) + runs + EXAMPLES + examples + TAIL.format(silent=silent)


def write_cells(cells: Cells) -> None:
    """All cells that differ, as CSV."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["run", "topic", "measure", "our_order", "its_order", "first_rank_moved"])
    for run, topic, measure in cells.its_own():
        ours, its = cells.in_our_order, cells.in_its_order
        writer.writerow(
            [
                *(cells.runs[run], cells.topics[topic], cells.names[measure]),
                *(matrix[run, topic, measure] for matrix in (ours, its)),
                cells.first_moved[run, topic],
            ]
        )


def _run_row(cells: Cells, run: int) -> str:
    own = cells.its_own()
    own = own[own[:, 0] == run]
    place = cells.names.index("map")
    means = (cells.in_our_order[run, :, place].mean(), cells.in_its_order[run, :, place].mean())
    counts = ((cells.first_moved[run] > 0).sum(), len(set(own[:, 1].tolist())), len(own))
    figures = [*map(str, counts), *(f"{mean:.6f}" for mean in means)]
    return f"| {cells.runs[run]} | {' | '.join(figures)} |\n"


def _examples(cells: Cells, pytrec_eval: Any) -> Iterator[str]:
    """The first cell of each run in each measure that is shown."""
    seen = set()
    for run, topic, measure in cells.its_own():
        name = cells.names[measure]
        if name not in _SHOWN or (run, name) in seen:
            continue
        seen.add((run, name))
        rank = int(cells.first_moved[run, topic])
        file = read_by(pytrec_eval, run_paths()[run])[cells.topics[topic]]
        merged = sorted(file.values(), reverse=True)[rank - 1]
        second = max(score for score in file.values() if score < merged)
        ours, its = cells.in_our_order[run, topic, measure], cells.in_its_order[run, topic, measure]
        yield f"| {cells.runs[run]} | {cells.topics[topic]} | `{name}` | {ours:.6f} | {its:.6f} "
        yield f"| {merged!r}, {second!r} | {rank} |\n"


def main() -> None:
    tool = import_module("pytrec_eval")
    cells = compare_cells(tool)
    if "--csv" in sys.argv[1:]:
        write_cells(cells)
    else:
        sys.stdout.write(page(cells, tool))


if __name__ == "__main__":
    main()
