"""Standard input in place of a file; standard output that is narrow, full or closed; Ctrl-C."""

import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from scoring.cli import worker_pool
from scoring.cli.many_runs import for_each_run
from scoring.library.bad_input import BadInput
from tests.patience import PATIENCE, wait_for
from tests.scoring.cli.command import QRELS, RUN

ROOT = Path(__file__).resolve().parents[3]
NO_ESL = ("-m", "ESL(n=9)")  # topic 1 has two relevant documents


def started(*arguments, encoding=None, **options):
    environment = os.environ | ({"PYTHONIOENCODING": encoding} if encoding else {})
    command = [sys.executable, "-m", "scoring", *map(str, arguments)]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stderr=subprocess.PIPE,
        preexec_fn=_hear_ctrl_c,
        **options,
    )


def _hear_ctrl_c():
    """Who was started in the background of a shell ignores it, and so would all below."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def shown(*arguments, given=None, **options):
    """Exit status, output and errors of a process of its own."""
    options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE} | options
    with started(*arguments, **options) as process:
        out, err = process.communicate(given, timeout=PATIENCE)
        return process.returncode, out, err


class TestStandardInput:
    def test_a_run_plain_or_gzipped(self, trackside):
        arguments = ("evaluate", trackside.qrels)
        expected = trackside(*arguments, trackside.run).out.encode()
        for text in (RUN.encode(), gzip.compress(RUN.encode())):
            assert shown(*arguments, "-", given=text) == (0, expected, b"")

    def test_qrels_topics_and_a_matrix(self, trackside):
        for arguments, text in (
            (("evaluate", "-", trackside.run), QRELS),
            (("check", trackside.run, "--topics", "-"), "1\ta\n2\tb\n10\tc\n99\td\n"),
            (("significance", "--test", "t", "--scores", "-"), "a,b\n1,2\n2,1\n"),
        ):
            status, out, err = shown(*arguments, given=text.encode())
            assert (status, err) == (0, b"")
            assert out

    def test_several_workers_leave_it_to_one(self, trackside):
        arguments = ("evaluate", "--workers", 2, "-m", "runid", trackside.qrels, trackside.run, "-")
        status, out, _ = shown(*arguments, given=b"1 Q0 A 1 1 piped\n")
        assert (status, [line.split()[2] for line in out.splitlines()]) == (0, [b"mine", b"piped"])

    def test_faults_have_their_line(self, trackside):
        status, out, err = shown("evaluate", trackside.qrels, "-", given=b"1 Q0 A\n")
        assert (status, out) == (2, b"")
        assert err.startswith(b"-: line 1: FIELDS ")

    def test_it_can_be_read_only_once(self, trackside):
        for arguments in (
            ("evaluate", "-", "-"),
            ("evaluate", trackside.qrels, "-", trackside.run, "-"),
            ("check", "-", "--topics", "-"),
            ("select", "-", "--judged", "-", "--method", "A", "--p", 0.8, "--budget", 1),
        ):
            found = trackside(*arguments)
            assert found == (2, "", "-: standard input can be read only once\n")


class TestNarrowOutput:
    @pytest.mark.parametrize("encoding", ["ascii", "latin-1", "ascii:surrogateescape"])
    def test_what_is_not_defined_is_a_hyphen(self, trackside, encoding):
        found = shown("evaluate", *NO_ESL, trackside.qrels, trackside.run, encoding=encoding)
        assert found == (0, b"ESL(n=9)              \tall\t-\n", b"")

    def test_a_dash_where_it_can_be(self, trackside):
        found = shown("evaluate", *NO_ESL, trackside.qrels, trackside.run, encoding="utf-8")
        assert found[1].decode() == "ESL(n=9)              \tall\t–\n"

    def test_other_characters_as_json_writes_them(self, trackside):
        run = trackside.write("run2", "1 Q0 caf\u00e9\u2013\U0001f600 1 1 r\n")
        arguments = ("--method", "A", "--p", 0.8, "--budget", 1)
        status, out, err = shown("select", run, *arguments, encoding="ascii")
        assert (status, err) == (0, b"")
        assert out.splitlines()[1] == rb"1,1,caf\u00e9\u2013\ud83d\ude00,0.2"

    @pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
    def test_a_path_that_is_no_text_is_still_json(self, trackside, encoding):
        topics = trackside.write("topics", "1\ta\n")
        run = Path(os.fsdecode(os.fsencode(trackside.folder) + b"/caf\xe9"))
        run.write_text("1 Q0 A 1 1 r\n")
        status, out, _ = shown("check", run, "--topics", topics, "--json", encoding=encoding)
        assert (status, json.loads(out)["file"]) == (0, str(run))


class TestOutputThatFails:
    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
    @pytest.mark.parametrize(
        "arguments",
        [("evaluate",), ("evaluate", "--format", "csv"), ("evaluate", "--help"), ("--help",)],
    )
    def test_a_full_disk_is_one_line(self, trackside, arguments):
        files = () if "--help" in arguments else (trackside.qrels, trackside.run)
        with open("/dev/full", "wb") as full:
            status, _, err = shown(*arguments, *files, stdout=full)
        assert (status, err) == (1, b"trackside: standard output: No space left on device\n")

    def test_a_closed_one_too(self, trackside):
        script = f"exec {sys.executable} -m scoring evaluate '{trackside.qrels}' - >&-"
        found = subprocess.run(["sh", "-c", script], cwd=ROOT, capture_output=True, input=b"")
        assert (found.returncode, found.stderr) == (1, b"trackside: standard output is closed\n")


def test_want_of_memory_is_one_line(trackside):
    found = trackside("sample", trackside.run, "--budget", 9, "--depth", 10**15 - 1)
    assert found == (1, "", "trackside: not enough memory\n")


def sleeps(pid):
    """Whether the process and its children do."""
    process = psutil.Process(pid)
    everybody = [process, *process.children()]
    return all(each.status() == psutil.STATUS_SLEEPING for each in everybody)


class TestInterrupted:
    """Two runs are pipes nobody writes to, so that there is something to interrupt."""

    @pytest.mark.parametrize("workers", [1, 2])
    @pytest.mark.parametrize("reaches", [os.kill, os.killpg])
    def test_ctrl_c_says_nothing(self, trackside, workers, reaches):
        pipes = [trackside.folder / name for name in ("one", "two")]
        for pipe in pipes:
            os.mkfifo(pipe)
        arguments = ("evaluate", "--workers", workers, trackside.qrels, *pipes)
        with started(*arguments, stdout=subprocess.PIPE, start_new_session=True) as process:
            readers = [pipe.open("wb") for pipe in pipes[:workers]]  # waits until they are read
            # Between a signal and the call that waits Python would not look for it any more.
            wait_for("all to wait for the pipes", lambda: sleeps(process.pid))
            reaches(process.pid, signal.SIGINT)
            try:
                out, err = process.communicate(timeout=PATIENCE)
            finally:
                process.kill()  # else the end of the block would wait for it
            for reader in readers:
                reader.close()
        assert (process.returncode, out, err) == (130, b"", b"")


def _die(path):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_worker_is_told():
    with pytest.raises(BadInput) as refused:
        for_each_run(_die, ["a", "b"], workers=2)
    assert refused.value.messages == (
        "--workers 2: a process was killed, probably because memory ran out; use fewer workers",
    )


def test_processes_that_cannot_be_started_are_told(monkeypatch):
    def nowhere(*_, **__):
        raise OSError(38, "Function not implemented")  # where there is no shared memory

    monkeypatch.setattr(worker_pool, "ProcessPoolExecutor", nowhere)
    with pytest.raises(BadInput) as refused:
        for_each_run(str.upper, ["a", "b"], workers=2)
    assert refused.value.messages == (
        "--workers 2: no processes can be started: Function not implemented",
    )


def test_the_version(trackside):
    found = trackside("--version")
    assert (found.status, found.err) == (0, "")
    assert found.out.startswith("trackside 0.")
    assert "\ngzip: " in found.out
