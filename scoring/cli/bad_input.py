"""What ends a command with exit status 2: a file that is refused, or arguments that do not fit."""

from collections.abc import Iterable
from typing import Final

BAD_INPUT: Final = 2  # the exit status


class BadInput(Exception):
    """Every fault that was found, one message each; a file's faults begin with its path."""

    def __init__(self, messages: Iterable[str]) -> None:
        self.messages = tuple(messages)
        super().__init__(self.messages)  # as its only argument, so that it can be pickled

    def __str__(self) -> str:
        return "\n".join(self.messages)
