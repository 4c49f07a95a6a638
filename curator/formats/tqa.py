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
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from curator.bank.answer_keys import Choices, matching_letters, plain_letter
from curator.bank.questions import Question
from curator.collection.pools import Query
from curator.errors import EvaluationError
from curator.formats import codec
from curator.formats.autograder.answer_keys import choices_of, key_among
from curator.formats.autograder.bank import BANK_OPTION
from curator.formats.gold import named
from curator.formats.parsed_import import ParsedImport
from curator.formats.passages import require_same_text
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
    for number, one in enumerate(value):
        name = f"lesson {number + 1}"
        place = replace(document.at(number), name=name)
        _add_lesson(parsed, odd, place, Record(place, one, name))
    parsed.notices += odd.notices()
    return parsed


_ODD = {
    "diagrams": "[question] about diagrams, which no text answers: left out here, and "
    "kept for exports.",
    "no text": "[question] without a text, known only by id.",
    "no key": "[question] without a correct answer.",
    "wordless": "[question] with a choice without a text, left out here and kept for "
    "exports: {}.",
    "no words": "[question] without a known answer, because the correct choice has no "
    "text: {}.",
    "no choice": f"[question] without a known answer, because {CORRECT} is none of the "
    "choices or may be several; an export writes it as it came: {}.",
    "no exam": f"[lesson] without an exam, because there are no {GROUP}: {{}}.",
}


def _add_lesson(
    parsed: ParsedImport, odd: Oddities, place: JsonDocument, lesson: Record
) -> None:
    global_id = lesson.identifier("globalID")
    name = f"lesson '{global_id}'"
    lesson.place = place = replace(place, name=name)
    query_id = global_id if global_id.startswith(PREFIX) else PREFIX + global_id
    if query_id in parsed.queries:
        raise lesson.at("globalID").error("occurs twice; keep one of them.")
    parsed.queries[query_id] = Query(query_id, lesson.words("lessonName"))
    article: list[str] = []
    for topic_id, value in lesson.inner("topics").items():
        here = replace(place.at("topics", topic_id), name=f"{name}, topic '{topic_id}'")
        content = Record(here, value, "the topic").inner("content")
        if (text := content.words("text")) is None:
            continue
        for one, piece in named(text, f"gold/{query_id}", True, len(article)):
            known = parsed.passages.setdefault(one, piece)
            require_same_text(content.at("text"), one, known, piece)
            article.append(one)
            parsed.pooled[query_id, one] = None
    if article:
        parsed.gold[query_id] = tuple(article)
    groups = lesson.inner("questions")
    questions = groups.inner(GROUP)
    if not questions:
        odd.name("no exam", global_id)
    for their_id, value in questions.items():
        here = replace(
            place.at("questions", GROUP, their_id),
            name=f"{name}, question '{their_id}'",
        )
        own = identifier(here, their_id, "id of a question")
        record = Record(here, value, "the question")
        question = _question(odd, record, query_id, own)
        parsed.questions[question.question_id] = question
    diagrams = groups.get(DIAGRAMS)
    if isinstance(diagrams, dict | list):
        odd.count("diagrams", len(diagrams))
    parsed.extras[LESSON, query_id, FORMAT] = json_text(place, lesson, in_order=True)


def _question(odd: Oddities, record: Record, query_id: str, own: str) -> Question:
    question_id = f"{query_id}/{own}"
    text = None
    if record.get(ASKED) is not None:
        what = f"{ASKED} of the question"
        text = Record(record.at(ASKED), record[ASKED], what, what).words(TEXT)
    choices: Choices = ()
    wordless: list[str] = []
    given = record.inner(CHOICES)
    for letter, value in given.items():
        what = f"choice {described(letter)}"
        choice = Record(given.at(letter), {} if value is None else value, what, what)
        if words := choice.words(TEXT):
            pair = Record(choice.place, {"choices": {letter: words}}, "", f"'{own}'")
            choices += choices_of(pair)
        else:
            wordless.append(letter)
    answers = _answers(record.inner(CORRECT, CORRECT), choices, wordless)
    if wordless:
        odd.name("wordless", question_id)
    if isinstance(answers, str):
        odd.name(answers, question_id)
        answers = ()
    odd.count("no text", text is None)
    return Question(question_id, query_id, text, choices=choices, answers=answers)


def _answers(
    correct: Record, choices: Choices, wordless: list[str]
) -> tuple[str, ...] | str:
    """The correct choice's text, else the correct answer in its own words.

    Where there is no known answer, why: a kind of _ODD.
    """
    text = correct.words(TEXT)
    if text is None:
        return "no key"
    texts = dict(choices)
    letters = [*texts, *wordless]
    match matching_letters(text, letters):
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


def write_lessons(
    stream: TextIO, lessons: Iterable[tuple[str, str, Sequence[Question]]]
) -> tuple[int, int]:
    """Write (query id, the lesson's JSON text, its query's questions).

    Returns the number of questions written, and of those whose key reads back
    otherwise. What is not kept here is left out, what was edited is written as it is
    now, and what was added stands last. Everything else is written as it came.
    """
    written = changed = 0
    stream.write("[")
    for number, (query_id, text, questions) in enumerate(lessons):
        stream.write(",\n" if number else "\n")
        lesson, kept, unlike = _lesson(json.loads(text), query_id, questions)
        stream.write(json_line(lesson).removesuffix("\n"))
        written += kept
        changed += unlike
    stream.write("\n]\n")
    return written, changed


def _lesson(
    lesson: dict[str, Any], query_id: str, questions: Sequence[Question]
) -> tuple[dict[str, Any], int, int]:
    now = {
        question.question_id: question
        for question in questions
        if question.kind == "question" and question.state == "kept"
    }
    groups = lesson.get("questions") or {}
    theirs: Mapping[str, Any] = groups.get(GROUP) or {}
    written: dict[str, tuple[dict[str, Any], Question]] = {}
    for their_id, record in theirs.items():
        if kept := now.pop(f"{query_id}/{their_id}", None):
            written[their_id] = _updated(record, kept), kept
    for question_id, question in now.items():
        own = question_id.removeprefix(f"{query_id}/")
        name = question_id if own in theirs else own
        written[name] = _updated({}, question), question
    if written or theirs:
        records = {name: record for name, (record, _) in written.items()}
        lesson["questions"] = {**groups, GROUP: records}
    unlike = sum(
        _key(record, question) != (question.choices, question.answers)
        for record, question in written.values()
    )
    return lesson, len(written), unlike


def _updated(record: dict[str, Any], question: Question) -> dict[str, Any]:
    """The record with the question's text, choices and key where they differ now."""
    record = dict(record)
    asked = record.get(ASKED) or {}
    if question.text is not None and question.text != asked.get(TEXT):
        record[ASKED] = _with_text(asked, question.text)
    choices, answers = _key(record, question)
    if (choices, answers) == (question.choices, question.answers):
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


def _key(record: dict[str, Any], question: Question) -> tuple[Choices, tuple[str, ...]]:
    """Choices and answers of the question when the record is read."""
    place = Place(Path())
    read = _question(Oddities(_ODD), Record(place, record, ""), question.query_id, "")
    return read.choices, read.answers


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
        written, unlike = write_lessons(stream, lessons)
    others = len(contents.queries) - len(lessons)
    words = "query that came from no TQA file", "queries that came from no TQA file"
    notices = [left_out(others, *words)] if others else []
    dropped = []
    if unlike:
        questions = counted(unlike, "question")
        dropped.append(f"known answers of {questions} beyond the one that TQA has")
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
