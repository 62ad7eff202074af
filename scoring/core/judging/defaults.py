"""What is assumed where nothing is said. Help texts name it, and load nothing else."""

from typing import Final

DEFAULT_BATCH: Final = 20  # judgments after which methods that depend on them choose anew
