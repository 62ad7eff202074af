"""What the proxy accepts is not refused by gunicorn, whose page would not be the site's."""

import pytest

from tests.proxy.conftest import ask
from trackside.stack import Stack

pytestmark = [pytest.mark.long, pytest.mark.faults, pytest.mark.xdist_group("stack")]
LONGEST = 7900  # of a line, nginx's buffers have 8000 bytes


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        ("?x=" + "x" * LONGEST, {}),
        ("", {"X-Long": "x" * LONGEST}),
        ("", {f"X-{number}": "x" for number in range(200)}),
    ],
    ids=["URL", "header", "headers"],
)
def test_whatever_the_proxy_accepts_reaches_the_site(
    stack: Stack, query: str, headers: dict[str, str]
) -> None:
    answer, page = ask(stack.port, "/measures/" + query, headers=headers)
    assert (answer.status, b"Playground" in page) == (200, True)
