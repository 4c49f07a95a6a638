"""Votes and agreement in words."""

from __future__ import annotations

import re

import pytest

from curator.bank.edits import Change, kinds
from curator.bank.edits.ideal import Marked
from curator.bank.edits.vote import Voted
from curator.bank.marks import Ideal
from curator.bank.questions import Bank, Question
from curator.collection.pools import Query
from curator.evaluation.votes import vote_agreement
from curator.formats.templates import macro
from curator.verbs.judges.ballots import Ballot, VotingProgress
from curator.web.pages.judge.query_list import QueryRow
from curator.web.pages.judge.votes import agreement, query_list, vote_list
from curator.web.pages.judge.votes.query_list import VotingRow

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
    row = vote_list.row_data(ballot, Query("q", "Why?"), {})
    assert (row["text"], row["mine"]) == ("Why?", ballot.mine or "")
    assert row["others"] == vote_list.others_words(ballot) == said


def voting_row(query_id: str, voted: int, total: int) -> VotingRow:
    done = VotingProgress(voted, total).complete
    row = QueryRow(query_id, f"What is {query_id}?", 0, done, False)
    return row, VotingProgress(voted, total)


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
    shown = query_list.matching(ROWS, "", show)
    assert [query.query_id for query, _ in shown] == ids
    if show:
        assert query_list.counts_of(ROWS)[show] == len(ids)
    assert query_list.matching(ROWS, "BEGUN", show) == tuple(
        row for row in shown if row[0].query_id == "begun"
    )


def test_progress_in_words():
    assert query_list.progress_words(VotingProgress(1, 1)) == "1 of 1 question"
    drawn = macro(query_list.TEMPLATE, "rows")(ROWS)
    assert re.findall(r">([^<>]+)</span></button>", drawn) == ["0/2", "1/2", "2/2", "–"]
    assert drawn.count("✓") == 1


def test_agreement_is_a_sentence_with_what_it_rests_on():
    # By hand: 3 of 4 alike; shares of vital 3/4 and 2/4, so 1/2 is expected and
    # kappa is (3/4 - 1/2) / (1/2).
    votes = [
        (("ann", "vital"), ("ben", "vital")),
        (("ann", "vital"), ("ben", "vital")),
        (("ann", "vital"), ("ben", "okay")),
        (("ann", "okay"), ("ben", "okay")),
    ]
    assert "".join(agreement.agreement_words(vote_agreement(votes))) == (
        "κ .500, moderate agreement: 2 judges over 4 questions. "
        "All voted alike on 3 (75 %)."
    )


def test_agreement_that_is_undefined_says_why():
    votes = [(("ann", "vital"), ("ben", "vital"))]
    value, sentence = agreement.agreement_words(vote_agreement(votes))
    assert value == ""
    assert "undefined" in sentence
    assert "All voted alike on 1 (100 %)." in sentence


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
    assert agreement.band(value) == words


MARK = Marked(Ideal("p1", 10, 40), False, True)


@pytest.mark.parametrize(
    ("kind", "mark", "said"),
    [
        ("vote", Voted("q/a", None, "vital"), "voted vital"),
        ("vote", Voted("q/a", "vital", "okay"), "changed the vote vital to okay"),
        ("vote", Voted("q/a", "okay", None), "removed the vote okay"),
        ("undo vote", Voted("q/a", "vital", None), "undone: voted vital"),
        ("redo vote", Voted("q/a", None, "vital"), "redone: voted vital"),
        ("ideal", MARK, "marked as an ideal answer"),
        ("undo ideal", MARK.inverted(), "undone: marked as an ideal answer"),
    ],
)
def test_the_history_says_what_was_voted_and_marked(kind, mark, said):
    assert kinds.describe(Change(kind, "q", mark=mark)) == said


def test_the_history_names_the_question_voted_on_and_the_span_marked():
    voted = Change("vote", "q", mark=Voted("q/a", None, "vital"))
    assert kinds.subject(voted, Bank({"q": (ASKED,)})) == "Why?"
    assert kinds.subject(voted, Bank()) == "q/a"  # its addition was undone since
    assert kinds.subject(Change("ideal", "q", mark=MARK), Bank()) == (
        "passage p1, characters 11–40"
    )
