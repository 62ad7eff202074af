"""The embedded site's message folder: that of kombu, with atomic writes.

kombu writes a message in the folder that others read. A worker that lists the folder at that moment
reads half a message and does not recover. Here a message is written under another name first and
then renamed.
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
        # kombu reads files in the order of their names.
        name = f"{round(monotonic() * 1000)}_{uuid4()}.{queue}.msg"
        draft = Path(self.data_folder_out, f"{name}.draft")  # no reader looks for such a name
        draft.write_text(dumps(payload))
        draft.rename(draft.with_suffix(""))

    def _get(self, queue: str) -> dict[str, Any]:
        try:
            return super()._get(queue)
        except ValueError as error:  # left by a crash; the sweeper sends the message again
            log.warning("Dropped an invalid message: %s", error)
            raise Empty from error

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str, queue: str) -> None:
        try:
            super()._queue_bind(exchange, routing_key, pattern, queue)
        except ValueError:  # an incomplete table of queues, left by a crash
            self._exchange_file(exchange).unlink(missing_ok=True)
            super()._queue_bind(exchange, routing_key, pattern, queue)


class Transport(filesystem.Transport):
    Channel = Channel


def install() -> None:
    """Makes `filesystem://` mean this folder."""
    TRANSPORT_ALIASES["filesystem"] = f"{__name__}:Transport"
