"""The values of a grade cell that are no grade; grades are 0 to 127."""

from typing import Final

UNJUDGED: Final = -1  # the run has a document here, and nobody judged it
IN_POOL: Final = -2  # on the way to a cell: the qrels have the document, but nobody judged it
PAST_END: Final = -128  # the run has no document here
HIGHEST_POSSIBLE_GRADE: Final = 127  # grades are held in int8
