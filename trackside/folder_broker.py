"""The embedded site's message folder: kombu's, with messages that appear whole or not at all.

kombu writes a message in the folder where others read: who lists it at that moment reads half a
message, and a worker dies of that for good. Here it is written under another name first.
"""

import logging
from pathlib import Path
from queue import Empty
from time import monotonic
from typing import Any
from uuid import uuid4

from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.json import dumps

log = logging.getLogger(__name__)


class Channel(filesystem.Channel):
    def _put(self, queue: str, payload: dict[str, Any], **kwargs: object) -> None:
        name = f"{round(monotonic() * 1000)}_{uuid4()}.{queue}.msg"
        draft = Path(self.data_folder_out, f"{name}.draft")  # no reader looks for such a name
        draft.write_text(dumps(payload))
        draft.rename(draft.with_suffix(""))

    def _get(self, queue: str) -> dict[str, Any]:
        try:
            return super()._get(queue)
        except ValueError as error:  # left by a crash; the sweeper rings again for what it was
            log.warning("Dropped a message that is no message: %s", error)
            raise Empty from error

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str, queue: str) -> None:
        try:
            super()._queue_bind(exchange, routing_key, pattern, queue)
        except ValueError:  # half a table of queues, left by a crash
            self._exchange_file(exchange).unlink(missing_ok=True)
            super()._queue_bind(exchange, routing_key, pattern, queue)


class Transport(filesystem.Transport):
    Channel = Channel


def install() -> None:
    """From now on `filesystem://` means this folder."""
    TRANSPORT_ALIASES["filesystem"] = f"{__name__}:Transport"
