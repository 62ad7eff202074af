"""The one stylesheet: a brace that is lost would shut away all that stands behind it."""

import re
from pathlib import Path

STYLES = Path(__file__).resolve().parents[2] / "static" / "trackside.css"


def test_every_part_of_the_stylesheet_begins_outside_of_any_other() -> None:
    depth, inside = 0, []
    for line in STYLES.read_text().splitlines():
        if line.startswith("/* ---") and depth:
            inside.append(line)
        bare = re.sub(r"/\*.*?\*/", "", line)
        depth += bare.count("{") - bare.count("}")
    assert (inside, depth) == ([], 0)
