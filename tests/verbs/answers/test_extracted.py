"""Answers known to be right or wrong: the key, the other choices, most judges."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from curator.bank.edits import JudgeAnswer, apply_edits
from curator.bank.questions import Bank, Question
from curator.formats.answer_selection import read_answers
from curator.verbs.answers.extracted import known_questions
from curator.workspace import Workspace
from tests.samples.command_line import run
from tests.samples.workspaces import write_lines

WHICH = Question(
    "q/a",
    "q",
    "Which tree?",
    choices=(("A", "Oak"), ("B", "Larch"), ("C", "Pine")),
    answers=("b",),
)
WHY = Question("q/b", "q", "Why is it?")


def bank(*questions: Question, **verdicts: str) -> Bank:
    """The questions; ``so_right="ann bob"`` is who calls "so" right, of all of them."""
    made = Bank({"q": questions})
    for said, judges in verdicts.items():
        answer, _, value = said.partition("_")
        edits = [
            JudgeAnswer(one.question_id, answer, value)  # type: ignore[arg-type]
            for one in questions
        ]
        for judge in judges.split():
            made, _ = apply_edits(made, edits, judge=judge)
    return made


def test_the_other_choices_of_a_key_are_wrong() -> None:
    (known,) = known_questions(bank(WHICH))
    assert known.correct == ("Larch",)
    assert known.incorrect == ("Oak", "Pine")
    # The key may be the choice's text, written otherwise.
    (known,) = known_questions(bank(replace(WHICH, answers=("larch.",))))
    assert (known.correct, known.incorrect) == (("larch.",), ("Oak", "Pine"))


def test_most_judges_add_to_the_key() -> None:
    made = bank(WHY, so_right="ann bob", so_wrong="cy", no_wrong="ann", hm_right="ann")
    (known,) = known_questions(made, "q")
    assert (known.correct, known.incorrect) == (("hm", "so"), ("no",))
    assert known_questions(made, "elsewhere") == ()


def test_a_choices_letter_in_a_verdict_is_its_text() -> None:
    judged = bank(replace(WHICH, answers=("b", "Fir")))
    edits = [
        JudgeAnswer("q/a", "(C)", "right"),
        JudgeAnswer("q/a", "a", "wrong"),
        JudgeAnswer("q/a", "a) some oak", "wrong"),
    ]
    (known,) = known_questions(apply_edits(judged, edits, judge="ann")[0])
    # The key's authors meant Pine to be wrong, so it is neither.
    assert known.correct == ("Larch", "Fir")
    assert known.incorrect == ("Oak", "some oak")


def test_what_key_and_judges_contradict_each_other_on_is_left_out() -> None:
    (known,) = known_questions(bank(WHICH, Larch_wrong="ann", Oak_right="ann"))
    assert (known.correct, known.incorrect) == ((), ("Pine",))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A question with a gold answer, and one with a tab in its text."""
    items = [
        {"query_id": "q", "question_id": "q/a", "question_text": "Which\ttree?",
         "gold_answers": ["Larch"]},
        {"query_id": "q", "question_id": "q/b", "question_text": "Why?"}
    ]  # fmt: skip
    record = {"query_id": "q", "query_text": "Trees", "items": items}
    path = tmp_path / "w.db"
    with Workspace.open(path, create=True) as workspace:
        workspace.import_(bank=write_lines(tmp_path / "bank.jsonl", [record]))
    return path


def test_known_answers_are_written_in_wikiqas_form(path: Path, tmp_path: Path) -> None:
    run("edit", path, "verdict", "q/a", "A\nlarch", "right")
    run("edit", path, "verdict", "q/a", "an oak", "wrong")
    target = tmp_path / "answers.tsv"
    assert "3 known answers" in run("export", path, "--answers", target).output
    assert target.read_text().splitlines() == [
        "QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel",
        "q/a\tWhich tree?\t\t\tq/a-0\tLarch\t1",
        "q/a\tWhich tree?\t\t\tq/a-1\tA larch\t1",
        "q/a\tWhich tree?\t\t\tq/a-2\tan oak\t0",
    ]
    (back,) = read_answers(target)
    assert back.answered().correct == ("Larch", "A larch")
