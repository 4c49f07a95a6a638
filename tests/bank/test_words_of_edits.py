"""What History says an edit did to a question, its key and its subtopic."""

from __future__ import annotations

from dataclasses import replace

import pytest

from curator.bank.changes import Change
from curator.bank.edits.kinds import past_verb
from curator.bank.questions import Question

ASKED = Question("q1/a", "q1", "Which gas?")
KEYED = replace(ASKED, answers=("oxygen",))
CHOICES = replace(KEYED, choices=(("A", "oxygen"), ("B", "argon")))


@pytest.mark.parametrize(
    ("kind", "before", "after", "words"),
    [
        ("key", ASKED, KEYED, "key added: “oxygen”"),
        ("undo key", ASKED, KEYED, "key removed: “oxygen”"),
        ("key", KEYED, CHOICES, "choices added"),
        (
            "undo move",
            ASKED,
            replace(ASKED, subtopic_id="s"),
            "moved out of its subtopic",
        ),
        (
            "reword",
            ASKED,
            replace(KEYED, text="What?"),
            "reworded, key added: “oxygen”",
        ),
        (
            "reword",
            replace(ASKED, state="proposed"),
            replace(ASKED, text="What?"),
            "kept in other words",
        ),
    ],
)
def test_an_edit_of_a_question_is_described(
    kind: str, before: Question, after: Question, words: str
) -> None:
    assert past_verb(Change(kind, "q1", before=before, after=after)) == words
