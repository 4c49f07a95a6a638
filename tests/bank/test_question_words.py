"""What the words of a question say of it, and how often on published banks."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from curator.bank.question_words import asks_for, is_compound
from curator.bank.questions import Question


def asked(text: str | None, kind: str = "question") -> Question:
    return Question("q/a", "q", text, kind)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("What is the current temperature in Jamaica?", "now"),
        ("Will it rain this week?", "now"),
        ("Which shops are near me?", "here"),
        ("What is your favourite tree?", "an opinion"),
        ("What is the current suicide rate?", None),
        (None, None),
    ],
)
def test_what_no_text_can_say(text: str | None, what: str | None) -> None:
    assert asks_for(asked(text)) == what
    assert asks_for(asked(text, "nugget")) is None


@pytest.mark.parametrize(
    ("text", "two"),
    [
        ("What are exons and what role do they play?", True),
        ("Can they be spliced? If so, how?", True),
        ("When and where was he born?", True),
        ("What are the risks and benefits?", False),
        (None, False),
    ],
)
def test_a_question_that_asks_two_things(text: str | None, two: bool) -> None:
    assert is_compound(asked(text)) is two
    assert not is_compound(asked(text, "nugget"))


def test_how_many_of_dl19s_questions_these_are(shared_data: Path) -> None:
    # Read by hand, all 430: the seven ask for Jamaica's weather, the 18 ask two things.
    with gzip.open(shared_data / "dl19" / "questions.jsonl.gz", "rt") as file:
        lines = [json.loads(line) for line in file]
    bank = [asked(one["question_text"]) for line in lines for one in line["questions"]]
    assert len(bank) == 430
    assert sum(asks_for(one) == "now" for one in bank) == 7
    assert sum(asks_for(one) is not None for one in bank) == 7
    assert sum(is_compound(one) for one in bank) == 18
