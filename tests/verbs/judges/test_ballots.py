"""What a judge votes on, and how far they are."""

from __future__ import annotations

from curator.bank.questions import Bank, Question
from curator.verbs.judges.ballots import (
    VotingProgress,
    ballots,
    first_to_vote,
    next_to_vote,
    total_progress,
    voting_progress,
)


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
QUERIES = ("q1", "q2", "q3", "q4")


def test_ballots_are_the_kept_questions_with_others_votes_once_there_is_mine():
    first, second = ballots(BANK, "q1", "ann")
    assert (first.mine, first.others, first.disputed) == (
        "vital",
        (("ben", "okay"),),
        True,
    )
    assert (second.mine, second.others, second.disputed) == (None, (), False)
    assert second.question.votes == ()


def test_one_sees_ones_own_vote_whoever_else_voted():
    (only,) = ballots(BANK, "q2", "ann")
    assert (only.mine, only.others, only.disputed) == ("okay", (), False)


def test_progress_counts_kept_questions_only():
    found = voting_progress(BANK, QUERIES, "ann")
    assert [(one.voted, one.total) for one in found.values()] == [
        (1, 2),
        (1, 1),
        (0, 0),
        (0, 1),
    ]
    assert total_progress(found) == VotingProgress(2, 4)
    assert [one.complete for one in found.values()] == [False, True, False, False]
    assert VotingProgress(0, 0).share == 0


def test_the_next_query_is_one_with_a_question_left_from_the_top_if_need_be():
    found = voting_progress(BANK, QUERIES, "ann")
    assert next_to_vote(found, "q1") == "q4"
    assert next_to_vote(found, "q4") == "q1"
    assert next_to_vote(found, "q2", ["q1"]) == "q1"
    assert next_to_vote(found, "q2", ["q2"]) == "q4"
    assert (
        next_to_vote({"q1": VotingProgress(1, 1), "q3": VotingProgress(0, 0)}, "q1")
        is None
    )


def test_the_first_question_to_vote_on_is_one_without_my_vote():
    assert first_to_vote(ballots(BANK, "q1", "ann")) == "q1/b"
    assert first_to_vote(ballots(BANK, "q2", "ann")) == "q2/e"
    assert first_to_vote(()) is None
