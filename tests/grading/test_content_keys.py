"""Content keys hold all that can change the answer and nothing else."""

from dataclasses import replace

import pytest

from grading.errors import InvalidItemError
from grading.items import AllOf, Item
from grading.keys import answer_key_key, item_key

ITEM = Item("question", "What is AML?", choices=(("a", "law"), ("b", "food")))


@pytest.mark.parametrize(
    "other",
    [
        replace(ITEM, kind="nugget"),
        replace(ITEM, text="What is CTF?"),
        replace(ITEM, choices=()),
        replace(ITEM, choices=ITEM.choices[::-1]),
        replace(ITEM, choices=(("a", "law"), ("b", "drink"))),
        replace(ITEM, kind="candidate", candidate="a set of laws"),
    ],
)
def test_changing_any_field_of_an_item_changes_its_key(other):
    assert item_key(other) != item_key(ITEM)


@pytest.mark.parametrize(
    "arguments",
    [
        {"kind": "question", "text": None},
        {"kind": "quesiton", "text": "What?"},
        {"kind": "candidate", "text": "What?"},
        {"kind": "question", "text": "What?", "candidate": "that"},
    ],
)
def test_an_item_that_could_not_be_graded_is_refused_in_one_line(arguments):
    with pytest.raises(InvalidItemError) as error:
        Item(**arguments)
    assert "\n" not in str(error.value)


def test_whether_all_answers_are_needed_is_in_the_answer_key():
    some, both = ("a", "b"), AllOf(("a", "b"))
    assert answer_key_key(both) != answer_key_key(some)
    assert answer_key_key(both) != answer_key_key(AllOf(("b", "a")))
    assert len({some, both, AllOf(some)}) == 2  # no tuple equals it
    assert some != both
