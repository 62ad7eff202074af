"""The part of Plotly that the charts need is served if npm delivers it, else all of Plotly."""

import ast
import io
import re
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders

from trackside import plotly_script
from trackside.plotly_script import INSIDE, NAME, PACKAGE, WHOLE, install, script, version_of
from trackside.static_finders import PlotlyFinder

ROOT = Path(__file__).resolve().parents[2]
BANNER = "/**\n* plotly.js (cartesian - minified) v{}\n* Copyright\n*/\n"


@pytest.fixture
def part(tmp_path: Path) -> Path:
    return tmp_path / "share" / NAME


def write(part: Path, version: str) -> None:
    part.parent.mkdir(parents=True, exist_ok=True)
    part.write_text(BANNER.format(version))


def test_without_a_part_the_whole_script_is_served(part: Path) -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", version_of(WHOLE))
    assert script(part=part) == WHOLE


def test_a_part_is_served_if_it_is_of_the_same_version(part: Path) -> None:
    write(part, version_of(WHOLE))
    assert script(part=part) == part
    for other in ("1.2.3", version_of(WHOLE) + "1", "unknown"):
        write(part, other)
        assert script(part=part) == WHOLE


def test_the_finder_serves_the_one_that_was_chosen(
    part: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(part, version_of(WHOLE))
    for chosen in (part, WHOLE):
        monkeypatch.setattr("trackside.static_finders.script", lambda chosen=chosen: chosen)
        finder = PlotlyFinder()
        assert finder.find("plotly/plotly.min.js") == str(chosen)
        assert [storage.path(name) for name, storage in finder.list(None)] == [str(chosen)]
        assert finder.find("plotly/datasets") == []
    assert finders.find("plotly/plotly.min.js")


def test_npm_is_asked_for_the_version_of_the_python_package(
    part: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def pack(command: list[str], *, cwd: str, **_: Any) -> None:
        asked.append(command[-1])
        text = BANNER.format("4.5.6").encode()
        with tarfile.open(Path(cwd) / "package-4.5.6.tgz", "w:gz") as package:
            entry = tarfile.TarInfo(INSIDE)
            entry.size = len(text)
            package.addfile(entry, io.BytesIO(text))

    monkeypatch.setattr(subprocess, "run", pack)
    install("4.5.6", part)
    assert asked == [f"{PACKAGE}@4.5.6"]
    assert version_of(part) == "4.5.6"
    assert [path.name for path in part.parent.iterdir()] == [NAME]


@pytest.mark.parametrize(
    "fault",
    [
        FileNotFoundError("npm"),
        subprocess.CalledProcessError(1, "npm"),
        subprocess.TimeoutExpired("npm", 1),
    ],
)
def test_if_npm_fails_the_command_says_so_and_succeeds(
    fault: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise fault

    monkeypatch.setattr(subprocess, "run", fail)
    monkeypatch.setattr(plotly_script, "script", lambda: WHOLE)
    plotly_script.main()
    assert "the whole script of Plotly" in capsys.readouterr().out


def test_the_part_draws_every_kind_of_chart_of_the_site() -> None:
    """Its package has lines, bars, heat maps and other kinds with two axes, but no maps, no pies
    of hierarchies and nothing in three dimensions."""
    used = {
        node.attr
        for path in ROOT.glob("scoring/**/*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "go"
    }
    assert used == {"Figure", "Scatter", "Bar", "Heatmap"}
