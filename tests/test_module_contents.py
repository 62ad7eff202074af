"""Rules that read more than imports: what modules define, and what templates load."""

import ast
import re
from pathlib import Path
from typing import Final

from scoring.analyses.studies import STUDIES, import_studies
from tests.test_imports import APPS, ROOT, app, is_module, modules


def hidden_imports(source: str) -> list[int]:
    """The lines of imports inside of functions."""
    return [
        node.lineno
        for function in ast.walk(ast.parse(source))
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]


def test_nothing_is_imported_inside_a_function() -> None:
    """A circle is mended by moving the shared thing down, not by hiding the import."""
    assert hidden_imports("def view():\n    import scoring\n") == [2]
    found = {
        name: hidden_imports(path.read_text()) for name, path in modules() if app(name) in APPS
    }
    assert {name: lines for name, lines in found.items() if lines} == {}


def refusals_elsewhere(name: str, source: str) -> list[str]:
    """Classes that refuse and are not in `campaigns.errors`."""
    kinds = {"Refusal", "CannotChangeStage", "CannotChangeTeam"}
    return [
        f"{name}.{node.name}"
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef)
        and kinds & {base.id for base in node.bases if isinstance(base, ast.Name)}
        and name != "campaigns.errors"
    ]


def test_every_refusal_is_defined_with_its_code_in_one_module() -> None:
    assert refusals_elsewhere("campaigns.people.teams", "class No(CannotChangeTeam): ...")
    assert [
        each for name, path in modules() for each in refusals_elsewhere(name, path.read_text())
    ] == []


def tags_of_scoring(template: str, source: str) -> list[str]:
    """Libraries of scoring that a template outside of its folder loads."""
    if template.startswith("scoring/"):
        return []
    loaded = {name for line in re.findall(r"{% load ([\w ]+) %}", source) for name in line.split()}
    return sorted(
        loaded & {path.stem for path in (ROOT / "scoring/templatetags").glob("[a-z]*.py")}
    )


# Functions that only compute, of modules that ask the database as well.
ONLY_COMPUTE: Final = {
    "campaigns.access.preview_query",
    "campaigns.access.preview_terms",
    "campaigns.lifecycle",
    "scoring.results.options.persistence_of",
}


def asking_tags(name: str, source: str) -> list[str]:
    """What a module of template tags imports from where the database is asked: functions and
    modules. Classes are imported for their names."""
    if ".templatetags." not in name:
        return []
    found = [
        (f"{node.module}.{each.name}", node.module)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and node.module and app(node.module) in APPS
        for each in node.names
        if not each.name[0].isupper()
    ]
    asking = {whole for whole, module in found if asks(whole if is_module(whole) else module)}
    return sorted(asking - ONLY_COMPUTE)


def asks(module: str) -> bool:
    path = (ROOT / Path(*module.split("."))).with_suffix(".py")
    signs = r"from django\.db|\.objects\b|\.filter\(|scoring\.(analyses|jobs)|scoring_hooks"
    return path.exists() and re.search(signs, path.read_text()) is not None


def test_template_tags_ask_nothing() -> None:
    planted = (
        "from scoring.leaderboard.significance_bars import SignificanceBars, significance_bars"
    )
    assert asking_tags("scoring.templatetags.x", planted) == [
        "scoring.leaderboard.significance_bars.significance_bars"
    ]
    assert [each for name, path in modules() for each in asking_tags(name, path.read_text())] == []


def computations(name: str, source: str) -> list[str]:
    """The functions of this module that a worker is to find by name."""
    return [
        f"{name}.{node.name}"
        for node in ast.parse(source).body
        if not name.startswith("scoring.core")
        and isinstance(node, ast.FunctionDef)
        and node.name == "compute"
    ]


def test_every_computation_is_that_of_a_study() -> None:
    assert computations("scoring.new.analysis", "def compute(): ...")
    written = {each for name, path in modules() for each in computations(name, path.read_text())}
    import_studies()
    declared = (each.compute for each in STUDIES.values())
    assert {f"{each.__module__}.{each.__name__}" for each in declared} == written


def test_a_template_of_campaigns_loads_no_tags_of_scoring() -> None:
    assert tags_of_scoring("campaigns/x.html", "{% load humanize numbers %}") == ["numbers"]
    found = {
        name: tags_of_scoring(name, path.read_text())
        for path in (ROOT / "templates").rglob("*.html")
        if (name := str(path.relative_to(ROOT / "templates")))
    }
    assert {name: tags for name, tags in found.items() if tags} == {}


def test_the_packages_of_the_apps_are_empty() -> None:
    for name in APPS:
        assert (ROOT / name / "__init__.py").read_text() == ""
