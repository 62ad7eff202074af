"""The import rules: docs/architecture.md says what they are for.

"A → B" means that A imports B. Each rule is a function from imports to offences, so that it is
also shown to find the offence that it is there for.
"""

import ast
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tools import import_graph

ROOT = Path(__file__).resolve().parent.parent
APPS = ("campaigns", "scoring")

# Each may import only those after it.
CAMPAIGNS: Final = (
    {"urls", "irds", "management", "templatetags", "apps"},
    {"folders"},
    {"manage"},
    {"qrels"},
    {"judging"},
    {"runs"},
    {"people"},
    {"uploads"},
    {"quotas", "lifecycle"},
    {"mail"},
    {"scoring_hooks"},
    {"access"},
    {"participation"},
    {"api", "edit_conflicts", "log"},
    {"errors", "options", "reading"},
    {"client_address", "clock", "outages", "stored_files", "text"},
    {"migrations"},
    {"models"},
    {"trec"},
)
BASE: Final = ("output", "analyses", "results", "evaluation", "jobs")
PURE: Final = {"core", "models"}  # what every package of scoring may import of its own app
SUBJECTS: Final = {
    "agreement": set(),
    "baselines": set(),
    "assessors": {"judging"},
    "comparison": {"runs", "topics"},
    "citations": set(),
    "downloads": {"citations", "leaderboard", "runs"},
    "estimates": {"judging"},
    "judging": set(),
    "leaderboard": {"baselines", "citations", "ranks", "significance", "topics"},
    "measures": set(),
    "pools": set(),
    "qrels": {"leaderboard"},
    "queue": set(),
    "ranks": {"significance"},
    "report": {"agreement", "citations", "pools", "significance", "downloads"},
    "runs": {"baselines", "citations", "pools"},
    "significance": set(),
    "topics": {"runs"},
}
# What packages of scoring may import of the other app: all of them, and some besides.
OF_CAMPAIGNS: Final = {
    "access", "api", "client_address", "clock", "errors", "lifecycle", "log", "mail", "models",
    "options", "outages", "participation", "stored_files", "text", "trec",
}  # fmt: skip
BESIDES: Final = {
    "judging": {"judging"},
    "assessors": {"judging"},
    "estimates": {"judging"},
    "qrels": {"qrels"},
    "citations": {"qrels"},
    "downloads": {"qrels"},
    "runs": {"runs"},
    "evaluation": {"runs"},
}


class Import(NamedTuple):
    """One module imports another."""

    module: str
    imported: str

    def __str__(self) -> str:
        return f"{self.module} imports {self.imported}"


Rule = Callable[[Import], bool]  # whether the import offends


def package(module: str) -> str:
    """scoring.runs.views → runs."""
    return [*module.split("."), ""][1]


def app(module: str) -> str:
    return module.split(".")[0]


def within(each: Import, name: str) -> bool:
    return app(each.module) == app(each.imported) == name


def campaigns_rank(name: str) -> int:
    return next(at for at, names in enumerate(CAMPAIGNS) if name in names)


# --- the rules: whether an import offends ------------------------------------------------------


def pure_code_imports_no_framework(each: Import) -> bool:
    for pure in ("campaigns.trec", "scoring.core"):
        if each.module.startswith(pure):
            known = each.imported.startswith(pure)
            roots = {"django", "rest_framework", "celery", "campaigns", "scoring", "trackside"}
            return app(each.imported) in roots and not known
    return False


def the_library_knows_files_and_arrays_only(each: Import) -> bool:
    ours = {"campaigns", "scoring", "trackside", "django", "celery"}
    allowed = ("campaigns.trec", "scoring.core", "scoring.library")
    return (
        each.module.startswith("scoring.library")
        and app(each.imported) in ours
        and not each.imported.startswith(allowed)
    )


def base_imports_go_down(each: Import) -> bool:
    here, there = package(each.module), package(each.imported)
    if not within(each, "scoring") or here not in BASE or here == there or there in PURE:
        return False
    return there not in BASE[BASE.index(here) :]


def campaigns_imports_go_down(each: Import) -> bool:
    here, there = package(each.module), package(each.imported)
    if not within(each, "campaigns") or here == there or not there:
        return False
    if here == "apps":
        return False
    return campaigns_rank(here) >= campaigns_rank(there)


def scoring_knows_only_the_base_of_campaigns(each: Import) -> bool:
    here = package(each.module)
    if app(each.module) != "scoring" or app(each.imported) != "campaigns":
        return False
    if here not in SUBJECTS and here not in BASE:
        return False
    there = package(each.imported)
    return bool(there) and there not in OF_CAMPAIGNS | BESIDES.get(here, set())


def subjects_know_few_others(each: Import) -> bool:
    here, there = package(each.module), package(each.imported)
    if not within(each, "scoring") or here not in SUBJECTS or here == there or not there:
        return False
    return there not in SUBJECTS[here] | {*BASE, *PURE}


def the_api_imports_no_view_and_a_view_no_tag(each: Import) -> bool:
    name = each.module.rsplit(".", 1)[-1]
    if name.endswith("api") and package(each.module) != "api":
        return each.imported.rsplit(".", 1)[-1].endswith("views")
    return name.endswith("views") and ".templatetags" in each.imported


def only_the_hooks_call_scoring(each: Import) -> bool:
    here = each.module
    return (
        app(here) == "campaigns"
        and app(each.imported) == "scoring"
        and package(here) != ("scoring_hooks")
    )


def nobody_imports_the_site(each: Import) -> bool:
    return app(each.module) in APPS and app(each.imported) == "trackside"


def the_site_fetches_nothing(each: Import) -> bool:
    """The client of the library asks URLs that its caller gives; a site must not."""
    ours = each.module == "trackside" or each.module.startswith("trackside.client")
    return each.imported.startswith("trackside.client") and not ours


# Each with an offence that it must find.
RULES: Final[dict[Rule, Import]] = {
    pure_code_imports_no_framework: Import("scoring.core.data.ranking", "django.db"),
    the_library_knows_files_and_arrays_only: Import("scoring.library.table", "scoring.cli.main"),
    base_imports_go_down: Import("scoring.jobs.queue", "scoring.evaluation.rules"),
    campaigns_imports_go_down: Import("campaigns.people.teams", "campaigns.runs.rows"),
    scoring_knows_only_the_base_of_campaigns: Import(
        "scoring.pools.views", "campaigns.judging.plans"
    ),
    subjects_know_few_others: Import("scoring.topics.rows", "scoring.leaderboard.rows"),
    the_api_imports_no_view_and_a_view_no_tag: Import("scoring.pools.api", "scoring.pools.views"),
    only_the_hooks_call_scoring: Import("campaigns.lifecycle", "scoring.jobs.queue"),
    nobody_imports_the_site: Import("scoring.jobs.queue", "trackside.settings"),
    the_site_fetches_nothing: Import("trackside.urls", "trackside.client.site"),
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_no_import_offends(rule: Rule) -> None:
    assert [str(each) for each in every_import() if rule(each)] == []


@pytest.mark.parametrize(
    ("rule", "planted"), RULES.items(), ids=lambda x: getattr(x, "__name__", "")
)
def test_the_rule_finds_a_planted_offence(rule: Rule, planted: Import) -> None:
    assert rule(planted)


# --- what imports without Django ---------------------------------------------------------------


def test_the_core_imports_with_django_blocked() -> None:
    script = (
        "import sys; sys.modules['django'] = None\n"
        "import scoring.core.measures.catalogue, scoring.core.data.ranking\n"
        "import scoring.core.statistics.means, scoring.core.sampling.intervals\n"
        "import campaigns.trec.runs, campaigns.trec.qrels"
    )
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)


def test_the_project_imports_without_django_and_celery() -> None:
    script = "import sys; sys.modules.update(django=None, celery=None); import trackside"
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)


# --- reading -----------------------------------------------------------------------------------


def modules() -> Iterator[tuple[str, Path]]:
    for top in (*APPS, "trackside"):
        for path in sorted((ROOT / top).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


@cache
def every_import() -> tuple[Import, ...]:
    return tuple(_imports())


def _imports() -> Iterator[Import]:
    for module, path in modules():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                yield from (Import(module, name.name) for name in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                for name in node.names:
                    whole = f"{node.module}.{name.name}"
                    yield Import(module, whole if is_module(whole) else node.module)


def is_module(name: str) -> bool:
    path = ROOT / Path(*name.split("."))
    return path.with_suffix(".py").exists() or path.is_dir()


def test_no_packages_import_each_other() -> None:
    graph = import_graph.packages() | {import_graph.HOOKS: set()}
    assert import_graph.cycles(graph) == []
    planted = {"scoring.core": {"scoring.jobs"}, "scoring.jobs": {"scoring.core"}}
    assert import_graph.cycles(graph | planted) == [{"scoring.core", "scoring.jobs"}]


def test_the_picture_is_not_stale() -> None:
    document = (ROOT / "docs" / "architecture.md").read_text()
    drawn = import_graph.picture(import_graph.packages())
    assert f"```mermaid\n{drawn}\n```" in document, "run python -m tools.import_graph"
