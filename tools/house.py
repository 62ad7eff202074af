"""Draws which room imports which, from the imports in the code.

`python -m tools.house` writes the graph into docs/architecture.md as a Mermaid diagram. A room is a
package or a module directly inside `campaigns` or `scoring`. Arrows that others imply are omitted:
if A → B and B → C are drawn, A → C is not. The imports of the module by which `campaigns` calls
`scoring` are dotted. Without them, all imports point downward.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "architecture.md"
WINGS = ("campaigns", "scoring")
DOOR = "campaigns.scoring_hooks"
LEFT_OUT = {"apps", "migrations", "management", "templatetags", "urls"}

Graph = dict[str, set[str]]


def main() -> None:
    text = PAGE.read_text()
    block = f"```mermaid\n{picture(rooms())}\n```"
    PAGE.write_text(re.sub(r"```mermaid\n.*?\n```", lambda _: block, text, flags=re.DOTALL))


def rooms() -> Graph:
    """The other rooms that each room imports."""
    graph: Graph = {}
    for wing in WINGS:
        for path in sorted((ROOT / wing).rglob("*.py")):
            here = _room(".".join(path.relative_to(ROOT).with_suffix("").parts))
            if here:
                there = {_room(name) for name in _imported(path)} - {here, ""}
                graph.setdefault(here, set()).update(there)
    return graph


def picture(graph: Graph) -> str:
    solid = reduced({here: set() if here == DOOR else there for here, there in graph.items()})
    arrows = [(here, "-->", there) for here in solid for there in sorted(solid[here])]
    arrows += [(DOOR, "-.->", there) for there in sorted(graph[DOOR]) if _wing(there) == "scoring"]
    lines = ["flowchart TB"]
    for wing in WINGS:
        lines.append(f"  subgraph {wing}")
        lines += [f"    {_node(here)}" for here in sorted(graph) if _wing(here) == wing]
        lines.append("  end")
    lines += [f"  {_id(here)} {arrow} {_id(there)}" for here, arrow, there in arrows]
    lines.append(f"  %% {len(graph)} rooms, {sum(map(len, graph.values()))} imports between them")
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
    """Rooms that import each other, directly or through others."""
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


def _room(module: str) -> str:
    """campaigns.runs.views → campaigns.runs; "" for a module that is in no room."""
    wing, room = [*module.split("."), ""][:2]
    is_room = wing in WINGS and room not in LEFT_OUT and not room.startswith("__")
    return f"{wing}.{room}" if is_room and room else ""


def _wing(room: str) -> str:
    return room.split(".")[0]


def _node(room: str) -> str:
    return f'{_id(room)}["{room.split(".")[1]}"]'


def _id(room: str) -> str:
    return room.replace(".", "_")


if __name__ == "__main__":
    main()
