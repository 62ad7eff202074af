"""What is refused: a file, a dictionary or a table with faults, or arguments that do not fit."""

from collections.abc import Iterable


class BadInput(ValueError):
    """Every fault that was found, one message each; a file's faults begin with its path."""

    def __init__(self, messages: Iterable[str]) -> None:
        # A name can have halves of surrogate pairs, which no terminal prints.
        self.messages = tuple(each.encode(errors="backslashreplace").decode() for each in messages)
        super().__init__(self.messages)  # as its only argument, so that it can be pickled

    def __str__(self) -> str:
        return "\n".join(self.messages)


class BadArgument(BadInput):
    """Arguments that do not fit: of each its name in the library, and what is wrong with it. The
    command line says the option instead, as it is typed."""

    def __init__(self, faults: Iterable[tuple[str, str]]) -> None:
        self.faults = tuple(faults)
        super().__init__(f"{name}: {why}" for name, why in self.faults)
        # Unpickling passes these to the class, whose argument is faults, not messages.
        self.args = (self.faults,)
