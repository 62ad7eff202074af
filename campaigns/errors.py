"""Exceptions for requests that the site refuses: one class per reason, each with the code that the
API returns.

The message explains the reason to the person who sent the request.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import ClassVar

from django.contrib import messages
from django.http import HttpRequest

from campaigns.trec.problems import FormatError


class Refusal(Exception):
    """The current state does not allow the request. Nothing was changed."""

    code: ClassVar[str]


@contextmanager
def show_refusals(request: HttpRequest) -> Iterator[None]:
    """Shows a refusal as a message on the next page."""
    try:
        yield
    except Refusal as error:
        messages.error(request, str(error))


class CannotChangeStage(Refusal):
    """The campaign is not ready for this step. The message says what is missing."""

    code = "cannot_step"


class Archived(CannotChangeStage):
    """Archived campaigns cannot be changed."""

    code = "archived"


class CannotMarkBaseline(CannotChangeStage):
    """The run does not count, or the campaign has the maximum number of baselines."""

    code = "cannot_mark"


class CannotStatePool(CannotChangeStage):
    """A run that does not count cannot be stated as pooled."""

    code = "cannot_state"


class CannotDelete(Refusal):
    """The campaign cannot be deleted."""

    code = "cannot_delete"


class CannotAdjudicate(CannotChangeStage):
    """The decision on a disagreement was not stored."""

    code = "cannot_decide"


class CannotMarkGold(CannotChangeStage):
    """The document was not marked as gold."""

    code = "cannot_mark_gold"


class CannotAssignTopics(CannotChangeStage):
    """The assignment of topics was not changed."""

    code = "cannot_share"


class CannotJudge(Refusal):
    """The assessor may not, or may no longer, judge the document."""

    code = "cannot_judge"


class CannotChangeProgram(CannotChangeStage):
    """The program that judges documents was not changed."""

    code = "cannot_change_program"


class CannotRemoveTopics(CannotChangeStage):
    """The topics cannot be removed."""

    code = "cannot_remove"


class CannotUpload(CannotChangeStage):
    """The uploaded file was not kept for a worker, or the worker may not store it."""

    code = "cannot_upload"


class NothingJudged(CannotChangeStage):
    """There are no judgments to freeze."""

    code = "nothing_judged"


class CannotFreeze(CannotChangeStage):
    """The sources of the version are not complete."""

    code = "cannot_freeze"


class CannotActivateQrels(CannotChangeStage):
    """This version of the qrels cannot be activated now."""

    code = "cannot_activate"


class CannotTakeSnapshot(CannotChangeStage):
    """There is no complete leaderboard yet."""

    code = "cannot_take"


class CannotChangeTeam(Refusal):
    """The team was not changed."""

    code = "cannot_change"


class CannotMergeTeams(CannotChangeTeam):
    """The teams were not merged."""

    code = "cannot_merge"


class CannotInvite(CannotChangeTeam):
    """The person who invites was removed in the meantime."""

    code = "cannot_invite"


class CannotJoin(Refusal):
    """The person cannot join."""

    code = "cannot_join"


class CannotRemoveMember(Refusal):
    """The role was not removed."""

    code = "cannot_remove_member"


class CannotEditAnnouncement(Refusal):
    """Another organiser has edited or deleted the announcement in the meantime."""

    code = "cannot_edit"


class CannotRequest(Refusal):
    """The person cannot request the permission to create campaigns now."""

    code = "cannot_request"


class CannotCloseAccount(Refusal):
    """The account cannot be closed yet."""

    code = "cannot_go"


class TooManyTokens(Refusal):
    """The account has reached the limit of tokens. The message says what to do."""

    code = "too_many_tokens"


class SubmissionRefused(Exception):
    """The run was refused. The message explains the reason to its uploader. `next_at` is when the
    team can submit again, if waiting helps."""

    def __init__(self, message: str, code: str, next_at: datetime | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.next_at = next_at


class FaultyDescription(Exception):
    """The errors of the run description, by field."""

    def __init__(self, faults: dict[str, str]) -> None:
        super().__init__(faults)
        self.faults = faults


class NeedsConfirmation(FormatError):
    """The file is valid, but an organiser should check its problems first."""
