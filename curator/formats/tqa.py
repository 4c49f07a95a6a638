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

from curator.bank.answer_keys import matching_letters, plain_letter
from curator.bank.questions import Question
from curator.collection.pools import Query
from curator.errors import EvaluationError
from curator.formats import codec
from curator.formats.autograder.bank import BANK_OPTION, choices_of, key_among
from curator.formats.gold import named
from curator.formats.parsed_import import ParsedImport
from curator.formats.recognition import file_reader
from curator.formats.text.json_text import JsonDocument, json_line, json_text
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import Oddities, counted, left_out
from curator.formats.text.output_files import output_file
from curator.formats.text.records import Place, Record, described, identifier

EXPECTED = 'TQA lessons: [{"globalID", "lessonName", "topics", "questions"}]'
FORMAT = "tqa"
LESSON = "lesson"
PREFIX = "tqa2:"
GROUP, DIAGRAMS = "nonDiagramQuestions", "diagramQuestions"
ASKED, CHOICES, CORRECT = "beingAsked", "answerChoices", "correctAnswer"
TEXT, RAW = "processedText", "rawText"


_ODD = {
    "diagrams": "[question] about diagrams, which no text answers: left out here, and "
    "kept for exports.",
    "no text": "[question] without a text, known only by id.",
    "wordless": "[question] with a choice without a text, left out here and kept for "
    "exports: {}.",
    "no key": f"[question] without a known answer, because {CORRECT} is missing, or "
    "is none of the choices with a text, or may be several; an export writes it as it "
    "came: {}.",
    "no exam": f"[lesson] without an exam, because there are no {GROUP}: {{}}.",
}


@file_reader("bank", EXPECTED)
def read_tqa(lines: TextLines) -> ParsedImport:
    """The lessons as queries, with their questions, keys and gold articles.

    A question without choices or key is read with what is there, and one whose key
    names no choice as one without a key; a topic without text is left out of the
    article, and a choice without words of the choices. Raises InputFileError, also
    for a lesson that occurs twice.
    """
    document = JsonDocument(lines.path, text=lines.whole())
    value = document.value()
    if not isinstance(value, list) or not value:
        raise document.error(f"the file is {described(value)}; expected {EXPECTED}.")
    parsed = ParsedImport(lines.path.name, "TQA lessons")
    odd = Oddities(_ODD)
    for number, lesson in enumerate(value):
        place = document.at(number)
        _add_lesson(parsed, odd, Record(place, lesson, "a lesson"))
    parsed.notices += odd.notices()
    return parsed


def _add_lesson(parsed: ParsedImport, odd: Oddities, lesson: Record) -> None:
    global_id = lesson.identifier("globalID")
    query_id = global_id if global_id.startswith(PREFIX) else PREFIX + global_id
    if query_id in parsed.queries:
        message = f"lesson '{global_id}' occurs twice; keep one of them."
        raise lesson.at("globalID").error(message)
    parsed.queries[query_id] = Query(query_id, lesson.words("lessonName"))
    article: list[str] = []
    topics = lesson.inner("topics")
    for topic_id, value in topics.items():
        content = Record(topics.at(topic_id), value, "the topic").inner("content")
        text = content.words("text")
        pieces = named(text, f"gold/{query_id}", True, len(article)) if text else ()
        for passage_id, piece in pieces:
            parsed.passages[passage_id] = piece
            article.append(passage_id)
            parsed.pooled[query_id, passage_id] = None
    if article:
        parsed.gold[query_id] = tuple(article)
    groups = lesson.inner("questions")
    questions = groups.inner(GROUP)
    if not questions:
        odd.name("no exam", global_id)
    for their_id, value in questions.items():
        name = identifier(questions.at(their_id), their_id, "id of a question")
        record = Record(questions.at(their_id), value, "the question")
        question = _question(odd, record, query_id, name)
        parsed.questions[question.question_id] = question
    diagrams = groups.get(DIAGRAMS)
    if isinstance(diagrams, dict | list):
        odd.count("diagrams", len(diagrams))
    kept = json_text(lesson, lesson, in_order=True)
    parsed.extras[LESSON, query_id, FORMAT] = kept


def _question(odd: Oddities, record: Record, query_id: str, name: str) -> Question:
    question_id = f"{query_id}/{name}"
    text = record.inner(ASKED, ASKED).words(TEXT)
    odd.count("no text", text is None)
    texts: dict[str, str | None] = {}
    given = record.inner(CHOICES)
    for letter, value in given.items():
        choice = Record(given.at(letter), value or {}, f"choice {described(letter)}")
        texts[letter] = choice.words(TEXT)
    worded = {letter: words for letter, words in texts.items() if words}
    if len(worded) < len(texts):
        odd.name("wordless", question_id)
    choices = choices_of(Record(given.place, {"choices": worded}, "", f"'{name}'"))
    answer = _answer(record.inner(CORRECT, CORRECT).words(TEXT), texts)
    if answer is None:
        odd.name("no key", question_id)
    answers = () if answer is None else (answer,)
    return Question(question_id, query_id, text, choices=choices, answers=answers)


def _answer(key: str | None, texts: dict[str, str | None]) -> str | None:
    """Text of the choice that the key names, else the key as an answer in words.

    None where it is neither.
    """
    letters = matching_letters(key or "", [*texts])
    if key is None or letters:
        return texts[letters[0]] if len(letters) == 1 else None
    # Nobody answers in one letter or digit, unless a choice does.
    plain = plain_letter(key)
    is_letter = not plain or (len(plain) == 1 and plain.isascii() and plain.isalnum())
    earlier = {plain_letter(text) for text in texts.values() if text}
    return None if texts and is_letter and plain not in earlier else key


def write_lessons(
    stream: TextIO, lessons: Iterable[tuple[str, str, Sequence[Question]]]
) -> tuple[int, int]:
    """Write (query id, the lesson's JSON text, its query's questions).

    Returns the number of questions written, and of those with several known answers,
    of which one is written. What is not kept here is left out, what was edited is
    written as it is now, and what was added stands last.
    """
    written = several = 0
    lines = []
    for query_id, text, questions in lessons:
        lesson = json.loads(text)
        groups = lesson.get("questions") or {}
        theirs: Mapping[str, Any] = groups.get(GROUP) or {}
        ids = {f"{query_id}/{their_id}": their_id for their_id in theirs}
        records = {}
        for question in sorted(questions, key=lambda q: q.question_id not in ids):
            if question.kind == "question" and question.state == "kept":
                their_id = question.question_id.removeprefix(f"{query_id}/")
                name = ids.get(question.question_id, their_id)
                records[name] = _updated(theirs.get(name, {}), question)
                several += len(question.answers) > 1
        written += len(records)
        if records or theirs:
            lesson["questions"] = {**groups, GROUP: records}
        lines.append(json_line(lesson).removesuffix("\n"))
    stream.write("[\n" + ",\n".join(lines) + "\n]\n")
    return written, several


def _updated(record: dict[str, Any], question: Question) -> dict[str, Any]:
    """The record with the question's text, choices and key where they differ now."""
    record = dict(record)
    place = Place(Path())
    read = _question(Oddities(_ODD), Record(place, record, ""), question.query_id, "")
    choices = read.choices
    if question.text not in (None, read.text):
        record[ASKED] = _with_text(record.get(ASKED) or {}, question.text)
    if (choices, read.answers) == (question.choices, question.answers):
        return record
    if choices != question.choices:
        entries, worded = record.get(CHOICES) or {}, dict(choices)
        wordless = {key: entries[key] for key in entries if key not in worded}
        record[CHOICES] = wordless | {
            letter: _with_text(entries.get(letter) or {}, text)
            for letter, text in question.choices
        }
    if question.answers:
        letter = key_among(question.choices, question.answers[:1])
        correct = record.get(CORRECT) or {}
        record[CORRECT] = _with_text(correct, letter or question.answers[0])
    else:
        record.pop(CORRECT, None)
    return record


def _with_text(entry: dict[str, Any], text: str) -> dict[str, Any]:
    """The entry with another text, in its raw text too."""
    old, raw = entry.get(TEXT), entry.get(RAW)
    entry = {**entry, TEXT: text}
    if isinstance(raw, str):  # such as "1. " and the old words
        holds_old = isinstance(old, str) and old.strip() and old in raw
        entry[RAW] = raw.replace(str(old), text) if holds_old else text
    return entry


def _write(contents: codec.Contents, target: Path) -> codec.WriteResult:
    """The lessons that came in, with their questions as they are now."""
    extras = contents.extras()
    lessons = [
        (query.query_id, text, contents.bank.questions_of(query.query_id))
        for query in contents.queries
        if (text := extras.get((LESSON, query.query_id, FORMAT))) is not None
    ]
    if not lessons:
        raise EvaluationError(
            "This workspace has no TQA lessons; `curator import WORKSPACE --bank FILE` "
            "imports some, and `--bank` exports any bank."
        )
    with output_file(target) as stream:
        written, several = write_lessons(stream, lessons)
    others = len(contents.queries) - len(lessons)
    words = "query that came from no TQA file", "queries that came from no TQA file"
    notices = [left_out(others, *words)] if others else []
    questions = counted(several, "question")
    more = f"known answers of {questions} beyond the one that TQA has"
    dropped = [more] if several else []
    return codec.WriteResult(written, "questions of TQA lessons", notices, dropped)


def _fits(start: codec.FileStart) -> bool:
    match start.value:
        case [{"globalID": _}, *_]:
            return True
    return False


CODECS = (
    codec.Codec(
        "tqa",
        codec.Imports(
            option=BANK_OPTION,
            called="TQA",
            read=read_tqa,
            fits=_fits,
            specific=10,  # Autograder's lines have questions, too
        ),
        codec.Exports(
            label="TQA",
            what="The imported lessons, with the questions that are kept.",
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
