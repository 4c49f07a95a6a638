"""A reason can be given after the fact; it changes nothing that anyone edits."""

from __future__ import annotations

import pytest

from curator.bank.edits import REASONS, Retire, Reword
from curator.errors import EditError, UnknownNameError


def reasons(workspace, query_id="q1"):
    found = workspace.retirements(query_id)
    return {question_id: one.reason for question_id, one in found.items()}


@pytest.mark.parametrize("reason", [REASONS[0], "asked in another subtopic"])
def test_a_reason_given_later_stands_where_one_given_at_once_would(ann, bob, reason):
    ann.apply(Retire("q1/a"))
    ann.explain("q1/a", reason)
    bob.apply(Retire("q1/b", reason=reason))
    assert reasons(ann) == {"q1/a": reason, "q1/b": reason}
    assert [event.change.reason for event in ann.history()] == [reason, reason]


def test_a_reason_too_long_is_refused(ann):
    with pytest.raises(EditError, match="at most 200"):
        ann.apply(Retire("q1/a", reason="x" * 201))
    ann.apply(Retire("q1/a"))
    with pytest.raises(EditError, match="at most 200"):
        ann.explain("q1/a", "x" * 201)
    assert reasons(ann) == {"q1/a": None}


def test_only_who_retired_it_explains_it_and_nobody_what_is_not_retired(ann, bob):
    ann.apply(Retire("q1/a"))
    with pytest.raises(EditError, match="retired by ann"):
        bob.explain("q1/a", "off topic")
    ann.undo()
    with pytest.raises(EditError, match="can have no reason"):
        ann.explain("q1/a", "off topic")
    with pytest.raises(UnknownNameError, match="q9"):
        ann.explain("q9", "off topic")


def test_a_rewording_is_explained_in_words_of_ones_own_at_once_or_later(ann, bob):
    ann.apply(Reword("q1/a", "Why so?", reason="  named\nnobody "))
    bob.apply(Reword("q1/b", "What else?"))
    bob.explain("q1/b", "too narrow")
    assert [event.change.reason for event in ann.history()] == [
        "too narrow",
        "named nobody",
    ]
    found = ann.rewordings("q1")
    assert {name: (one.by, one.reason) for name, one in found.items()} == {
        "q1/a": ("ann", "named nobody"),
        "q1/b": ("bob", "too narrow"),
    }
    with pytest.raises(EditError, match="reworded by bob; only they"):
        ann.explain("q1/b", "dull")
    ann.undo("q1")
    assert "q1/a" not in ann.rewordings("q1")
    with pytest.raises(EditError, match="can have no reason"):
        ann.explain("q1/a", "back again")
