"""Ballots of a judge: kept questions with the votes that the judge may see."""

from __future__ import annotations

from curator.bank.questions import Bank, Question
from curator.verbs.judges.ballots import ballots


def test_ballots_are_the_kept_questions_with_others_votes_once_there_is_mine() -> None:
    votes = {"a": (("ann", "vital"), ("ben", "okay")), "b": (("ben", "vital"),)}
    kept = [Question(one, "q1", one, votes=given) for one, given in votes.items()]
    gone = [Question(state, "q1", state, state=state) for state in ("retired",)]
    first, second = ballots(Bank({"q1": (*kept, *gone)}), "q1", "ann")
    assert (first.mine, first.disputed) == ("vital", True)
    assert first.others == (("ben", "okay"),)
    assert (second.mine, second.others, second.disputed) == (None, (), False)
    assert second.question.votes == ()
