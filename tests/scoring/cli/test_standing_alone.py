"""The command line without Django, without the site, and at once."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from scoring.cli.main import COMMANDS

ROOT = Path(__file__).resolve().parents[3]
ALLOWED = ("campaigns.trec", "scoring.core", "scoring.library", "scoring.cli")
LOADED_LATE = (
    "numpy",
    "scipy",
    "django",
    "multiprocessing",
    "concurrent.futures.process",
    "difflib",
)


def python(*arguments):
    return subprocess.run(
        [sys.executable, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True
    )


def without(*modules):
    blocked = "".join(f"sys.modules[{name!r}] = None; " for name in modules)
    return f"import sys; {blocked}from scoring.cli.main import main; sys.exit(main(sys.argv[1:]))"


def test_python_m_scoring_is_the_command(trackside):
    found = python("-m", "scoring", "evaluate", "-m", "map", trackside.qrels, trackside.run)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout == f"{'map':<22}\tall\t0.4833\n"
    assert python("-m", "scoring", "evaluate", "nowhere", "either").returncode == 2


def test_every_command_works_with_numpy_as_its_only_package(trackside):
    script = without("django", "trackside", "tqdm", "celery", "rest_framework", "scipy")
    topics = trackside.write("topics", "1\ta\n2\tb\n10\tc\n99\td\n")
    matrix = trackside.write("matrix.csv", "a,b\n" + "1,2\n2,1\n3,1\n4,2\n5,2\n6,2\n" * 3)
    for arguments in (
        ("evaluate", trackside.qrels, trackside.run, "--workers", 2),
        ("check", trackside.run, "--topics", topics),
        ("agreement", trackside.qrels, trackside.run, trackside.run, "-m", "AP", "-m", "SP@5"),
        *(("significance", "--scores", matrix, "--test", test) for test in ("t", "wilcoxon")),
        ("stability", "--scores", matrix, "--splits", "5"),
        ("topics", "--scores", matrix, "--difference", ".1"),
        ("ranks", "--scores", matrix),
        ("select", trackside.run, "--method", "C", "--p", 0.8, "--budget", 2),
        ("sample", trackside.run, "--p", 0.8, "--budget", 8),
        ("properties", "P@k"),
    ):
        found = python("-c", script, *arguments)
        assert (found.returncode, found.stderr) == (0, ""), arguments
        assert found.stdout, arguments


def loaded(*arguments):
    """Which of the slow packages a command loads."""
    script = (
        "import sys; from scoring.cli.main import main; status = main(sys.argv[1:])\n"
        f"sys.exit(status or ' '.join(name for name in {LOADED_LATE} if name in sys.modules) or 0)"
    )
    found = python("-c", script, *arguments)
    assert found.returncode in (0, 1), found.stderr
    return found.stderr.split(), found.stdout


def test_scoring_plain_files_loads_nothing_that_only_others_need(trackside):
    unneeded = (
        "statistics",
        "tempfile",
        "random",
        "difflib",
        "subprocess",
        "scoring.core.diversity",
    )
    script = (
        "import sys; from scoring.cli.main import main; main(sys.argv[1:])\n"
        f"sys.exit(' '.join(name for name in {unneeded} if name in sys.modules))"
    )
    found = python("-c", script, "evaluate", trackside.qrels, trackside.run)
    assert found.stderr.strip() == ""
    assert found.stdout


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)])
def test_help_loads_nothing_slow(command):
    slow, printed = loaded(*command, "--help")
    assert slow == []
    assert "\nexamples:\n" in printed


def test_help_lists_every_command():
    assert all(f"  {command} " in loaded("--help")[1] for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_teaches_by_example(trackside, command):
    found = trackside(command, "--help")
    assert (found.status, found.err) == (0, "")
    assert f"\nexamples:\n  trackside {command} " in found.out


def test_scoring_a_run_waits_for_nothing_that_it_does_not_need(trackside):
    """One worker needs no pool of them."""
    measures = [text for name in ("AP", "nDCG", "RBP(p=0.8)") for text in ("-m", name)]
    slow, printed = loaded("evaluate", trackside.qrels, trackside.run, *measures)
    assert slow == ["numpy"]
    assert "ndcg" in printed


def test_the_command_line_knows_files_and_arrays_only():
    for path in (ROOT / "scoring" / "cli").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            for name in names:
                ours = name.split(".")[0] in ("campaigns", "scoring", "trackside", "django")
                assert not ours or name.startswith(ALLOWED), f"{path.name} imports {name}"


def test_an_unknown_command_is_named(trackside):
    found = trackside("evalute")
    assert (found.status, found.out) == (2, "")
    assert "unknown command 'evalute'" in found.err


def test_a_reader_who_has_seen_enough_is_no_error(trackside):
    lines = "1 Q0 A 1 9 r\n" + "".join(f"1 Q0 d{i} 1 {i} r\n" for i in range(9))
    run = trackside.write("long", lines)
    arguments = [trackside.qrels, *[run] * 200, "-m", "all_trec"]
    command = [sys.executable, "-m", "scoring", "evaluate", *arguments]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait() == 0
