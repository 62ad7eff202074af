"""What the site refuses to do: one class a reason, each with the code that the API answers.

The message says why, in words for the person who tried.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import ClassVar

from django.contrib import messages
from django.http import HttpRequest

from campaigns.trec.problems import FormatError


class Refusal(Exception):
    """Not as things are now; nothing was changed."""

    code: ClassVar[str]


@contextmanager
def show_refusals(request: HttpRequest) -> Iterator[None]:
    """What is refused inside is told on the page that follows."""
    try:
        yield
    except Refusal as error:
        messages.error(request, str(error))


class CannotChangeStage(Refusal):
    """The campaign is not ready for that; the message says what is missing."""

    code = "cannot_step"


class Archived(CannotChangeStage):
    """Nothing of an archived campaign is changed."""

    code = "archived"


class CannotDelete(Refusal):
    """The campaign stays."""

    code = "cannot_delete"


class CannotAdjudicate(CannotChangeStage):
    """The documents on which assessors disagree stay undecided."""

    code = "cannot_decide"


class CannotAssignTopics(CannotChangeStage):
    """The topics stay with the assessors who have them."""

    code = "cannot_share"


class CannotJudge(Refusal):
    """The document is not, or no longer, this assessor's to judge."""

    code = "cannot_judge"


class CannotRemoveTopics(CannotChangeStage):
    """These topics have to stay."""

    code = "cannot_remove"


class NothingJudged(CannotChangeStage):
    """There are no judgments to freeze."""

    code = "nothing_judged"


class CannotActivateQrels(CannotChangeStage):
    """This version of the qrels cannot be activated now."""

    code = "cannot_activate"


class CannotTakeSnapshot(CannotChangeStage):
    """There is no board to take a snapshot of yet, or it is not whole."""

    code = "cannot_take"


class CannotChangeTeam(Refusal):
    """The team stays as it is."""

    code = "cannot_change"


class CannotMergeTeams(CannotChangeTeam):
    """The two teams stay two; nothing was moved."""

    code = "cannot_merge"


class CannotInvite(CannotChangeTeam):
    """The person who invites was removed in the meantime."""

    code = "cannot_invite"


class CannotJoin(Refusal):
    """The person stays outside."""

    code = "cannot_join"


class CannotRemoveMember(Refusal):
    """The person keeps the role."""

    code = "cannot_remove_member"


class CannotCloseAccount(Refusal):
    """The account cannot be closed yet."""

    code = "cannot_go"


class TooManyTokens(Refusal):
    """The message says what to do, to the person who asked for one more."""

    code = "too_many_tokens"


class SubmissionRefused(Exception):
    """The run was not taken in; the message says why, to its uploader. `next_at` is when another
    one may come, where waiting helps."""

    def __init__(self, message: str, code: str, next_at: datetime | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.next_at = next_at


class FaultyDescription(Exception):
    """What is wrong, by key."""

    def __init__(self, faults: dict[str, str]) -> None:
        super().__init__(faults)
        self.faults = faults


class NeedsConfirmation(FormatError):
    """The file can be used, but an organiser should look first: its problems say at what."""
