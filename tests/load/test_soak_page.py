"""The verdict and the page of a soak, from what was seen."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.load import soak_page
from tests.load.soak_page import slope

ROOT = Path(__file__).resolve().parents[2]
SECONDS = [10.0 * at for at in range(451)]  # 75 minutes


def grown(by_hour: float, *, until: float = 4500.0) -> dict[str, list[float]]:
    megabytes = [100 + by_hour * min(second, until) / 3600 for second in SECONDS]
    return {"seconds": SECONDS, "megabytes": megabytes, "descriptors": [20] * len(SECONDS)}


def test_the_slope_is_that_of_the_last_45_minutes() -> None:
    line = grown(12.0)
    assert slope(SECONDS, line["megabytes"]) == pytest.approx((12.0, 0.0), abs=1e-9)
    warm = grown(60.0, until=1800.0)
    assert slope(SECONDS, warm["megabytes"]) == pytest.approx((0.0, 0.0), abs=1e-9)


def test_the_standard_error_is_that_of_the_means_of_five_minutes() -> None:
    """Nine means of 0 and one of 9 at the end. With x = -4 ... 4 twelfths of an hour, the slope is
    4 * 9 / 60 * 12 = 7.2 an hour. The residuals are y - 1 - 0.6 x; their squares sum to
    81 - 9 - 0.6 ** 2 * 60 = 50.4, so the standard error is sqrt(50.4 / 7 / 60) * 12 = 4.157."""
    megabytes = [9.0 if second >= 4200 else 0.0 for second in SECONDS]
    found = slope(SECONDS, megabytes)
    assert found.an_hour == pytest.approx(7.2)
    assert found.error == pytest.approx(4.1569, abs=1e-4)


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, 0),
        ({"faults": 1}, 1),
        ({"unfinished": 1}, 1),
        ({"processes": {"web0": grown(4.0), "worker0": grown(6.0)}}, 1),
    ],
)
def test_a_limit_that_is_passed_fails_and_the_page_says_by_how_much(
    changes: dict[str, Any], status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = {
        "day": "2026-01-02",
        "minutes": 75.0,
        "cores": 2,
        "uploads": 4000,
        "pages": 9000,
        "faults": 0,
        "unfinished": 0,
        "processes": {"web0": grown(4.0), "worker0": grown(0.0)},
    } | changes
    (tmp_path / "soak.json").write_text(json.dumps(seen))
    tables: dict[str, list[str]] = {}
    monkeypatch.setattr(soak_page, "write_table", tables.__setitem__)
    monkeypatch.setattr(soak_page, "CHART", tmp_path / "charts" / "soak.svg")
    assert soak_page.write(tmp_path / "soak.json") == status
    assert "| web0 | 100 | 105 | +4.0 | 0.0 | 20 | 20 |" in tables["soak"]
    drawn = ElementTree.fromstring((tmp_path / "charts" / "soak.svg").read_text())
    lines = [each for each in drawn if each.tag.endswith("path") and "stroke" in each.attrib]
    assert len(lines) == 2


def test_a_soak_needs_no_settings_of_django_for_what_it_writes(tmp_path: Path) -> None:
    """An hour of traffic was lost because its date was asked of Django."""
    script = (
        "from pathlib import Path\n"
        "from tests.load import soak\n"
        f"soak.SEEN = Path({str(tmp_path / 'var' / 'soak.json')!r})\n"
        "soak.note(soak.Traffic([202, 202], [200, 503]), [], runs=2, scored=2, undone=1)"
    )
    environment = {k: v for k, v in os.environ.items() if k != "DJANGO_SETTINGS_MODULE"}
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=environment, check=True)
    seen = json.loads((tmp_path / "var" / "soak.json").read_text())
    assert (seen["uploads"], seen["pages"], seen["faults"], seen["unfinished"]) == (2, 2, 1, 1)
