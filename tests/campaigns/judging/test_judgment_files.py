"""A file of judgments is read before the transaction that stores its grades."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from campaigns.errors import Archived, CannotJudge
from campaigns.judging.pool_files import import_judgments
from campaigns.judging.program_judgments import import_grades
from campaigns.models import Campaign, Judgment, Membership, ProgramJudgment
from campaigns.trec import qrels
from tests.campaigns.judging.programs import make_program
from tests.making import make_campaign, make_organiser, make_user

pytestmark = pytest.mark.usefixtures("wake_ups")

FILE = b"1 0 d1 2\n2 0 d1 1\n"


def import_of_program(campaign: Campaign) -> None:
    import_grades(program=make_program(campaign), data=FILE, actor=make_organiser(campaign))


def import_of_assessor(campaign: Campaign) -> None:
    ada = make_user(name="Ada")
    Membership.objects.create(campaign=campaign, person=ada, role=Membership.Role.ASSESSOR)
    import_judgments(campaign=campaign, assessor=ada, data=FILE, actor=make_organiser(campaign))


imports = pytest.mark.parametrize("import_file", [import_of_program, import_of_assessor])


def make_campaign_with_text() -> Campaign:
    campaign = make_campaign(topics=("1", "2"), highest_grade=2)
    campaign.documents.create(doc_id="d1")
    return campaign


def while_reading(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    read_blocks = qrels.read_blocks

    def read(*args: Any, **options: Any) -> Any:
        act()
        return read_blocks(*args, **options)

    monkeypatch.setattr(qrels, "read_blocks", read)


@imports
@pytest.mark.django_db(transaction=True)
def test_reading_locks_no_rows(
    monkeypatch: pytest.MonkeyPatch, import_file: Callable[[Campaign], None]
) -> None:
    campaign, in_transaction = make_campaign_with_text(), list[bool]()
    while_reading(monkeypatch, lambda: in_transaction.append(connection.in_atomic_block))
    import_file(campaign)
    assert in_transaction == [False]


@imports
@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        (lambda campaign: campaign.topics.get(code="2").delete(), CannotJudge),
        (lambda campaign: Campaign.objects.update(highest_grade=1), CannotJudge),
        (lambda campaign: Campaign.objects.update(archived_at=timezone.now()), Archived),
    ],
)
@pytest.mark.django_db
def test_a_change_of_the_campaign_while_the_file_is_read_refuses_it(
    monkeypatch: pytest.MonkeyPatch,
    import_file: Callable[[Campaign], None],
    change: Callable[[Campaign], object],
    refusal: type[Exception],
) -> None:
    campaign = make_campaign_with_text()
    while_reading(monkeypatch, lambda: change(campaign))
    with pytest.raises(refusal):
        import_file(campaign)
    assert (Judgment.objects.count(), ProgramJudgment.objects.count()) == (0, 0)
