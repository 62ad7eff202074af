"""Ranks in the layout of MS MARCO, which has no scores: each occurs once in a topic."""

from campaigns.trec.problems import Problem, shown


class RankLines:
    """The first line of each rank of a topic. Ranks that increase by 1 from line to line, as in
    most files, take no memory."""

    def __init__(self, rank: int, line: int) -> None:
        self.rank, self.line, self.count = rank, line, 0  # where the regular lines begin
        self.others: dict[int, int] = {}

    def first_line(self, rank: int, line: int) -> int:
        """The line with this rank, which is `line` itself if it is the first."""
        if rank in self.others:
            return self.others[rank]
        place = rank - self.rank
        if 0 <= place < self.count:
            return self.line + place
        # The next rank on the next line: it goes on as it began, and one counter stands for it.
        if place == self.count == line - self.line:
            self.count += 1
            return line
        self.others[rank] = line
        return line


def repeated_rank(topic: bytes, rank: int, lines: tuple[int, int]) -> Problem:
    """`lines` are the first with this rank and another one."""
    message = (
        f"rank {rank} of topic '{shown(topic)}' is already on line {lines[0]}: give each document "
        "of a topic its own rank. If the column has scores, begin with a header, such as qid docno "
        "score; if it has grades, this looks like qrels"
    )
    return Problem("RANK", lines[1], message, 3, str(rank))
