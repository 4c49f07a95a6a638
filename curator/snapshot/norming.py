"""Norming rounds with the answers that the viewer may see.

Others' answers are hidden until the reveal, from organizers too: a round is only useful
if judges answer without seeing other answers, and people who have seen them lead the
discussion. The owner of a file can request them by name.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from curator.bank.questions import Bank
from curator.errors import NormingError
from curator.evaluation.norming import Round
from curator.snapshot.snapshot import Snapshot
from curator.store.bank import read_rounds


def visible_rounds(
    snapshot: Snapshot, round_id: int | None = None, *, answers: bool = False
) -> tuple[Round, ...]:
    """Return the rounds, or this one, as the viewer may see them; the last first.

    With ``answers`` they have those that are hidden, too. Raises NormingError for
    ``answers`` as a judge.
    """
    if answers and snapshot.viewer.is_judge:
        raise NormingError(
            "Answers of others are hidden until the round is revealed. Before that, "
            "only organizers can see them: `curator norming WORKSPACE show --answers`."
        )
    bank = snapshot.full.bank if answers else snapshot.bank
    answers_shown = sorted_marks(bank, "norming")
    all_answers = sorted_marks(snapshot.full.bank, "norming")
    comments = sorted_marks(bank, "comment")
    rounds = []
    for round_ in read_rounds(snapshot.connection, round_id):
        number = round_.round_id
        counts = Counter(mark.judge for mark in all_answers if mark.round_id == number)
        round_ = replace(
            round_,
            answers=tuple(mark for mark in answers_shown if mark.round_id == number),
            comments=tuple(mark for mark in comments if mark.round_id == number),
            answered=tuple(sorted(counts.items())),
        )
        rounds.append(round_)
    return tuple(rounds)


def sorted_marks(bank: Bank, kind: str) -> list[Any]:
    return sorted(
        (mark for marks in bank.marks.get(kind, {}).values() for mark in marks),
        key=lambda mark: mark.sort_key(),
    )
