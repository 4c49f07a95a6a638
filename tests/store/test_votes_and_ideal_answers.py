"""Votes and ideal answers are edits: kept, undone by who made them, sent once."""

from __future__ import annotations

import pytest

from curator.bank.edits import Add, MarkIdeal, Vote
from curator.bank.marks import Ideal
from curator.bank.marks.ideal import Marked
from curator.errors import (
    EditError,
    NothingToChangeError,
    UndoError,
)


def test_a_vote_is_changed_withdrawn_and_not_given_twice(ann):
    one = "q1/a"
    ann.apply(Vote(one, "vital"))
    with pytest.raises(
        NothingToChangeError, match="already has the vote 'vital' by ann"
    ):
        ann.apply(Vote(one, "vital"))
    ann.apply(Vote(one, "okay"))
    assert ann.bank().question(one).votes == (("ann", "okay"),)
    ann.apply(Vote(one, None))
    assert ann.bank().question(one).votes == ()
    with pytest.raises(NothingToChangeError, match="has no vote"):
        ann.apply(Vote(one, None))


def test_an_added_question_with_votes_is_not_taken_out_by_an_undo(ann, bob):
    query_id = "q1"
    added = ann.apply(Add(query_id, "A new one?")).changes[0].question_id
    bob.apply(Vote(added, "vital"))
    with pytest.raises(UndoError, match="somebody has voted on 'A new one"):
        ann.undo()
    bob.undo()
    ann.undo()
    assert added not in {q.question_id for q in ann.bank()}


def test_a_passage_and_a_span_of_it_are_marked_and_unmarked(ann):
    query_id, passage_id = "q1", "p1"
    whole, span = Ideal(passage_id), Ideal(passage_id, 1, 3)
    ann.apply([MarkIdeal(query_id, whole), MarkIdeal(query_id, span)])
    assert ann.bank().ideals_of(query_id) == (whole, span)
    ann.apply(MarkIdeal(query_id, whole, marked=False))
    assert ann.bank().ideals_of(query_id) == (span,)
    assert ann.history(limit=1)[0].change.mark == Marked(whole, True, False)
    ann.undo()
    assert ann.bank().ideals_of(query_id) == (whole, span)
    ann.undo()
    assert ann.bank().ideals_of(query_id) == ()


@pytest.mark.parametrize("span", [(5, 5), (3, 2), (0, 10_000), (-1, 2)])
def test_a_span_outside_the_text_is_refused_and_nothing_saved(ann, span):
    query_id, passage_id = "q1", "p1"
    with pytest.raises(EditError, match="are not in passage"):
        ann.apply(MarkIdeal(query_id, Ideal(passage_id, *span)))
    assert ann.bank().ideals_of(query_id) == ()
