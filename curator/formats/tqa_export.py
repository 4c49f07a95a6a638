"""TQA lessons out: as they came in, with the questions as they are now."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

from curator.bank.questions import Question
from curator.formats.autograder.answer_keys import key_among
from curator.formats.text.json_text import json_line
from curator.formats.tqa import ASKED, CHOICES, CORRECT, GROUP, TEXT

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
