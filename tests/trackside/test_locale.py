"""Text files are in UTF-8, whatever the locale of the process."""

import os
import subprocess
import sys
from pathlib import Path

IN_ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
PROGRAM = """
import sys
from pathlib import Path

import django

django.setup()

from campaigns.folders import _write_table
from campaigns.models import Run, Team
from trackside.guides.pages import guides

run = Run(public_id="1", tag="bm25", name="caf\\u00e9", team=Team(pk=1, name="\\u4eac\\u5927"))
_write_table([run], Path(sys.argv[1]))
assert "\\u03c4" in guides()["researcher"].html
"""


def test_guides_and_the_runs_table_need_no_locale_of_utf_8(tmp_path: Path) -> None:
    table = tmp_path / "runs.csv"
    settings = {"DJANGO_SETTINGS_MODULE": "trackside.settings", "VAR_DIR": str(tmp_path)}
    environment = os.environ | IN_ASCII | settings
    subprocess.run([sys.executable, "-c", PROGRAM, table], env=environment, check=True)
    assert "caf\u00e9,\u4eac\u5927," in table.read_text(encoding="utf-8")
