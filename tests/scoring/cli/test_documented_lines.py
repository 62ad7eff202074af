"""Every line that README, the guides and the help texts show does something."""

import glob
import gzip
import re
import shlex
from importlib import import_module
from pathlib import Path

import pytest

import trackside as ts
from scoring.cli import main

ROOT = Path(__file__).resolve().parents[3]
TEXTS = [
    *(page.read_text() for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))),
    main._HELP,
    *(import_module(f"scoring.cli.usage.{name}").EXAMPLES for name in main.COMMANDS),
]
TOPICS = range(1, 13)
# `trackside check --deploy` is about a site.
LINE = re.compile(rf"^ *trackside ((?:{'|'.join(main.COMMANDS)}) (?!--deploy).*)$", re.MULTILINE)


def documented():
    for text in TEXTS:
        for found in LINE.finditer(re.sub(r"\\\n *", "", text)):
            yield re.split(r" {3,}| > ", found[1])[0]  # what a help text says of it is no argument


def run_named(tag, shift):
    lines = [
        f"{topic} Q0 d{(rank * 7 + topic * shift) % 30} {rank} {-rank} {tag}\n"
        for topic in TOPICS
        for rank in range(1, 21)
    ]
    return gzip.compress("".join(lines).encode())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    qrels = [f"{topic} 0 d{n} {(n + n // 7 + topic) % 3}\n" for topic in TOPICS for n in range(30)]
    topics = [f'<topic number="{topic}"><query>q</query></topic>' for topic in TOPICS]
    texts = {
        "qrels.txt": "".join(qrels),
        "qrels.json": '{"1": {"d1": 1}}',
        "so_far.txt": qrels[0],
        "subtopics.txt": "".join(line.replace(" 0 ", " 1 ", 1) for line in qrels) + "1 2 d0 1\n",
        "topics.xml": f"<topics>{''.join(topics)}</topics>",
        "topics.txt": "".join(f"{topic}\tq\n" for topic in TOPICS),
        "adhoc5_ap.csv": "a,b\n" + ".1,.2\n.3,.1\n.5,.2\n.4,.4\n.2,.3\n.7,.1\n" * 2,
    }
    for name, text in texts.items():
        Path(name).write_text(text)
    Path("runs").mkdir()
    names = ("run.gz", "run.txt", "run1.gz", "run2.gz", "my-run.gz", "runs/a", "runs/b", "runs/c")
    tags = {"runs/b": "bm25", "runs/c": "UT803b"}  # baselines of the pages
    for shift, name in enumerate(names):
        Path(name).write_bytes(run_named(tags.get(name, f"tag{shift}"), shift))
    Path("run.json").write_text('{"1": {"d1": 2.5, "d2": 1.5}}')
    drawn = ts.sample(sorted(map(str, Path("runs").iterdir())), budget=30, p=0.8)
    drawn.to_csv("sample.csv")
    sampled = {(row.topic, row.doc_id) for row in drawn}
    people = [line for line in qrels if (line.split()[0], line.split()[2]) in sampled]
    Path("people.txt").write_text("".join(people))
    Path("program.txt").write_text(
        "".join(line[:-2] + f"{at % 2}\n" for at, line in enumerate(qrels))
    )


@pytest.mark.parametrize("line", sorted(set(documented())))
def test_it_works(trackside, folder, line):
    words = [sorted(glob.glob(word)) if "/*" in word else [word] for word in shlex.split(line)]
    found = trackside(*(word for each in words for word in each))
    notes = (
        "warning: TAG_OF_FILE the file has no tag",  # JSON
    )
    told = [each for each in found.err.splitlines() if not any(note in each for note in notes)]
    assert (found.status, told) == (0, [])
    output = re.search(r"-o (\S+)", line)
    assert Path(output[1]).stat().st_size if output else found.out


def test_no_line_is_overlooked():
    lines = set(documented())
    assert len(lines) > 20
    assert all(any(line.startswith(command) for line in lines) for command in main.COMMANDS)
