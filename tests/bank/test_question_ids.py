"""Ids of new questions, and finding questions in a bank."""

import hashlib

import pytest

from curator.bank.questions import Bank, Question, active, new_question_id
from curator.errors import UnknownNameError

HASH = hashlib.md5(b"Why?").hexdigest()


@pytest.mark.parametrize(
    ("subtopic_id", "taken", "expected"),
    [
        (None, [], f"q/{HASH}"),
        ("s", [], f"q/s/{HASH}"),
        (None, ["q/other", f"q/s/{HASH}"], f"q/{HASH}"),
        (None, [f"q/{HASH}"], f"q/{HASH}-2"),
        (None, [f"q/{HASH}-2"], f"q/{HASH}"),
        (None, [f"q/{HASH}", f"q/{HASH}-2"], f"q/{HASH}-3"),
        # a gap in the numbers is filled: the id only has to be free
        (None, [f"q/{HASH}", f"q/{HASH}-3"], f"q/{HASH}-2"),
    ],
)
def test_a_new_id_is_the_first_that_is_free(subtopic_id, taken, expected):
    assert new_question_id("q", subtopic_id, "Why?", taken) == expected


def test_a_question_is_found_though_its_id_does_not_begin_with_its_query():
    strange = Question("elsewhere/1", "q", "Why?")
    slashed = Question("a/b/1", "a/b", "How?")
    bank = Bank({"q": (strange,), "a/b": (slashed,)})
    assert bank.question("elsewhere/1") is strange
    assert bank.question("a/b/1") is slashed


def test_an_unknown_id_is_refused_even_where_its_query_is_known():
    bank = Bank({"q": (Question("q/1", "q", "Why?"),)})
    for question_id in ("q/2", "q", "", "z/1"):
        with pytest.raises(UnknownNameError):
            bank.question(question_id)


def test_active_items_are_the_kept_ones_of_the_kind_asked_for():
    questions = [
        Question("q/1", "q", "a"),
        Question("q/2", "q", "b", state="retired"),
        Question("q/3", "q", "c", state="proposed"),
        Question("q/4", "q", "d", kind="nugget"),
        Question("q/5", "q", "e"),
    ]
    assert [q.question_id for q in active(questions, "question")] == ["q/1", "q/5"]
    assert [q.question_id for q in active(questions, "nugget")] == ["q/4"]
