"""Graded passages out, in Autograder's interchange form, query by query."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from curator.formats import codec
from curator.formats.autograder.grades import (
    FORMAT,
    STATED_TITLE,
    UNGRADED,
    read_autograder_grades,
)
from curator.formats.autograder.records import (
    LISTS,
    Graded,
    direct_grade,
    direct_record,
    exam_record,
)
from curator.formats.text.fields import Extras, fields_kept, filled
from curator.formats.text.json_text import json_line
from curator.formats.text.notices import counted, left_out
from curator.formats.text.output_files import output_file
from curator.formats.text.records import Place, Record
from curator.formats.trec.runs import without_passages
from grading.responders import GraderSpec

Placed = tuple[int, dict[str, Any]]
"""A record that grades no item, after its place in the passage's list."""


@dataclass(frozen=True)
class PassageGrades:
    """A grader's grades of one passage; floats are probabilities.

    Items that were not asked are left out; UNREADABLE is written as asked.
    """

    grader: GraderSpec
    graded: Graded


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
class ExportedQuery:
    """A query with its passages in pool order; these may be an iterator.

    ``extras`` are those that the reader made for this query; others may be among them.
    """

    query_id: str
    title: str | None
    passages: Iterable[GradedPassage]
    extras: Extras = field(default_factory=dict)

    def extra(self, entity: str, key: str) -> dict[str, Any]:
        """The fields kept under this key."""
        return fields_kept(self.extras, entity, key, FORMAT)


def write_graded(stream: TextIO, queries: Iterable[ExportedQuery]) -> None:
    """Write a line per query; only one query is held in memory at a time."""
    extras: Extras | None = None
    for query in queries:
        if query.extras is not extras:  # mostly those of all queries
            extras, ungraded = query.extras, _ungraded(query.extras)
        failed = ungraded.get(query.query_id, {})
        common = query.extra("graded_form", query.query_id).get("record", {})
        passages = list(query.passages)
        listed = {passage.passage_id for passage in passages}
        # Without a text, a rank and a judgment: nothing else tells of them.
        passages += [GradedPassage(p, None) for p in failed if p not in listed]
        kept = [
            common
            | query.extra("passage_record", f"{query.query_id}\t{passage.passage_id}")
            for passage in passages
        ]
        merged = _merged(passages, kept)
        title = {"titleQuery": query.title or query.query_id}
        title |= query.extra(STATED_TITLE, query.query_id)
        records = []
        for passage, fields in zip(passages, kept, strict=True):
            data = _paragraph_data(query, passage, fields, title, merged)
            record = _record(query, passage, failed.get(passage.passage_id, ()))
            records.append(filled(record | {"paragraph_data": data}, fields))
        stream.write(json_line([query.query_id, records]))


def _merged(
    passages: Sequence[GradedPassage], kept: Sequence[Mapping[str, Any]]
) -> set[str]:
    """The systems whose ranks are merged from those of subtopics, all of them.

    The file they came in has no ranks of theirs for the query, and reading it merges
    them again. Where other ranks have joined them, they are written.
    """
    merged, unmerged = set[str](), set[str]()
    for passage, fields in zip(passages, kept, strict=True):
        entries = fields.get("rankings", [])
        here = {entry["method"] for entry in entries if "queryId" in entry}
        here -= {entry["method"] for entry in entries if "queryId" not in entry}
        merged |= here
        unmerged |= {system for system, _, _ in passage.rankings} - here
    return merged - unmerged


def _record(
    query: ExportedQuery, passage: GradedPassage, failed: Iterable[Placed]
) -> dict[str, Any]:
    record: dict[str, Any] = {
        "paragraph_id": passage.passage_id,
        "text": passage.text or "",
        "paragraph": {},
        "paragraph_data": None,
    }
    exam_grades, grades = [], []
    for columns in passage.grades:
        grader, graded = columns.grader, columns.graded
        if not graded:
            continue
        key = f"{grader.name}\t{query.query_id}\t{passage.passage_id}"
        # Earlier versions kept the unknown fields of a record alone.
        kept = query.extra("grade_record", key)
        imported = kept.pop("record", {})
        others = {name: kept[name] for name in kept if name not in LISTS}
        if grader.reading.kind == "direct":
            ((raw, rating),) = graded.values()  # the query's
            place = Record(Place(Path()), imported, "")
            same = imported and direct_grade(place)[1] == rating
            written = imported if same else direct_record(grader, raw, rating)
            grades.append(written | others)
        else:
            exam_grades.append(exam_record(grader, graded, imported) | others)
    for position, ungraded in sorted(failed, key=lambda entry: entry[0]):
        exam_grades.insert(position, ungraded)
    lists = {"exam_grades": exam_grades, "grades": grades}
    return record | {name: records for name, records in lists.items() if records}


def _paragraph_data(
    query: ExportedQuery,
    passage: GradedPassage,
    fields: dict[str, Any],
    title: Mapping[str, Any],
    merged: Collection[str],
) -> dict[str, Any] | None:
    """Return judgments and rankings as they are now, with what else was imported.

    Those of subtopics stay as they came. A judgment merged from theirs, the highest of
    them, is not written.
    """
    others: dict[str, Any] | None = fields.pop("paragraph_data", {})
    judged: list[dict[str, Any]] = fields.pop("judgments", [])
    ranked: list[dict[str, Any]] = fields.pop("rankings", [])
    judgments = [entry for entry in judged if "query" in entry]
    best = max((entry["relevance"] for entry in judgments), default=None)
    is_merged = judgments == judged and passage.judgment == best
    if passage.judgment is not None and not is_merged:
        judgment: dict[str, Any] = {"paragraphId": passage.passage_id}
        judgment |= {"query": query.query_id, "relevance": passage.judgment, **title}
        for entry in judged:
            judgment |= entry if "query" not in entry else {}
        judgments.insert(0, judgment)
    more = {entry["method"]: entry for entry in ranked if "queryId" not in entry}
    rankings = []
    for system, rank, score in passage.rankings:
        if system not in merged:
            from_0 = ("run_form", system, FORMAT) in query.extras
            ranking = {
                "method": system,
                "paragraphId": passage.passage_id,
                "queryId": query.query_id,
                "rank": rank - from_0,
                "score": score,
            }
            rankings.append(ranking | more.get(system, {}))
    rankings += [entry for entry in ranked if "queryId" in entry]
    if others is None and not (judgments or rankings):
        return None
    return filled({"judgments": judgments, "rankings": rankings}, others or {})


def _ungraded(extras: Extras) -> dict[str, dict[str, list[Placed]]]:
    """The records that grade no item, by query id and passage id."""
    by_query: dict[str, dict[str, list[Placed]]] = {}
    for (entity, key, form), text in extras.items():
        if (entity, form) == (UNGRADED, FORMAT):
            _, query_id, passage_id = key.rsplit("\t", 2)
            by_passage = by_query.setdefault(query_id, {})
            by_passage.setdefault(passage_id, []).extend(
                json.loads(text)["exam_grades"]
            )
    return by_query


def _write(contents: codec.Contents, target: Path) -> codec.WriteResult:
    """Every query with its passages, judgments, ranks and grades."""
    with output_file(target) as stream:
        write_graded(stream, contents.graded_queries())
    notices = without_passages(contents.empty_rankings())
    if ungraded := contents.ungraded_items():
        words = "kept item without a grade", "kept items without a grade"
        notices.append(left_out(ungraded, *words))
    what = "queries with their passages"
    carries = WITH_TITLES if _titles_are_stated(contents) else None
    rankings, judgments = contents.of_subtopics()
    dropped = []
    if rankings:
        dropped.append(
            counted(rankings, "ranking of a subtopic", "rankings of subtopics")
        )
    if judgments:
        words = "judgment for a subtopic", "judgments for subtopics"
        dropped.append(counted(judgments, *words))
    return codec.WriteResult(len(contents.queries), what, notices, dropped, carries)


def _titles_are_stated(contents: codec.Contents) -> bool:
    extras = contents.extras()
    judged = {query_id for query_id, _ in contents.judgments()}
    return all(
        query.query_id in judged
        and (STATED_TITLE, query.query_id, FORMAT) not in extras
        for query in contents.queries
        if query.title is not None
    )


def _fits(start: codec.FileStart) -> bool:
    match start.value:
        case [str(), list()]:
            return True
        case [int() as query_id, [*records]] if not isinstance(query_id, bool):
            return all(isinstance(item, dict) for item in records)
    return False


CARRIED = codec.carried(
    *("passage texts", "rankings", "judgments", "kept questions", "kept nuggets"),
    *("grades", "direct grades", "responses"),
    extras=(
        *("autograder:passage_record", "autograder:grade_record"),
        "autograder:ungraded_record",
    ),
)
WITH_TITLES = codec.Carried(CARRIED.things | {"query texts"}, CARRIED.extras)

CODECS = (
    codec.Codec(
        "autograder",
        codec.Imports(
            option=codec.ImportOption(
                "autograder",
                "grades (Autograder)",
                r"graded|grades|exam-grad|autograde",
            ),
            read=read_autograder_grades,
            fits=_fits,
        ),
        codec.Exports(
            label="Graded passages",
            what="Passages with their ranks, judgments and grades, in Autograder’s "
            "form.",
            group=codec.GRADED,
            forms=(codec.JSONL_GZ, codec.JSONL),
            carries=CARRIED,
            write=_write,
            large=True,
            tells_systems=True,
            of_one_grader=True,
        ),
    ),
)
