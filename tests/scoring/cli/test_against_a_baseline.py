"""The numbers of the guide are what the command line says of the runs of TREC-8."""

import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "researcher.md"
ROW = r"^\| (\w+) \| (\d+) \| (\d+) \| (\d+) \|$"
COLUMNS = ("--test randomisation --correction max-t", "--test t --correction holm")


@pytest.mark.long
@pytest.mark.data
def test_significant_differences_from_a_baseline_of_trec_8(trackside, data: Path) -> None:
    table = re.findall(ROW, GUIDE.read_text(), re.M)
    assert len(table) == 4
    folder = data / "trec8-adhoc"
    files = [folder / "qrels.trec8.adhoc.txt.gz", *sorted((folder / "runs").iterdir())]
    assert len(files) == 1 + 129
    scores = trackside("evaluate", *files, "-m", "AP", "--format", "csv").out.splitlines()[1:]
    means = {line.split(",")[0]: float(line.split(",")[3]) for line in scores}
    ranked = sorted(means, key=means.__getitem__, reverse=True)
    for baseline, rank, *printed in table:
        assert ranked.index(baseline) + 1 == int(rank)
        for options, number in zip(COLUMNS, printed, strict=True):
            asked = ("-m", "AP", "--baseline", baseline, *options.split(), "--count")
            assert trackside("significance", *files, *asked).out == f"{number} 128\n"
