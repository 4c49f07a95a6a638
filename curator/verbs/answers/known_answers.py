"""Answers that somebody knows to be right or wrong: what AVA models learn from here."""

from __future__ import annotations

from dataclasses import dataclass

from curator.bank.edits.verdict import majority, verdicts_on
from curator.bank.questions import Bank, Question
from curator.engine.ideals import gold_answers
from curator.engine.state import State
from curator.formats.answer_selection import Candidate, SelectionQuestion
from grading.ava.examples import AnsweredQuestion, same_text
from grading.ava.grader import candidate_text


@dataclass(frozen=True, slots=True)
class KnownQuestion:
    """A kept question with answers known to be correct or incorrect.

    No text is in both: one that the key calls correct and most judges wrong, or the
    other way round, is in neither.
    """

    question_id: str
    query_id: str
    text: str
    correct: tuple[str, ...]
    incorrect: tuple[str, ...]

    def answered(self) -> AnsweredQuestion:
        """The same without ids, to make examples of."""
        return AnsweredQuestion(self.text, self.correct, self.incorrect)

    def selection(self) -> SelectionQuestion:
        """The same as a question with candidates, the correct ones first.

        A candidate's id is the question's with its number, from 0.
        """
        labelled = [(text, True) for text in self.correct]
        labelled += [(text, False) for text in self.incorrect]
        return SelectionQuestion(
            self.question_id,
            self.text,
            tuple(
                Candidate(f"{self.question_id}-{number}", text, correct)
                for number, (text, correct) in enumerate(labelled)
            ),
        )


def known_answers(
    state: State, query_id: str | None = None
) -> tuple[KnownQuestion, ...]:
    """Kept questions with the answers known to be correct or incorrect.

    Of everybody's verdicts, be they shown to whoever asks or not.
    """
    return known_questions(state.bank, query_id)


def known_questions(
    bank: Bank, query_id: str | None = None
) -> tuple[KnownQuestion, ...]:
    """The kept questions (of one query) with a known answer, in the bank's order.

    Correct are a question's gold answers and what most judges call right. Incorrect is
    what most judges call wrong, and of a multiple-choice question with a key its other
    choices: the exam's authors wrote them to be wrong. A choice's letter stands for
    its text.
    """
    questions = bank if query_id is None else bank.of_query(query_id)
    found = (_known(bank, one) for one in questions if one.state == "kept")
    return tuple(one for one in found if one and (one.correct or one.incorrect))


def _known(bank: Bank, question: Question) -> KnownQuestion | None:
    if question.text is None:
        return None
    gold = gold_answers(question)
    # An answer may be a choice's letter, as a model sees it that checks answers.
    said = [
        (candidate_text(answer, question.choices), value)
        for (_, answer), value in majority(verdicts_on(bank, question)).items()
    ]
    correct = (*gold, *(one for one, value in said if value == "right"))
    # Without a key every choice may be the right one.
    key = set(map(same_text, gold))
    others = [
        text for _, text in question.choices if key and same_text(text) not in key
    ]
    incorrect = (*others, *(one for one, value in said if value == "wrong"))
    answered = AnsweredQuestion(question.text, correct, incorrect)
    return KnownQuestion(
        question.question_id,
        question.query_id,
        question.text,
        answered.correct,
        answered.incorrect,
    )
