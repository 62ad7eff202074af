"""`sample` and `estimate`: what they print, and what they refuse."""

import csv
import io
from pathlib import Path

import pytest

RUNS = {"one": "a b c d e f", "two": "c b g h a", "three": "h a i j"}


@pytest.fixture
def runs(trackside):
    return [
        trackside.write(
            name,
            "".join(
                f"{topic} Q0 {document} {rank} {-rank} {name}\n"
                for topic in (1, 2)
                for rank, document in enumerate(documents.split(), start=1)
            ),
        )
        for name, documents in RUNS.items()
    ]


def qrels(trackside, name, documents, grade):
    lines = [f"{topic} 0 {doc_id} {grade(doc_id)}\n" for topic, doc_id in documents]
    return trackside.write(name, "".join(lines))


@pytest.fixture
def campaign(trackside, runs):
    """The paths of a sample, of people's judgments and of a program's."""
    drawn = trackside("sample", *runs, "--p", ".7", "--budget", 10)
    assert (drawn.status, drawn.err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(drawn.out)))
    assert len(rows) == 10
    every = [(topic, doc_id) for topic in "12" for doc_id in "abcdefghij"]
    return (
        trackside.write("sample.csv", drawn.out),
        qrels(
            trackside,
            "people",
            [(row["topic"], row["doc_id"]) for row in rows],
            lambda doc_id: int(doc_id in "ach"),
        ),
        qrels(trackside, "program", every, lambda doc_id: int(doc_id in "abg")),
    )


def test_estimates_are_printed_as_csv(trackside, runs, campaign):
    found = trackside("estimate", *campaign, *runs, "-m", "P@2", "-m", "RBP(p=0.7)")
    rows = list(csv.DictReader(io.StringIO(found.out)))
    assert found.status == 0
    assert [(row["run"], row["measure"]) for row in rows] == [
        (run, measure) for measure in ("P@2", "RBP(p=0.7)") for run in RUNS
    ]
    assert [float(row["program"]) for row in rows[:3]] == [1, 0.5, 0.5]
    pairs = trackside("estimate", *campaign, *runs, "-m", "P@2", "--differences")
    rows = list(csv.DictReader(io.StringIO(pairs.out)))
    assert [(row["a"], row["b"]) for row in rows] == [
        ("one", "two"), ("one", "three"), ("two", "three"),
    ]  # fmt: skip


def test_a_faulty_line_of_the_sample_is_named(trackside, runs, campaign):
    sample, people, program = campaign
    lines = Path(sample).read_text().splitlines()
    cells = lines[2].split(",")
    cells[4] = "1.5"
    broken = trackside.write("broken.csv", "\n".join([*lines[:2], ",".join(cells), *lines[3:]]))
    found = trackside("estimate", broken, people, program, *runs, "-m", "P@2")
    assert (found.status, found.out) == (2, "")
    assert f"{broken}: line 3: TABLE probability does not lie in 0 < probability <= 1" in found.err


def test_a_sample_that_excel_saved_with_semicolons(trackside, runs, campaign):
    sample, people, program = campaign
    rest = (people, program, *runs, "-m", "P@2")
    expected = trackside("estimate", sample, *rest)
    saved = Path(sample).read_text().replace(",", ";").replace("\n", "\r\n")
    found = trackside("estimate", trackside.write("saved.csv", f"\ufeff{saved}"), *rest)
    assert (found.status, found.out) == (0, expected.out)


def test_a_judgment_outside_of_the_sample_is_named(trackside, runs, campaign):
    sample, people, program = campaign
    count = len(Path(people).read_text().splitlines())
    more = trackside.write("more", Path(people).read_text() + "1 0 unheard 1\n")
    found = trackside("estimate", sample, more, program, *runs, "-m", "P@2")
    assert found.status == 2
    assert (
        f"{more}: line {count + 1}: document unheard of topic 1 is not in the sample" in found.err
    )


def test_standard_input_is_read_once_and_a_budget_too_small_is_refused(trackside, runs, campaign):
    found = trackside("estimate", "-", "-", campaign[2], *runs, "-m", "P@2")
    assert (found.status, "can be read only once" in found.err) == (2, True)
    found = trackside("sample", *runs, "--budget", 3)
    assert (found.status, found.out) == (2, "")
    assert found.err == "--budget: it must be at least 4, two documents for each topic\n"
    for option, value, why in [
        ("--seed", -1, "it must not be negative"),
        ("--uniform", 2, "2.0 does not lie in 0..1"),
    ]:
        found = trackside("sample", *runs, "--budget", 9, option, value)
        assert (found.status, found.out, found.err) == (2, "", f"{option}: {why}\n")


def test_what_cannot_be_estimated_names_the_options(trackside, runs, campaign):
    found = trackside("estimate", *campaign, *runs, "-m", "AP")
    assert found.status == 2
    assert found.err.startswith("-m AP: no estimate from a sample")
    found = trackside(
        "estimate", *campaign, *runs, "-m", "RBP(p=0.8,gain=map)", "--gain-map", "0=0"
    )
    assert found.status == 2
    assert found.err.startswith("--gain-map: grade 1 has no gain")
