"""How often topics may be drawn at random: more takes hours, or all memory. And how few of them say
something about other topics."""

from typing import Final

MOST_SAMPLES: Final = 1_000_000
MOST_SPLITS: Final = 100_000
LEAST_TOPICS: Final = 5  # two topics have three different samples, and one degree of freedom
LEAST_SPLIT: Final = 2 * LEAST_TOPICS  # into halves
