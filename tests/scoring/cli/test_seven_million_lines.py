"""A run of the size of MS MARCO's is scored whole, rightly, and in little memory."""

import csv
import gzip
import io
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]
TOPICS, DEPTH = 6980, 1000
PASSAGES = 8_841_823
MEGABYTE = 10**6 / 1024  # in KiB, as Linux counts the most that a process had at once
MEASURES = ("RR@10", "R@1000", "AP", "nDCG@10", "RBP(p=0.8)")

pytestmark = pytest.mark.xdist_group("seven-million-lines")


def decimal(numbers, width, *, zeros=False):
    """uint8[numbers, width]: the digits, what stands before the first left empty or zero."""
    powers = 10 ** np.arange(width - 1, -1, -1)
    cells = (numbers[:, None] // powers % 10 + ord("0")).astype(np.uint8)
    if not zeros:
        cells[(numbers[:, None] < powers) & (powers > 1)] = 0
    return cells


def lines_of(topics, ranks, passages, scores):
    """The bytes of a run; scores are whole hundred-thousandths."""

    def always(text):
        return np.tile(np.frombuffer(text, np.uint8), (len(topics), 1))

    columns = (
        *(decimal(topics, 7), always(b" Q0 "), decimal(passages, 7), always(b" ")),
        *(decimal(ranks, 4), always(b" "), decimal(scores // 100_000, 3), always(b".")),
        *(decimal(scores % 100_000, 5, zeros=True), always(b" bm25\n")),
    )
    cells = np.hstack(columns)
    return cells[cells != 0].tobytes()


class Marco:
    """Topics in no order, one relevant passage each: at rank 1, 2, 3 ... or, for a third of the
    topics, beyond the last."""

    def __init__(self):
        random = np.random.default_rng(1)
        self.topics = random.permutation(2 + 157 * np.arange(TOPICS))
        self.starts = random.integers(0, PASSAGES, TOPICS)
        self.jitter = random.integers(0, 3000, (TOPICS, DEPTH))
        self.relevant_ranks = np.arange(TOPICS) * 7919 % 1500 + 1

    def passages(self, rows, ranks):
        return (self.starts[rows] + ranks * 7919) % PASSAGES  # 7919 and PASSAGES share no factor

    def lines(self, rows, ranks):
        scores = 9_000_000 - 4000 * ranks - self.jitter[rows, ranks - 1]  # no two are tied
        return lines_of(self.topics[rows], ranks, self.passages(rows, ranks), scores)

    def by_topic(self):
        for rows in np.array_split(np.arange(TOPICS), 70):
            ranks = np.tile(np.arange(1, DEPTH + 1), len(rows))
            yield self.lines(np.repeat(rows, DEPTH), ranks)

    def by_rank(self):
        """All the first documents, then all the second ones: each topic is all over the file."""
        for ranks in np.array_split(np.arange(1, DEPTH + 1), 100):
            rows = np.tile(np.arange(TOPICS), len(ranks))
            yield self.lines(rows, np.repeat(ranks, TOPICS))

    def qrels(self):
        relevant = self.passages(np.arange(TOPICS), self.relevant_ranks)
        pairs = zip(self.topics.tolist(), relevant.tolist(), strict=True)
        return "".join(f"{topic} 0 {passage} 1\n" for topic, passage in pairs)

    def expected(self):
        """The means by hand: with one relevant document all depends on its rank."""
        ranks = self.relevant_ranks
        scores = {
            "RR@10": np.where(ranks <= 10, 1 / ranks, 0),
            "R@1000": ranks <= DEPTH,
            "AP": np.where(ranks <= DEPTH, 1 / ranks, 0),
            "nDCG@10": np.where(ranks <= 10, 1 / np.log2(ranks + 1), 0),
            "RBP(p=0.8)": np.where(ranks <= DEPTH, 0.2 * 0.8 ** (ranks - 1.0), 0),
        }
        return {name: math.fsum(each) / TOPICS for name, each in scores.items()}


def write_plain(path, pieces):
    with path.open("wb") as file:
        file.writelines(pieces)


def write_packed(path, pieces):
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.writelines(pieces)


# Linux adds the memory of the process that starts another to the most that the other had
# (ru_maxrss), so the process says itself what it had.
COMMAND = """
import sys
from scoring.cli.main import main
status = main(sys.argv[1:])
with open("/proc/self/status") as file:
    print(next(line.split()[1] for line in file if line.startswith("VmHWM")), file=sys.stderr)
sys.exit(status)
"""


def evaluate(qrels, run):
    """What the command prints, and the most memory its process had at once, in KiB."""
    measures = [argument for name in MEASURES for argument in ("-m", name)]
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "evaluate", *measures, "--format", "csv", qrels, run],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout, int(done.stderr.split()[-1])


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="other systems count memory otherwise")
@pytest.mark.parametrize(
    ("order", "write", "megabytes"),
    [("by_topic", write_plain, 550), ("by_rank", write_packed, 650)],
)
def test_seven_million_lines(tmp_path, order, write, megabytes):
    marco = Marco()
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text(marco.qrels())
    try:
        write(run, getattr(marco, order)())
        printed, memory = evaluate(qrels, run)
    finally:
        run.unlink()  # pytest keeps the folders of past tests; not with 250 MB in each
    means = {row["measure"]: float(row["value"]) for row in csv.DictReader(io.StringIO(printed))}
    assert means == pytest.approx(marco.expected(), abs=1e-12)
    assert memory < megabytes * MEGABYTE
