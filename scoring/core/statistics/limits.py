"""How often topics may be drawn at random: more takes hours, or all memory."""

from typing import Final

MOST_SAMPLES: Final = 1_000_000
MOST_SPLITS: Final = 100_000
