"""Three assessors at random: claim, judge, reload, skip, undo, resend, and leases that run out.

Beside the site runs a list of what was sent. After every act the site's judgments are that list,
nothing lost and nothing doubled, and no task is held by more than it wants.
"""

import os
import random
from collections import Counter
from dataclasses import dataclass, field

import pytest
import time_machine
from django.utils import timezone

from campaigns.judging.final_grades import final_grades
from campaigns.judging.tasks import claim_next, judge, skip, undo
from campaigns.models import Claim, Judgment, Plan, Topic, User
from tests.campaigns.judging.making import make_assessor, make_plan, topic_of
from tests.frozen_clock import frozen
from tests.making import make_campaign

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("wake_ups", "files_of_its_own")]
INTERLEAVINGS = int(os.environ.get("INTERLEAVINGS", "200"))
ACTS = 14
Sending = tuple[User, str, int, str]  # who, which document, which grade, under which key


@dataclass
class Session:
    """One interleaving: the site, and what it was told."""

    plan: Plan
    topic: Topic
    people: list[User]
    chance: random.Random
    clock: time_machine.Traveller
    sent: list[Sending] = field(default_factory=list)
    told: list[tuple[int, str, int | None]] = field(default_factory=list)  # what must be there
    seen: dict[int, set[str]] = field(default_factory=dict)
    judged: dict[int, list[str]] = field(default_factory=dict)  # last one last
    skipped: dict[int, list[str]] = field(default_factory=dict)

    def look(self, person: User) -> None:
        task = claim_next(assessor=person, topic=self.topic).task
        if task is not None:
            assert task.doc_id not in self.judged.get(person.pk, [])
            assert task.doc_id not in self.skipped.get(person.pk, [])
            self.seen.setdefault(person.pk, set()).add(task.doc_id)

    def judge(self, person: User) -> None:
        """Whatever was ever on the screen: the one held, one judged before, one that ran out."""
        if seen := sorted(self.seen.get(person.pk, ())):
            self.send((person, self.chance.choice(seen), self.chance.randrange(4), self.new_key()))

    def send(self, sending: Sending) -> None:
        person, doc_id, grade, key = sending
        taken = judge(assessor=person, topic=self.topic, doc_id=doc_id, grade=grade, key=key)
        assert taken.is_repeat == (sending in self.sent)
        if not taken.is_repeat:
            self.sent.append(sending)
            self.told.append((person.pk, doc_id, grade))
            self._move(person, doc_id, self.judged)

    def resend(self, person: User) -> None:
        if mine := [sending for sending in self.sent if sending[0] == person]:
            self.send(self.chance.choice(mine))

    def skip(self, person: User) -> None:
        left = self.seen.get(person.pk, set()) - set(self.judged.get(person.pk, ()))
        if left:
            doc_id = self.chance.choice(sorted(left))
            skip(assessor=person, topic=self.topic, doc_id=doc_id)
            self._move(person, doc_id, self.skipped)

    def undo(self, person: User) -> None:
        judged, skipped = self.judged.get(person.pk, []), self.skipped.get(person.pk, [])
        if not judged and not skipped:
            return
        doc_id = self.chance.choice([*judged, *skipped])
        key = self.new_key()
        for _ in range(self.chance.choice((1, 1, 2))):
            undo(assessor=person, topic=self.topic, doc_id=doc_id, key=key)
        if doc_id in judged:
            self.told.append((person.pk, doc_id, None))
        self._move(person, doc_id, {})

    def expire(self, person: User) -> None:
        self.clock.shift(60 * self.chance.choice((5, 20, 31)))

    def new_key(self) -> str:
        return f"{self.chance.getrandbits(64):x}"

    def _move(self, person: User, doc_id: str, to: dict[int, list[str]]) -> None:
        for shelf in (self.judged, self.skipped):
            if doc_id in shelf.get(person.pk, ()):
                shelf[person.pk].remove(doc_id)
        to.setdefault(person.pk, []).append(doc_id)

    def check(self) -> None:
        made = Judgment.objects.filter(campaign=self.plan.campaign_id).order_by("pk")
        assert list(made.values_list("assessor", "doc_id", "grade")) == self.told
        live = Claim.objects.filter(
            task__plan=self.plan, end=Claim.End.NONE, until__gt=timezone.now()
        ).values_list("task__doc_id", "task__wanted", "assessor")
        held = Counter((doc_id, wanted) for doc_id, wanted, _ in live)
        assert all(count <= wanted for (_, wanted), count in held.items())
        assert max(Counter(person for _, _, person in live).values(), default=0) <= 1


def play(seed: int) -> Session:
    chance = random.Random(seed)
    plan = make_plan(
        make_campaign(topics=("1",), highest_grade=3),
        tasks=("d1", "d2", "d3", "d4"),
        wanted=chance.choice((1, 2)),
    )
    people = [make_assessor(plan.campaign) for _ in range(3)]
    with frozen("2026-06-01T12:00:00Z") as clock:
        session = Session(plan, topic_of(plan), people, chance, clock)
        acts = [session.look, session.judge, session.skip, session.undo, session.resend]
        for _ in range(ACTS):
            act = chance.choices([*acts, session.expire], weights=(5, 5, 1, 2, 2, 1))[0]
            act(chance.choice(people))
            session.check()
            clock.shift(1)
    return session


STARTS = [
    0, *(pytest.param(at, marks=pytest.mark.exhaustive) for at in range(50, INTERLEAVINGS, 50))
]  # fmt: skip


@pytest.mark.parametrize("first", STARTS)
def test_no_judgment_is_lost_or_doubled_however_the_acts_interleave(first: int) -> None:
    judgments = 0
    for seed in range(first, min(first + 50, INTERLEAVINGS)):
        session = play(seed)
        last = {(person, doc_id): grade for person, doc_id, grade in session.told}
        standing = final_grades(session.plan.campaign.judgments.all())
        assert {
            (person, key[2]): grade
            for key, document in standing.items()
            for person, grade in document.by_assessor.items()
        } == {key: grade for key, grade in last.items() if grade is not None}
        judgments += len(session.told)
    assert judgments > 100  # a play in which nothing happens shows nothing
