"""The embedded site's message folder gives whole messages, whenever it is looked at."""

import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection

from tests.patience import PATIENCE
from trackside.embedded import filesystem_broker
from trackside.folder_broker import Channel

MESSAGES = 2000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "broker"


@pytest.fixture
def channel(folder: Path) -> Iterator[Channel]:
    options = filesystem_broker(folder, polling_interval=0.1)
    with Connection("filesystem://", transport_options=options) as connection:
        yield connection.channel()


def test_a_reader_that_looks_all_the_time_gets_every_message_whole(channel: Channel) -> None:
    """kombu's own folder fails here within some hundred messages."""
    got: list[int] = []
    wrong: list[Exception] = []

    def read_all() -> None:
        while len(got) < MESSAGES and not wrong:
            try:
                got.append(super(Channel, channel)._get("celery")["number"])
            except Empty:
                continue
            except Exception as error:
                wrong.append(error)

    reader = threading.Thread(target=read_all, daemon=True)
    reader.start()
    for number in range(MESSAGES):
        channel._put("celery", {"number": number})
    reader.join(PATIENCE)
    assert wrong == []
    assert sorted(got) == list(range(MESSAGES))


@pytest.mark.parametrize("content", [b"", b'{"body": "eyJ', b"\xff\xfe"])
def test_half_a_message_is_dropped(channel: Channel, folder: Path, content: bytes) -> None:
    (folder / "messages" / "1_half.celery.msg").write_bytes(content)
    with pytest.raises(Empty):
        channel._get("celery")
    assert list((folder / "messages").iterdir()) == []


def test_an_incomplete_table_of_queues_is_replaced(channel: Channel, folder: Path) -> None:
    table = folder / "control" / "celery.exchange"
    table.write_bytes(b"")
    channel._queue_bind("celery", "celery", "", "celery")
    assert [tuple(row) for row in channel.get_table("celery")] == [("celery", "", "celery")]
