"""Votes and agreement in words."""

from __future__ import annotations

import pytest

from curator.bank.edits import Change, kinds
from curator.bank.edits.ideal import Marked
from curator.bank.edits.vote import Voted
from curator.bank.marks import Ideal
from curator.bank.questions import Bank, Question
from curator.collection.queries import Query
from curator.evaluation.vote_agreement import vote_agreement
from curator.ui.judges import agreement_words, ballot_rows
from curator.ui.judges.ballot_rows import VotingRow
from curator.ui.shared.query_rows import QueryRow
from curator.verbs.judges.ballots import Ballot, Voting

ASKED = Question("q/a", "q", "Why?")


@pytest.mark.parametrize(
    ("ballot", "said"),
    [
        (Ballot(ASKED, None, (("ben", "vital"),)), ""),
        (Ballot(ASKED, "vital"), "nobody else yet"),
        (
            Ballot(ASKED, "okay", (("ben", "okay"), ("cy", "vital"), ("di", "okay"))),
            "vital: cy · okay: ben, di",
        ),
    ],
)
def test_others_votes_are_words_only_beside_ones_own(ballot, said):
    assert ballot_rows.others_words(ballot) == said
    (row,) = ballot_rows.ballot_rows([ballot], Query("q", "Why?"))
    assert (row.text, row.mine, row.others) == ("Why?", ballot.mine or "", said)


def voting_row(query_id: str, voted: int, total: int) -> VotingRow:
    done = Voting(voted, total).complete
    row = QueryRow(query_id, f"What is {query_id}?", total, 0, done, False)
    return VotingRow(row, Voting(voted, total))


ROWS = (
    voting_row("new", 0, 2),
    voting_row("begun", 1, 2),
    voting_row("done", 2, 2),
    voting_row("without", 0, 0),
)


@pytest.mark.parametrize(
    ("show", "ids"),
    [
        ("to do", ["new", "begun"]),
        ("done", ["done"]),
        ("all", ["new", "begun", "done", "without"]),
        (None, ["new", "begun", "done", "without"]),
    ],
)
def test_a_query_without_questions_is_neither_to_do_nor_done(show, ids):
    shown = ballot_rows.matching(ROWS, "", show)
    assert [row.query.query_id for row in shown] == ids
    if show:
        assert ballot_rows.shown_counts(ROWS)[show] == len(ids)
    assert ballot_rows.matching(ROWS, "BEGUN", show) == tuple(
        row for row in shown if row.query.query_id == "begun"
    )


def test_progress_in_words():
    assert ballot_rows.counted(Voting(3, 9)) == "3/9"
    assert ballot_rows.counted(Voting(0, 0)) == "–"
    assert ballot_rows.in_all_words(Voting(1, 1)) == "1 of 1 question voted on"


def test_agreement_is_a_sentence_with_what_it_rests_on():
    # By hand: 3 of 4 alike; shares of vital 3/4 and 2/4, so 1/2 is expected and
    # kappa is (3/4 - 1/2) / (1/2).
    votes = [
        (("ann", "vital"), ("ben", "vital")),
        (("ann", "vital"), ("ben", "vital")),
        (("ann", "vital"), ("ben", "okay")),
        (("ann", "okay"), ("ben", "okay")),
    ]
    said = agreement_words.agreement_sentence(vote_agreement(votes))
    assert "".join(part.text for part in said) == (
        "κ .500, moderate agreement: 2 judges over 4 questions. "
        "All voted alike on 3 (75 %)."
    )


def test_agreement_that_is_undefined_says_why():
    votes = [(("ann", "vital"), ("ben", "vital"))]
    (part,) = agreement_words.agreement_sentence(vote_agreement(votes))
    assert "undefined" in part.text
    assert "All voted alike on 1 (100 %)." in part.text


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (-0.3, "agreement no more than by chance"),
        (0.0, "agreement no more than by chance"),
        (0.01, "slight agreement"),
        (0.4, "fair agreement"),
        (0.61, "substantial agreement"),
        (1.0, "almost perfect agreement"),
    ],
)
def test_a_coefficient_has_the_words_of_landis_and_koch(value, words):
    assert agreement_words.band(value) == words


MARK = Marked(Ideal("p1", 10, 40), False, True)


@pytest.mark.parametrize(
    ("kind", "mark", "said"),
    [
        ("vote", Voted("q/a", None, "vital"), "voted vital"),
        ("vote", Voted("q/a", "vital", "okay"), "changed the vote vital to okay"),
        ("vote", Voted("q/a", "okay", None), "took back the vote okay"),
        ("undo vote", Voted("q/a", "vital", None), "undone: voted vital"),
        ("redo vote", Voted("q/a", None, "vital"), "redone: voted vital"),
        ("ideal", MARK, "marked as an ideal answer"),
        ("undo ideal", MARK.inverted(), "undone: marked as an ideal answer"),
    ],
)
def test_the_history_says_what_was_voted_and_marked(kind, mark, said):
    assert kinds.said(Change(kind, "q", mark=mark)) == said


def test_the_history_names_the_question_voted_on_and_the_span_marked():
    voted = Change("vote", "q", mark=Voted("q/a", None, "vital"))
    assert kinds.about(voted, Bank({"q": (ASKED,)})) == "Why?"
    assert kinds.about(voted, Bank()) == "q/a"  # its addition was undone since
    assert kinds.about(Change("ideal", "q", mark=MARK), Bank()) == (
        "passage p1, characters 11–40"
    )
