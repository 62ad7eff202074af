"""Draws which package imports which, from the imports in the code.

`python -m tools.import_graph` writes the graph into docs/architecture.md as a Mermaid diagram. Its
nodes are the packages and modules directly inside the apps. Arrows that others imply are omitted:
if A → B and B → C are drawn, A → C is not. The imports of the module by which `campaigns` calls
`scoring` are dotted. Without them, all imports point downward.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "architecture.md"
APPS = ("campaigns", "scoring")
HOOKS = "campaigns.scoring_hooks"
LEFT_OUT = {"apps", "migrations", "management", "templatetags", "urls"}

Graph = dict[str, set[str]]


def main() -> None:
    text = PAGE.read_text()
    block = f"```mermaid\n{picture(packages())}\n```"
    PAGE.write_text(re.sub(r"```mermaid\n.*?\n```", lambda _: block, text, flags=re.DOTALL))


def packages() -> Graph:
    """The other packages that each package imports."""
    graph: Graph = {}
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            here = _package(".".join(path.relative_to(ROOT).with_suffix("").parts))
            if here:
                there = {_package(name) for name in _imported(path)} - {here, ""}
                graph.setdefault(here, set()).update(there)
    return graph


def picture(graph: Graph) -> str:
    solid = reduced({here: set() if here == HOOKS else there for here, there in graph.items()})
    arrows = [(here, "-->", there) for here in solid for there in sorted(solid[here])]
    arrows += [(HOOKS, "-.->", there) for there in sorted(graph[HOOKS]) if _app(there) == "scoring"]
    lines = ["flowchart TB"]
    for app in APPS:
        lines.append(f"  subgraph {app}")
        lines += [f"    {_node(here)}" for here in sorted(graph) if _app(here) == app]
        lines.append("  end")
    lines += [f"  {_id(here)} {arrow} {_id(there)}" for here, arrow, there in arrows]
    lines.append(
        f"  %% {len(graph)} packages, {sum(map(len, graph.values()))} imports between them"
    )
    return "\n".join(lines)


def reduced(graph: Graph) -> Graph:
    """The graph without the arrows that other paths imply. It must have no cycles."""
    return {
        here: {
            there
            for there in others
            if not any(there in _reachable(graph, via) for via in others - {there})
        }
        for here, others in graph.items()
    }


def cycles(graph: Graph) -> list[set[str]]:
    """Packages that import each other, directly or through others."""
    below = {here: _reachable(graph, here) for here in graph}
    groups = [{there for there in below[here] if here in below[there]} for here in graph]
    return [group for at, group in enumerate(groups) if group and group not in groups[:at]]


def _reachable(graph: Graph, start: str) -> set[str]:
    reached: set[str] = set()
    ahead = list(graph.get(start, ()))
    while ahead:
        here = ahead.pop()
        if here not in reached:
            reached.add(here)
            ahead += graph.get(here, ())
    return reached


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _package(module: str) -> str:
    """campaigns.runs.views → campaigns.runs; "" for a module that is in none."""
    app, package = [*module.split("."), ""][:2]
    is_package = app in APPS and package not in LEFT_OUT and not package.startswith("__")
    return f"{app}.{package}" if is_package and package else ""


def _app(package: str) -> str:
    return package.split(".")[0]


def _node(package: str) -> str:
    return f'{_id(package)}["{package.split(".")[1]}"]'


def _id(package: str) -> str:
    return package.replace(".", "_")


if __name__ == "__main__":
    main()
