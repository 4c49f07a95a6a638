"""Textbook Question Answering: lessons with their questions and their text.

A JSON list of lessons ``{"globalID", "lessonName", "topics": {id: {"content":
{"text"}}}, "questions": {"nonDiagramQuestions": {id: {"beingAsked", "answerChoices",
"correctAnswer"}}}}``. A lesson is a query, its topics' texts are the gold article.
Questions about diagrams cannot be asked of a text and go along unread.

Extras kept under the format "tqa":

``("lesson", "<query_id>")``
    the whole lesson, its keys in the file's order, so that an export writes it again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from curator.bank.questions import Question
from curator.collection.queries import Query
from curator.errors import EvaluationError, InputFileError
from curator.formats import codec
from curator.formats.autograder.answer_keys import (
    Choices,
    choices_of,
    key_among,
    letters_meant,
    plain_letter,
)
from curator.formats.autograder.bank_export import BANK_OPTION
from curator.formats.gold import named
from curator.formats.parsed_import import ParsedImport
from curator.formats.passages import require_same_text
from curator.formats.recognition import file_reader
from curator.formats.text.json_documents import JsonDocument, document_in
from curator.formats.text.json_text import Key, json_line, json_text
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import Oddities, left_out
from curator.formats.text.output_files import output_file
from curator.formats.text.records import described, identifier, record_of, text_of

EXPECTED = 'TQA lessons: [{"globalID", "lessonName", "topics", "questions"}]'
FORMAT = "tqa"
LESSON = "lesson"
PREFIX = "tqa2:"
GROUP, DIAGRAMS = "nonDiagramQuestions", "diagramQuestions"
ASKED, CHOICES, CORRECT, TEXT = (
    *("beingAsked", "answerChoices", "correctAnswer"),
    "processedText",
)


@file_reader("bank", EXPECTED)
def read_tqa(lines: TextLines) -> ParsedImport:
    """The lessons as queries, with their questions, keys and gold articles.

    A question without choices or key is read with what is there, and one whose key
    names no choice as one without a key; a topic without text is left out of the
    article, and a choice without words of the choices. Raises InputFileError, also
    for a lesson that stands twice.
    """
    document = document_in(lines)
    value = document.value()
    if not isinstance(value, list) or not value:
        message = f"the file is {described(value)}; expected {EXPECTED}."
        raise document.error(message)
    reading = _Reading(lines.path)
    for number, one in enumerate(value):
        place = _InLesson(document.at(number), f"lesson {number + 1}")
        reading.add(place, record_of(place, one, f"lesson {number + 1}"))
    return reading.result()


def query_id_of(global_id: str) -> str:
    """``tqa2:<globalID>``; one that says so already stays as it is."""
    return global_id if global_id.startswith(PREFIX) else PREFIX + global_id


def asked_text(place: _InLesson, question: dict[str, Any], what: str) -> str | None:
    """The ``processedText`` of what a question asks, None where there is none."""
    asked = question.get(ASKED)
    if asked is None:
        return None
    place = place.at(ASKED)
    text = record_of(place, asked, f"{ASKED} of {what}").get(TEXT)
    found = text_of(place.at(TEXT), text, f"{TEXT} of {what}")
    return found if found and found.strip() else None


class _InLesson:
    """A lesson or something in it: a place with a name, which errors begin with."""

    def __init__(self, place: JsonDocument, name: str) -> None:
        self._place = place
        self._name = name

    def at(self, *keys: Key) -> _InLesson:
        """What these keys lead to from here, under the same name."""
        return _InLesson(self._place.at(*keys), self._name)

    def named(self, name: str) -> _InLesson:
        """The same place under this name."""
        return _InLesson(self._place, name)

    def inside(self, name: str, *keys: Key) -> _InLesson:
        """What these keys lead to from here, called by the last of them."""
        return self.at(*keys).named(f"{self._name}, {name} '{keys[-1]}'")

    def error(self, message: str) -> InputFileError:
        return self._place.error(f"{self._name}: {message}")


_ODD = {
    "diagrams": "[question] about diagrams, which no text answers: left out here, and "
    "written again by an export.",
    "no text": "[question] without words: known by id only.",
    "no key": "[question] without a correct answer.",
    "wordless": "[question] with a choice that has no words, left out here, and "
    "written again by an export: {}.",
    "no words": "[question] without a known answer, as the correct choice has no "
    "words: {}.",
    "no choice": f"[question] without a known answer, as {CORRECT} is none of the "
    "choices or may be several; an export writes it as it came: {}.",
    "no exam": f"[lesson] without an exam, as there are no {GROUP}: {{}}.",
}


class _Reading:
    def __init__(self, path: Path) -> None:
        self._parsed = ParsedImport(path.name, "TQA lessons")
        self._odd = Oddities(_ODD)

    def add(self, place: _InLesson, lesson: dict[str, Any]) -> None:
        here = place.at("globalID")
        global_id = identifier(here, lesson.get("globalID"), "globalID")
        place = place.named(f"lesson '{global_id}'")
        query_id = query_id_of(global_id)
        if query_id in self._parsed.queries:
            here = place.at("globalID")
            raise here.error("stands twice; keep one of them.")
        here = place.at("lessonName")
        title = text_of(here, lesson.get("lessonName"), "lessonName")
        title = title if title and title.strip() else None
        self._parsed.queries[query_id] = Query(query_id, title)
        self._add_article(place, query_id, lesson)
        here = place.at("questions")
        groups = record_of(here, lesson.get("questions") or {}, "questions")
        questions = record_of(here.at(GROUP), groups.get(GROUP) or {}, GROUP)
        if not questions:
            self._odd.name("no exam", global_id)
        for their_id, value in questions.items():
            here = place.inside("question", "questions", GROUP, their_id)
            self._add_question(here, query_id, their_id, value)
        diagrams = groups.get(DIAGRAMS)
        if isinstance(diagrams, dict | list):
            self._odd.count("diagrams", len(diagrams))
        text = json_text(place, lesson, in_order=True)
        self._parsed.extras[LESSON, query_id, FORMAT] = text

    def result(self) -> ParsedImport:
        self._parsed.notices += self._odd.notices()
        return self._parsed

    def _add_article(
        self, place: _InLesson, query_id: str, lesson: dict[str, Any]
    ) -> None:
        article: list[str] = []
        topics = record_of(place.at("topics"), lesson.get("topics") or {}, "topics")
        for topic_id, value in topics.items():
            here = place.inside("topic", "topics", topic_id)
            topic = record_of(here, value, "the topic")
            here = here.at("content")
            content = record_of(here, topic.get("content") or {}, "content")
            here = here.at("text")
            text = text_of(here, content.get("text"), "text")
            if not text or not text.strip():
                continue
            for one, piece in named(text, f"gold/{query_id}", True, len(article)):
                known = self._parsed.passages.setdefault(one, piece)
                require_same_text(here, one, known, piece)
                article.append(one)
                self._parsed.pooled[query_id, one] = None
        if article:
            self._parsed.gold[query_id] = tuple(article)

    def _add_question(
        self, place: _InLesson, query_id: str, their_id: str, value: object
    ) -> None:
        own = identifier(place, their_id, "id of a question")
        record = record_of(place, value, "the question")
        question_id = f"{query_id}/{own}"
        text = asked_text(place, record, "the question")
        choices, wordless = _choices(place.at(CHOICES), record, own)
        answers = _answers(place.at(CORRECT, TEXT), record, choices, wordless)
        if wordless:
            self._odd.name("wordless", question_id)
        if isinstance(answers, str):
            self._odd.name(answers, question_id)
            answers = ()
        self._odd.count("no text", text is None)
        self._parsed.questions[question_id] = Question(
            question_id, query_id, text, choices=choices, answers=answers
        )


def _choices(
    place: _InLesson, record: dict[str, Any], own: str
) -> tuple[Choices, list[str]]:
    """The choices that have words, and the letters of those that have none."""
    found: Choices = ()
    wordless: list[str] = []
    choices = record_of(place, record.get(CHOICES) or {}, CHOICES)
    for letter, value in choices.items():
        here = place.at(letter)
        what = f"choice {described(letter)}"
        choice = record_of(here, {} if value is None else value, what)
        text = text_of(here.at(TEXT), choice.get(TEXT), f"{TEXT} of {what}")
        if text and text.strip():
            found += choices_of(here, {"choices": {letter: text}}, own)
        else:
            wordless.append(letter)
    return found, wordless


def _answers(
    place: _InLesson, record: dict[str, Any], choices: Choices, wordless: list[str]
) -> tuple[str, ...] | str:
    """The correct choice's text, else the correct answer in its own words.

    Where there is no known answer, why: a kind of _ODD.
    """
    correct = record_of(place, record.get(CORRECT) or {}, CORRECT)
    text = text_of(place, correct.get(TEXT), f"{TEXT} of {CORRECT}")
    if not text or not text.strip():
        return "no key"
    texts = dict(choices)
    letters = [*texts, *wordless]
    match letters_meant(text, letters):
        case [letter]:
            return (texts[letter],) if letter in texts else "no words"
        case [_, *_]:
            return "no choice"
    # Nobody answers in one letter or digit, unless a choice does.
    plain = plain_letter(text)
    is_letter = not plain or (len(plain) == 1 and plain.isascii() and plain.isalnum())
    if letters and is_letter and plain not in map(plain_letter, texts.values()):
        return "no choice"
    return (text,)


RAW = "rawText"


def write_lessons(
    stream: TextIO, lessons: Iterable[tuple[str, str, Sequence[Question]]]
) -> int:
    """Write (query id, the lesson's JSON text, its query's questions); how many kept.

    What is not kept here is left out, what was reworded has its new words, and what
    was added stands last. Everything else is written as it came.
    """
    written = 0
    stream.write("[")
    for number, (query_id, text, questions) in enumerate(lessons):
        stream.write(",\n" if number else "\n")
        lesson, kept = _lesson(json.loads(text), query_id, questions)
        stream.write(json_line(lesson).removesuffix("\n"))
        written += kept
    stream.write("\n]\n")
    return written


def _lesson(
    lesson: dict[str, Any], query_id: str, questions: Sequence[Question]
) -> tuple[dict[str, Any], int]:
    now = {
        one.question_id: one
        for one in questions
        if one.kind == "question" and one.state == "kept"
    }
    groups = lesson.get("questions") or {}
    theirs: Mapping[str, Any] = groups.get(GROUP) or {}
    records: dict[str, Any] = {}
    for their_id, record in theirs.items():
        kept = now.pop(f"{query_id}/{their_id}", None)
        if kept is not None:
            records[their_id] = _reworded(record, kept)
    taken = {*theirs, *records}
    for question in now.values():
        own = question.question_id.removeprefix(f"{query_id}/")
        records[question.question_id if own in taken else own] = _record(question)
    if records or theirs:
        lesson["questions"] = {**groups, GROUP: records}
    return lesson, len(records)


def _reworded(record: dict[str, Any], question: Question) -> dict[str, Any]:
    """The record with the question's words where they are others now."""
    asked = record.get(ASKED) or {}
    old = asked.get(TEXT)
    if question.text is None or question.text == old:
        return record
    asked = {**asked, TEXT: question.text}
    if isinstance(asked.get(RAW), str):  # such as "1. " and the old words
        raw = asked[RAW]
        fits = isinstance(old, str) and old.strip() and old in raw
        asked[RAW] = raw.replace(old, question.text) if fits else question.text
    return {**record, ASKED: asked}


def _record(question: Question) -> dict[str, Any]:
    """A question that no TQA file brought."""
    record: dict[str, Any] = {ASKED: {TEXT: question.text}}
    if question.choices:
        record[CHOICES] = {letter: {TEXT: text} for letter, text in question.choices}
    if question.answers:
        letter = key_among(question.choices, question.answers[:1])
        record[CORRECT] = {TEXT: letter or question.answers[0]}
    return record


def _write(contents: codec.Contents, target: Path) -> codec.Written:
    """The lessons that came in, with their questions as they are now."""
    extras = contents.extras()
    lessons = [
        (query.query_id, text, contents.bank.of_query(query.query_id))
        for query in contents.queries
        if (text := extras.get((LESSON, query.query_id, FORMAT))) is not None
    ]
    if not lessons:
        raise EvaluationError(
            "No TQA lessons came into this workspace; `curator import WORKSPACE --bank "
            "FILE` reads some, and `--bank` writes any bank."
        )
    with output_file(target) as stream:
        written = write_lessons(stream, lessons)
    others = len(contents.queries) - len(lessons)
    words = "query that came from no TQA file", "queries that came from no TQA file"
    notices = [left_out(others, *words)] if others else []
    return codec.Written(written, "questions of TQA lessons", notices)


def _fits(start: codec.FileStart) -> bool:
    match start.value:
        case [{"globalID": _}, *_]:
            return True
    return False


CODECS = (
    codec.Codec(
        "tqa",
        codec.Imports(option=BANK_OPTION, called="TQA", read=read_tqa, fits=_fits),
        codec.Exports(
            help="TQA lessons that came in, with their questions as they are now.",
            label="TQA",
            what="The lessons as they came, with the questions that are kept.",
            group=codec.BANK,
            forms=(("JSON", ".json"),),
            carries=codec.carried(
                *("query texts", "gold articles", "kept questions", "item texts"),
                *("choices", "answers"),
                extras=("tqa",),
            ),
            write=_write,
        ),
    ),
)
