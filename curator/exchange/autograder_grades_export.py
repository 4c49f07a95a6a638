"""Graded passages out, in Autograder's interchange form, query by query."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TextIO

from curator.exchange.autograder_grades import FORMAT
from curator.exchange.autograder_records import direct_record, exam_record
from curator.exchange.json_text import json_line
from grading.ratings import NOT_ASKED
from grading.responders import GraderSpec


@dataclass(frozen=True)
class PassageGrades:
    """What one grader said of one passage, in columns of equal length.

    An item rated NOT_ASKED is not written; UNREADABLE is written as asked.
    """

    grader: GraderSpec
    item_ids: Sequence[str]
    raws: Sequence[str | None]
    ratings: Sequence[int]


@dataclass(frozen=True)
class GradedPassage:
    """A passage of a query's pool and what is known of it there.

    ``text`` is None for a passage that is ranked or judged though its text was not to
    be had. ``rankings`` are (system, rank from 1, score).
    """

    passage_id: str
    text: str | None
    judgment: int | None = None
    rankings: Sequence[tuple[str, int, float]] = ()
    grades: Sequence[PassageGrades] = ()


@dataclass(frozen=True)
class GradedQuery:
    """A query with its passages in pool order; these may be an iterator.

    ``extras`` are those that the reader made for this query; others may be among them.
    """

    query_id: str
    title: str | None
    passages: Iterable[GradedPassage]
    extras: Mapping[tuple[str, str, str], str] = field(default_factory=dict)


def write_graded(stream: TextIO, queries: Iterable[GradedQuery]) -> None:
    """Write a line per query; only one query is held in memory at a time."""
    for query in queries:
        records = [_record(query, passage) for passage in query.passages]
        stream.write(json_line([query.query_id, records]))


def _record(query: GradedQuery, passage: GradedPassage) -> dict[str, Any]:
    key = f"{query.query_id}\t{passage.passage_id}"
    extra = _extra(query, "passage_record", key)
    data = extra.pop("paragraph_data", {})
    record: dict[str, Any] = {
        "paragraph_id": passage.passage_id,
        "text": passage.text or "",
        "paragraph": extra.pop("paragraph", {}),
        "paragraph_data": {
            "judgments": _judgments(query, passage, extra.pop("judgments", [])),
            "rankings": _rankings(query, passage, extra.pop("rankings", [])),
            **data,
        },
    }
    exam_grades, grades = [], []
    for given in passage.grades:
        asked = [
            row
            for row in zip(given.item_ids, given.raws, given.ratings, strict=True)
            if row[2] != NOT_ASKED
        ]
        if not asked:
            continue
        item_ids, raws, ratings = zip(*asked, strict=True)
        left = _extra(query, "grade_record", f"{given.grader.name}\t{key}")
        if given.grader.reading.kind == "direct":
            # Its one item is the query.
            grades.append(direct_record(given.grader, raws[0], ratings[0], left))
        else:
            exam_grades.append(exam_record(given.grader, item_ids, raws, ratings, left))
    if exam_grades:
        record["exam_grades"] = exam_grades
    if grades:
        record["grades"] = grades
    return record | extra


def _judgments(
    query: GradedQuery, passage: GradedPassage, kept: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The judgment, then those of subtopics as they came."""
    own, of_subtopics = [], []
    if passage.judgment is not None:
        own = [
            {
                "paragraphId": passage.passage_id,
                "query": query.query_id,
                "relevance": passage.judgment,
                "titleQuery": query.title or query.query_id,
            }
        ]
    for entry in kept:
        if "query" in entry:
            of_subtopics.append(entry)
        elif own:
            own[0] |= entry
    return own + of_subtopics


def _rankings(
    query: GradedQuery, passage: GradedPassage, kept: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The ranks, then those of subtopics as they came."""
    of_subtopics = []
    more: dict[str, list[dict[str, Any]]] = {}
    for entry in kept:
        if "queryId" in entry:
            of_subtopics.append(entry)
        else:
            more.setdefault(entry["method"], []).append(entry)
    own = []
    for system, rank, score in passage.rankings:
        entry = {
            "method": system,
            "paragraphId": passage.passage_id,
            "queryId": query.query_id,
            "rank": rank,
            "score": score,
        }
        own.append(entry | (more[system].pop(0) if more.get(system) else {}))
    return own + of_subtopics


def _extra(query: GradedQuery, entity: str, key: str) -> dict[str, Any]:
    text = query.extras.get((entity, key, FORMAT))
    fields: dict[str, Any] = json.loads(text) if text else {}
    return fields
