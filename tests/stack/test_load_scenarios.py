"""The stack that the scenarios of `make load` share."""

import os
from pathlib import Path

import pytest

from tests.load.__main__ import loaded
from tests.load.costs import settle
from tests.patience import PATIENCE
from tests.stack.submissions import prepare
from trackside.stack import Missing

pytestmark = [pytest.mark.long, pytest.mark.faults, pytest.mark.xdist_group("stack")]
TELL = "from scoring.tasks import tell_due; tell_due()"


def test_all_jobs_end_although_the_site_sends_mails(tmp_path: Path) -> None:
    """The workers' timer does the same one minute after they start. The test takes most of a
    minute, nearly all of it to start the stack of the scenarios, with its database and accounts."""
    try:
        with loaded(tmp_path / "site") as stack:
            prepare(stack)
            stack.manage("shell", "--verbosity", "0", "-c", TELL)
            settle(stack, patience=PATIENCE)
            told = (stack.folder / "recipients").read_text().split()
    except Missing as error:
        if os.environ.get("REQUIRE_SERVICES") == "1":
            pytest.fail(str(error))
        pytest.skip(str(error))
    assert told == ["team@stack.example.org"]
