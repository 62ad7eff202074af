"""The campaign that is scored, simulated or real: its runs, plain and gzipped, and its qrels."""

import gzip
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path
from typing import Final

from campaigns.trec.compression import GZIP_MAGIC
from scoring.cli.opening import open_run
from scoring.demo.simulation import FORMS, Collection, Retrieved, System, qrels_file, retrieve
from scoring.library.bad_input import BadInput
from tools.bench.written import document_ids, write_qrels, write_run

RUNS, TOPICS, DEPTH, POOL_DEPTH = 129, 50, 1000, 50
# Those that all tools have, and RBP with its residual, which no other tool gives along with them.
COMMON: Final = ("AP", "nDCG", "nDCG@10", "P@10", "Rprec", "RR", "bpref", "R@100")
MEASURES: Final = (*COMMON, "RBP(p=0.8)")


@dataclass(frozen=True)
class Campaign:
    """Paths of the same runs in two forms. Most other tools read no gzip."""

    what: str
    qrels: str
    plain: list[str]
    packed: list[str]


def write_campaign(collection: Collection, folder: Path) -> Campaign:
    """A simulated one; every third run is pooled."""
    pooled: list[Retrieved] = []
    ids = document_ids()
    paths = _write_both_forms(_simulated_runs(collection, ids, pooled), folder)
    simulated = qrels_file(collection, pooled, pool_depth=POOL_DEPTH)
    what = f"Simulated: {RUNS} runs x {TOPICS} topics x {DEPTH} documents"
    return Campaign(what, _write_qrels(write_qrels(simulated, ids), folder), *paths)


def read_campaign(runs: Path, qrels: Path, folder: Path) -> Campaign:
    """The files of a folder; `folder` gets them all plain, and all gzipped."""
    print(f"{runs} is unpacked into a temporary folder: pytrec_eval reads plain files only.")
    paths = _write_both_forms(_real_runs(runs), folder)
    what = f"{runs}: {len(paths[0])} runs"
    return Campaign(what, _write_qrels(_plain(qrels), folder), *paths)


def _simulated_runs(
    collection: Collection, ids: list[str], pooled: list[Retrieved]
) -> Iterator[tuple[str, bytes]]:
    for number, system in enumerate(islice(_systems(), RUNS)):
        found = retrieve(collection, system)
        if number % 3 == 0:
            documents = found.documents[:, :POOL_DEPTH].copy()
            pooled.append(Retrieved(system, documents, found.scores[:, :POOL_DEPTH]))
        yield system.tag, write_run(collection, found, ids, number)


def _real_runs(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(each for each in folder.iterdir() if each.is_file()):
        try:
            open_run(str(path))
        except BadInput as error:
            print(f"{path.name} is left out: {error.messages[0]}")
        else:
            yield path.name.removesuffix(".gz"), _plain(path)


def _write_both_forms(
    runs: Iterable[tuple[str, bytes]], folder: Path
) -> tuple[list[str], list[str]]:
    forms = folder / "plain", folder / "packed"
    for form in forms:
        form.mkdir()
    names = []
    for name, content in runs:
        names.append(name)
        (forms[0] / name).write_bytes(content)
        (forms[1] / name).write_bytes(gzip.compress(content, 6))
    plain, packed = ([str(form / name) for name in names] for form in forms)
    return plain, packed


def _write_qrels(content: bytes, folder: Path) -> str:
    path = folder / "qrels"
    path.write_bytes(content)
    return str(path)


def _plain(path: Path) -> bytes:
    with path.open("rb") as file:
        is_packed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
    return gzip.decompress(path.read_bytes()) if is_packed else path.read_bytes()


def _systems() -> Iterator[System]:
    for number, form in product(range(RUNS), FORMS):
        yield System(f"team{number}", f"run{number}{form}", 0.5 + 0.05 * number, form, depth=DEPTH)
