"""The campaign that `make bench` scores has every form of lines that participants write, and tools
that are timed on data frames get the same rows."""

import gzip
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import trackside as ts
from campaigns.trec.runs import read_run
from scoring.demo.simulation import draw_collection
from tests.scoring.oracles.peers import peer
from tools.bench import campaign, frames
from tools.bench.campaign import Campaign, read_campaign, write_campaign
from tools.bench.frames_data import write_real, write_simulated


@pytest.fixture
def simulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Campaign:
    monkeypatch.setattr(campaign, "RUNS", 16)
    return write_campaign(draw_collection(["1", "2"], seed=1, candidates=1200), tmp_path)


def test_simulated_runs_are_written_as_participants_write(simulated: Campaign) -> None:
    files = [Path(path).read_bytes() for path in simulated.plain]
    fields = [line.split() for content in files for line in content.splitlines()]
    assert {len(field[2]) for field in fields} >= {9, 12, 16, 27, 40}
    assert {len(field[4].partition(b".")[2]) for field in fields} >= {0, 1, 4, 17, 32}
    assert any(b"e" in field[4] for field in fields)
    for mark in (b"\t", b"   ", b"\r\n"):
        assert 0 < sum(mark in content for content in files) < len(files)
    runs = [read_run(content, known_topics=("1", "2")) for content in files]
    assert {run.line_count for run in runs} == {2000}
    ranks = [[int(line.split()[3]) for line in content.splitlines()] for content in files]
    assert {min(each) for each in ranks} == {0, 1}
    assert any(each[:1000] != sorted(each[:1000]) for each in ranks)


def test_both_forms_have_the_same_content(simulated: Campaign) -> None:
    for plain, packed in zip(simulated.plain, simulated.packed, strict=True):
        assert gzip.decompress(Path(packed).read_bytes()) == Path(plain).read_bytes()


def test_a_real_campaign_is_unpacked_without_its_faulty_runs(
    simulated: Campaign, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs, scratch = tmp_path / "runs", tmp_path / "scratch"
    runs.mkdir()
    scratch.mkdir()
    (runs / "a.gz").write_bytes(Path(simulated.packed[0]).read_bytes())
    (runs / "b").write_bytes(Path(simulated.plain[1]).read_bytes())
    (runs / "c").write_bytes(b"no run\n")
    found = read_campaign(runs, Path(simulated.qrels), scratch)
    assert [Path(path).name for path in found.plain] == ["a", "b"]
    assert Path(found.plain[0]).read_bytes() == Path(simulated.plain[0]).read_bytes()
    assert gzip.decompress(Path(found.packed[1]).read_bytes()) == (runs / "b").read_bytes()
    assert "c is left out" in capsys.readouterr().out


def test_tools_get_the_same_frames_and_give_the_same_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    peer("ir_measures")
    monkeypatch.setattr(frames, "ROUNDS", 1)
    write_simulated(tmp_path / "data", topics=20, depth=50)
    frames.compare(tmp_path, ranx_python=sys.executable)
    lines = capsys.readouterr().out.splitlines()
    assert "1 run(s), 1,000 rows" in lines[0]
    counted = [line for line in lines if "means by at most" in line]
    assert len(counted) >= 6  # with ranx 8
    for line in counted:
        assert line.split()[-9:-5] == ["0"] * 4
    ours = np.load(tmp_path / "trackside-polars.npy")
    assert ours.shape == (1, 20, 4)
    assert ours.min() == 0 < ours.max()


def test_frames_of_real_runs_have_their_rows(
    simulated: Campaign, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(simulated.plain[0]).parent
    (folder / "no run").write_bytes(b"no run\n")
    write_real(tmp_path / "data", folder, Path(simulated.qrels))
    assert "16 run(s), 32,000 rows" in capsys.readouterr().out
    name = Path(simulated.plain[0]).name
    frame = pd.read_parquet(tmp_path / "data" / "runs" / f"{name}.parquet")
    assert list(frame.columns) == ["query_id", "doc_id", "score"]
    assert ts.read_run(frame).to_dict() == ts.read_run(simulated.plain[0]).to_dict()
