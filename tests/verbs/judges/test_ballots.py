"""Ballots of a judge: kept questions with the votes that the judge may see."""

from __future__ import annotations

from curator.bank.questions import Bank, Question
from curator.verbs.judges.ballots import ballots


def question(query_id: str, letter: str, *votes: tuple[str, str], state="kept"):
    return Question(
        f"{query_id}/{letter}", query_id, letter, votes=tuple(votes), state=state
    )


BANK = Bank(
    {
        "q1": (
            question("q1", "a", ("ann", "vital"), ("ben", "okay")),
            question("q1", "b", ("ben", "vital")),
            question("q1", "c", state="retired"),
            question("q1", "d", state="proposed"),
        ),
        "q2": (question("q2", "e", ("ann", "okay")),),
        "q3": (question("q3", "f", state="retired"),),
        "q4": (question("q4", "g"),),
    }
)


def test_ballots_are_the_kept_questions_with_others_votes_once_there_is_mine():
    first, second = ballots(BANK, "q1", "ann")
    assert (first.mine, first.others, first.disputed) == (
        "vital",
        (("ben", "okay"),),
        True,
    )
    assert (second.mine, second.others, second.disputed) == (None, (), False)
    assert second.question.votes == ()
