"""Imports go down: read from the source, so that nobody has to remember."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# The floor of each module, by the longest prefix that fits; 0 is the ground.
FLOORS = {
    "campaigns.trec": 0,
    "campaigns.models": 1,
    "campaigns.clock": 1,
    "campaigns.migrations": 1,
    "campaigns.access": 2,
    "campaigns.choices": 2,
    "campaigns.letters": 2,
    "campaigns.outages": 2,
    "campaigns.participation": 2,
    "campaigns.stored_files": 2,
    "campaigns": 3,  # the acts: intake, lifecycle, people, ...
    "campaigns.views": 4,
    "campaigns.api": 4,
    "campaigns.forms": 4,
    "campaigns.routes": 5,
    "campaigns.urls": 6,
    "campaigns.apps": 5,
    "campaigns.management": 4,
    "scoring.core": 0,
    "scoring.faults": 0,
    "scoring.probes": 0,
    "scoring.stopwatch": 0,
    "scoring.tracing": 0,
    "scoring.models": 1,
    "scoring.migrations": 1,
    "scoring.job_order": 2,
    "scoring.jobs": 2,
    "scoring.loading": 2,
    "scoring.reading": 2,
    "scoring.definitions": 2,
    "scoring": 3,  # the acts: evaluation, checking, leaderboard, exports, ...
    "scoring.tasks": 4,
    "scoring.draining": 4,
    "scoring.views": 4,
    "scoring.api": 4,
    "scoring.templatetags": 4,
    "scoring.management": 5,
    "scoring.routes": 5,
    "scoring.urls": 6,
    "scoring.bench": 5,
    "scoring.cli": 4,
    "scoring.__main__": 5,
    "scoring.apps": 5,
}
WINGS = ("campaigns", "scoring")

# The one place where campaigns calls up the other wing.
THE_BELL = "campaigns.bell"


def modules() -> Iterator[tuple[str, Path]]:
    for wing in (*WINGS, "config"):
        for path in sorted((ROOT / wing).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def imports_of(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield name.name, node.lineno
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, node.lineno
            # `from campaigns import bell` imports a module too
            for name in node.names:
                yield f"{node.module}.{name.name}", node.lineno


def floor_of(module: str) -> int:
    parts = module.split(".")
    for length in range(len(parts), 0, -1):
        prefix = ".".join(parts[:length])
        if prefix in FLOORS:
            return FLOORS[prefix]
    raise AssertionError(f"{module} stands on no floor")


def is_module(name: str) -> bool:
    path = ROOT / Path(*name.split("."))
    return path.with_suffix(".py").exists() or path.is_dir()


def wrong_imports() -> Iterator[str]:
    for module, path in modules():
        wing = module.split(".")[0]
        for imported, line in imports_of(path):
            target = imported.split(".")[0]
            if target not in (*WINGS, "config") or not is_module(imported) or imported in WINGS:
                continue
            if target == "config" and wing != "config":
                yield f"{module}:{line} imports {imported}: config is known by none"
            elif wing == "config":
                continue
            elif wing == "campaigns" and target == "scoring" and module != THE_BELL:
                yield f"{module}:{line} imports {imported}: only {THE_BELL} may"
            elif floor_of(imported) > floor_of(module):
                yield f"{module}:{line} imports {imported}: upstairs"


def test_imports_go_down() -> None:
    assert list(wrong_imports()) == []


@pytest.mark.parametrize("package", ["campaigns.trec", "scoring.core"])
def test_the_ground_floor_knows_no_django(package: str) -> None:
    for module, path in modules():
        if module.startswith(package):
            roots = {imported.split(".")[0] for imported, _ in imports_of(path)}
            assert not roots & {"django", "rest_framework", "celery", "campaigns"} - {
                package.split(".")[0]
            }, module


def test_the_wings_front_doors_are_empty() -> None:
    for wing in WINGS:
        assert (ROOT / wing / "__init__.py").read_text() == ""


def test_no_act_is_imported_inside_a_function() -> None:
    """A circle is mended by moving the shared thing down, not by hiding the import."""
    hidden = [
        f"{module}:{node.lineno}"
        for module, path in modules()
        if not module.startswith("config")
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert hidden == []


def test_the_core_imports_with_django_blocked() -> None:
    script = (
        "import sys; sys.modules['django'] = None\n"
        "import scoring.core.measures.catalogue, scoring.core.ranking, scoring.core.means\n"
        "import campaigns.trec.runs, campaigns.trec.qrels"
    )
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)
