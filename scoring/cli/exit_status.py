"""What the command returns to the shell."""

from typing import Final

FAILED: Final = 1  # no room for the output, or to work in
BAD_INPUT: Final = 2  # a file that is refused, or arguments that do not fit
INTERRUPTED: Final = 130  # Ctrl-C, as shells count it
