"""A reason can be given after the fact; it changes nothing that anyone edits."""

from __future__ import annotations

import pytest

from curator.bank.edits import REASONS, Restore, Retire, Reword
from curator.errors import EditError, UnknownNameError
from curator.store import versions


def reasons(workspace, query_id="q1"):
    found = workspace.retirements(query_id)
    return {question_id: one.reason for question_id, one in found.items()}


@pytest.mark.parametrize("reason", [*REASONS, "asked in another subtopic"])
def test_a_reason_given_later_stands_where_one_given_at_once_would(ann, bob, reason):
    ann.apply(Retire("q1/a"))
    ann.explain("q1/a", reason)
    bob.apply(Retire("q1/b", reason=reason))
    assert reasons(ann) == {"q1/a": reason, "q1/b": reason}
    assert [event.change.reason for event in ann.history()] == [reason, reason]


def test_a_retirement_says_who_and_when(ann, bob):
    bob.apply(Retire("q1/a"))
    (event,) = ann.history()
    (retirement,) = ann.retirements("q1").values()
    assert (retirement.by, retirement.at) == ("bob", event.at)
    assert retirement.reason is None
    assert ann.retirements("q2") == {}


def test_an_explanation_is_no_event_moves_no_clock_and_makes_nothing_stale(ann):
    ann.apply(Retire("q1/a"))
    before = (versions.read_versions(ann.connection), len(ann.history()), ann.bank())
    ann.explain("q1/a", "off topic")
    assert versions.read_versions(ann.connection) == before[0]
    assert len(ann.history()) == before[1]
    assert ann.bank() is before[2]
    ann.apply(Restore("q1/a", based_on=2))


@pytest.mark.parametrize(
    ("reason", "words"), [("x" * 201, "at most 200"), ("a\ud800", "not Unicode")]
)
def test_a_reason_too_long_or_no_text_is_refused_in_one_line(ann, reason, words):
    with pytest.raises(EditError, match=words):
        ann.apply(Retire("q1/a", reason=reason))
    ann.apply(Retire("q1/a"))
    with pytest.raises(EditError, match=words) as refused:
        ann.explain("q1/a", reason)
    assert "\n" not in str(refused.value)
    assert reasons(ann) == {"q1/a": None}


def test_only_who_retired_it_explains_it(ann, bob):
    ann.apply(Retire("q1/a"))
    with pytest.raises(EditError, match="retired by ann"):
        bob.explain("q1/a", "off topic")


def test_what_is_not_retired_or_not_there_is_not_explained(ann):
    with pytest.raises(EditError, match="can have no reason"):
        ann.explain("q1/a", "off topic")
    ann.apply(Retire("q1/a"))
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
