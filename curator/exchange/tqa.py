"""Textbook Question Answering in: lessons with their questions and their text.

A JSON list of lessons ``{"globalID", "lessonName", "topics": {id: {"content":
{"text"}}}, "questions": {"nonDiagramQuestions": {id: {"beingAsked", "answerChoices",
"correctAnswer"}}}}``. A lesson is a query, its topics' texts are the gold article.
Questions about diagrams cannot be asked of a text and go along unread.

Extras kept under the format "tqa":

``("lesson", "<query_id>")``
    the whole lesson, its keys in the file's order, so that an export writes it again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from curator.bank.questions import Question
from curator.collection.queries import Query
from curator.errors import InputFileError
from curator.exchange.answer_keys import Choices, answers_of, choices_of
from curator.exchange.gold import named
from curator.exchange.incoming import Incoming, Progress
from curator.exchange.json_text import json_document, json_text
from curator.exchange.lines_naming import line_naming
from curator.exchange.notices import counted
from curator.exchange.passages import require_same_text
from curator.exchange.recognition import wrong_file_hint
from curator.exchange.records import (
    described,
    error_at,
    identifier,
    record_of,
    text_of,
)
from curator.exchange.text_lines import TextLines

EXPECTED = 'TQA lessons: [{"globalID", "lessonName", "topics", "questions"}]'
FORMAT = "tqa"
LESSON = "lesson"
PREFIX = "tqa2:"
GROUP, DIAGRAMS = "nonDiagramQuestions", "diagramQuestions"
ASKED, CHOICES, CORRECT, TEXT = (
    *("beingAsked", "answerChoices", "correctAnswer"),
    "processedText",
)


def read_tqa(path: Path, *, progress: Progress | None = None) -> Incoming:
    """The lessons as queries, with their questions, keys and gold articles.

    A question without choices or key is read with what is there; a topic without text
    is left out of the article. Raises InputFileError, also for a lesson that stands
    twice.
    """
    with wrong_file_hint(path, "bank"):
        lines = TextLines(path, expected=EXPECTED, progress=progress)
        value = json_document(lines)
        if not isinstance(value, list) or not value:
            raise lines.error(f"the file is {described(value)}; expected {EXPECTED}.")
        reading = _Reading(path)
        for number, one in enumerate(value, start=1):
            place = _InLesson(path, f"lesson {number}")
            reading.add(place, record_of(place, one, f"lesson {number}"))
        return reading.result()


def query_id_of(global_id: str) -> str:
    """``tqa2:<globalID>``; one that says so already stays as it is."""
    return global_id if global_id.startswith(PREFIX) else PREFIX + global_id


def asked_text(place: _InLesson, question: dict[str, Any], what: str) -> str | None:
    """The ``processedText`` of what a question asks, None where there is none."""
    asked = question.get(ASKED)
    if asked is None:
        return None
    text = record_of(place, asked, f"{ASKED} of {what}").get(TEXT)
    found = text_of(place, text, f"{TEXT} of {what}")
    return found if found and found.strip() else None


class _InLesson:
    """A lesson or question of the file; its line is looked for once one is wrong."""

    def __init__(self, path: Path, name: str, *ids: str) -> None:
        self._path = path
        self._name = name
        self._ids = ids

    def inside(self, name: str, one: str) -> _InLesson:
        """Something of the lesson."""
        return _InLesson(self._path, f"{self._name}, {name} '{one}'", one)

    def error(self, said: str) -> InputFileError:
        found = line_naming(self._path, tuple(one for one in self._ids if one))
        line = None if found is None else found[1]
        return error_at(self._path, line, f"{self._name}: {said}")


class _Reading:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._incoming = Incoming(path.name, "TQA lessons")
        self._texts: dict[str, str] = {}
        self._diagrams = self._without_text = self._without_key = 0

    def add(self, place: _InLesson, lesson: dict[str, Any]) -> None:
        global_id = identifier(place, lesson.get("globalID"), "globalID")
        place = _InLesson(self._path, f"lesson '{global_id}'", global_id)
        query_id = query_id_of(global_id)
        if query_id in self._incoming.queries:
            raise place.error("stands twice; keep one of them.")
        title = text_of(place, lesson.get("lessonName"), "lessonName")
        title = title if title and title.strip() else None
        self._incoming.queries[query_id] = Query(query_id, title)
        self._add_article(place, query_id, lesson)
        groups = record_of(place, lesson.get("questions") or {}, "questions")
        questions = record_of(place, groups.get(GROUP) or {}, GROUP)
        for their_id, value in questions.items():
            here = place.inside("question", their_id)
            self._add_question(here, query_id, their_id, value)
        diagrams = groups.get(DIAGRAMS)
        self._diagrams += len(diagrams) if isinstance(diagrams, dict | list) else 0
        text = json_text(place, lesson, in_order=True)
        self._incoming.extras[LESSON, query_id, FORMAT] = text

    def result(self) -> Incoming:
        notices = self._incoming.notices
        if self._diagrams:
            notices.append(
                f"{counted(self._diagrams, 'question')} about diagrams, which no text "
                "answers: left out here, and written again by an export."
            )
        if self._without_text:
            notices.append(
                f"{counted(self._without_text, 'question')} without words: known by id "
                "only."
            )
        if self._without_key:
            notices.append(
                f"{counted(self._without_key, 'question')} without a correct answer."
            )
        return self._incoming

    def _add_article(
        self, place: _InLesson, query_id: str, lesson: dict[str, Any]
    ) -> None:
        article: list[str] = []
        topics = record_of(place, lesson.get("topics") or {}, "topics")
        for topic_id, value in topics.items():
            here = place.inside("topic", topic_id)
            topic = record_of(here, value, "the topic")
            content = record_of(here, topic.get("content") or {}, "content")
            text = text_of(here, content.get("text"), "text")
            if not text or not text.strip():
                continue
            for one, piece in named(text, f"gold/{query_id}", True, len(article)):
                known = self._incoming.passages.setdefault(one, piece)
                require_same_text(here, one, known, piece)
                article.append(one)
                self._incoming.pooled[query_id, one] = None
        if article:
            self._incoming.gold[query_id] = tuple(article)

    def _add_question(
        self, place: _InLesson, query_id: str, their_id: str, value: object
    ) -> None:
        own = identifier(place, their_id, "id of a question")
        record = record_of(place, value, "the question")
        text = asked_text(place, record, "the question")
        choices = _choices(place, record, own)
        answers = _answers(place, record, choices, own)
        self._without_text += text is None
        self._without_key += not answers
        question_id = f"{query_id}/{own}"
        self._incoming.questions[question_id] = Question(
            question_id, query_id, text, choices=choices, answers=answers
        )


def _choices(place: _InLesson, record: dict[str, Any], own: str) -> Choices:
    """The choices, but those without words."""
    found: dict[str, str] = {}
    choices = record_of(place, record.get(CHOICES) or {}, CHOICES)
    for letter, value in choices.items():
        choice = record_of(place, value, f"choice {described(letter)}")
        text = text_of(place, choice.get(TEXT), f"{TEXT} of choice {described(letter)}")
        if text and text.strip():
            found[letter] = text
    return choices_of(place, {"choices": found}, own)


def _answers(
    place: _InLesson, record: dict[str, Any], choices: Choices, own: str
) -> tuple[str, ...]:
    """The correct choice's text, or the correct answer as it stands."""
    correct = record_of(place, record.get(CORRECT) or {}, CORRECT)
    text = text_of(place, correct.get(TEXT), f"{TEXT} of {CORRECT}")
    if not text or not text.strip():
        return ()
    plain = text.strip().rstrip(").").lower()
    if any(letter.strip().rstrip(").").lower() == plain for letter, _ in choices):
        return answers_of(place, {"correctKey": text}, choices, own)
    return (text,)
