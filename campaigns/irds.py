"""Topics and qrels of ir_datasets, as a folder that can be imported."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

from campaigns.folders import FolderError

PREFIX = "irds:"


def write_folder(name: str, folder: Path) -> None:
    """Writes the topics of a data set, with all their texts, and its qrels. Downloads what
    ir_datasets does not have yet. Raises `FolderError`."""
    try:
        # Not at the top, because a site need not install it.
        ir_datasets = import_module("ir_datasets")
    except ImportError as error:
        raise FolderError('Install ir_datasets: pip install "trackside[irds]".') from error
    try:
        dataset = ir_datasets.load(name)
    except KeyError as error:
        raise FolderError(f"ir_datasets has no data set {name}.") from error
    if not dataset.has_queries():
        raise FolderError(f"{name} has no topics. Choose one of its subsets.")
    try:
        _write(dataset, folder)
    except (OSError, RuntimeError) as error:
        reason = error.args[0] if error.args and isinstance(error, RuntimeError) else error
        raise FolderError(
            f"ir_datasets cannot read {name}: {reason}. Try again later, or get topics and qrels "
            "by hand and import them as a folder."
        ) from error


def _write(dataset: Any, folder: Path) -> None:
    with (folder / "topics.jsonl").open("w", encoding="utf-8") as topics:
        for query in dataset.queries_iter():
            texts = {key: text for key, text in query._asdict().items() if isinstance(text, str)}
            topics.write(json.dumps(texts, ensure_ascii=False) + "\n")
    if dataset.has_qrels():
        with (folder / "qrels.txt").open("w", encoding="utf-8") as qrels:
            for each in dataset.qrels_iter():
                qrels.write(f"{each.query_id}\t0\t{each.doc_id}\t{each.relevance}\n")
