"""One tool on data frames, in a process of its own: seconds, memory, and the score of each topic.

    python frames_contestant.py TOOL LIBRARY FOLDER SCORES

FOLDER has `qrels.parquet` and `runs/*.parquet`. LIBRARY is pandas or polars: what the tool gets. A
tool that takes no frames of polars gets one of pandas, and converting it is part of its time. A
line of JSON goes to standard output, and float64[runs, topics, measures] to the file SCORES.

Only what TOOL needs is imported: it may run in an environment that has nothing else.
"""

import json
import resource
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final

# What the measures are called, in one order.
IR_MEASURES: Final = ("AP", "nDCG@10", "P@10", "RR")
RANX: Final = ("map", "ndcg@10", "precision@10", "mrr")

Cells = Iterable[tuple[str, str, str, float]]  # run, topic, measure, score
Evaluate = Callable[[Any, Mapping[str, Any]], Cells]

_WARM_ROWS: Final = 2000  # of the first run, before the time begins: what is compiled is compiled


def trackside(qrels: Any, runs: Mapping[str, Any]) -> Cells:
    scores = import_module("trackside").evaluate(qrels, runs, IR_MEASURES, complete=True)
    columns = (scores[name] for name in ("run", "topic", "measure", "value"))
    return list(zip(*columns, strict=True))


def by_ir_measures(provider: str) -> Evaluate:
    """ir_measures with one provider, and without the search for one."""

    def evaluate(qrels: Any, runs: Mapping[str, Any]) -> Cells:
        tool = import_module("ir_measures")
        if provider == "trackside":
            import_module("trackside.ir_measures")
        measures = [tool.parse_measure(name) for name in IR_MEASURES]
        evaluator = tool.providers.registry[provider].evaluator(measures, pandas(qrels))
        return [
            (name, each.query_id, str(each.measure), each.value)
            for name, run in runs.items()
            for each in evaluator.iter_calc(pandas(run))
        ]

    return evaluate


def ranx(qrels: Any, runs: Mapping[str, Any]) -> Cells:
    tool = import_module("ranx")
    warnings.filterwarnings("ignore", message="unsafe cast")  # said of its own code, compiled here
    ids = {"q_id_col": "query_id", "doc_id_col": "doc_id"}
    judged = tool.Qrels.from_df(_of_objects(qrels), score_col="relevance", **ids)
    cells = []
    for name, frame in runs.items():
        run = tool.Run.from_df(_of_objects(frame), score_col="score", **ids)
        tool.evaluate(judged, run, list(RANX), return_mean=False, make_comparable=True)
        for ours, its in zip(IR_MEASURES, RANX, strict=True):
            cells += [(name, topic, ours, value) for topic, value in run.scores[its].items()]
    return cells


TOOLS: Final[Mapping[str, Evaluate]] = {
    "trackside": trackside,
    "ranx": ranx,
    "ir_measures, pytrec_eval": by_ir_measures("pytrec_eval"),
    "ir_measures, trackside": by_ir_measures("trackside"),
}


def pandas(frame: Any) -> Any:
    return frame.to_pandas() if hasattr(frame, "to_pandas") else frame


def _of_objects(frame: Any) -> Any:
    """ranx takes texts as objects only, not as pandas 3 has them."""
    return pandas(frame).astype({"query_id": object, "doc_id": object})


def main(tool: str, library: str, folder: str, target: str) -> None:
    read = import_module(library).read_parquet
    evaluate = TOOLS[tool]
    qrels = read(Path(folder) / "qrels.parquet")
    runs = {path.stem: read(path) for path in sorted((Path(folder) / "runs").iterdir())}
    first = next(iter(runs))
    evaluate(qrels, {first: runs[first].head(_WARM_ROWS)})
    loaded, began, used = _peak(), time.perf_counter(), time.process_time()
    cells = evaluate(qrels, runs)
    taken = time.perf_counter() - began, time.process_time() - used
    facts = {"wall": taken[0], "processor": taken[1], "loaded": loaded, "peak": _peak()}
    print(json.dumps(facts))
    _write(cells, list(runs), sorted(set(qrels["query_id"])), Path(target))


def _peak() -> float:
    """Megabytes, the most so far."""
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def _write(cells: Cells, runs: list[str], topics: list[str], target: Path) -> None:
    np = import_module("numpy")
    scores = np.full((len(runs), len(topics), len(IR_MEASURES)), np.nan)
    places = [{name: at for at, name in enumerate(names)} for names in (runs, topics, IR_MEASURES)]
    for *names, value in cells:
        at = tuple(place[name] for place, name in zip(places, names, strict=True))
        scores[at] = value
    np.save(target, scores)


if __name__ == "__main__":
    main(*sys.argv[1:])
