"""Graded passages out, in Autograder's interchange form, query by query."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from curator.formats import codec
from curator.formats.autograder.grades import FORMAT, UNGRADED, read_autograder_grades
from curator.formats.autograder.paragraphs import STATED_TITLE
from curator.formats.autograder.records import direct_record, exam_record
from curator.formats.text.fields import Extras, fields_kept, filled
from curator.formats.text.json_text import json_line
from curator.formats.text.notices import counted, left_out
from curator.formats.text.output_files import output_file
from curator.formats.trec.runs import without_passages
from grading.ratings import NOT_ASKED
from grading.responders import GraderSpec

Placed = tuple[int, dict[str, Any]]
"""A record that grades no item, after its place in the passage's list."""


@dataclass(frozen=True)
class PassageGrades:
    """A grader's grades of one passage, in columns of equal length.

    An item rated NOT_ASKED is not written; UNREADABLE is written as asked. Floats are
    probabilities.
    """

    grader: GraderSpec
    item_ids: Sequence[str]
    raws: Sequence[str | None]
    ratings: Sequence[float]


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
        form = query.extra("graded_form", query.query_id)
        passages = list(query.passages)
        known = {one.passage_id for one in passages}
        # Without a text, a rank and a judgment: nothing else tells of them.
        passages += [GradedPassage(one, None) for one in failed if one not in known]
        left = [
            query.extra("passage_record", f"{query.query_id}\t{one.passage_id}")
            for one in passages
        ]
        merged = _merged(passages, left)
        title = {"titleQuery": query.title or query.query_id}
        title |= query.extra(STATED_TITLE, query.query_id)
        records = []
        for passage, extra in zip(passages, left, strict=True):
            placed = failed.get(passage.passage_id, ())
            extra = form.get("record", {}) | extra
            records.append(_record(query, passage, form, title, extra, merged, placed))
        stream.write(json_line([query.query_id, records]))


def _merged(
    passages: Sequence[GradedPassage], left: Sequence[Mapping[str, Any]]
) -> set[str]:
    """The systems whose ranks are merged from those of subtopics, all of them.

    The file they came in has no ranks of theirs for the query, and reading it merges
    them again. Where other ranks have joined them, they are written.
    """
    merged, own = set(), set()
    for passage, extra in zip(passages, left, strict=True):
        kept = extra.get("rankings", [])
        here = {entry["method"] for entry in kept if "queryId" in entry}
        here -= {entry["method"] for entry in kept if "queryId" not in entry}
        merged |= here
        own |= {system for system, _, _ in passage.rankings} - here
    return merged - own


def _record(
    query: ExportedQuery,
    passage: GradedPassage,
    form: Mapping[str, Any],
    titled: Mapping[str, Any],
    extra: dict[str, Any],
    merged: Collection[str],
    failed: Iterable[Placed],
) -> dict[str, Any]:
    key = f"{query.query_id}\t{passage.passage_id}"
    judgments = _judgments(query, passage, extra.pop("judgments", []), titled)
    rankings = _rankings(query, passage, extra.pop("rankings", []), merged)
    data = extra.pop("paragraph_data", {})
    record: dict[str, Any] = {
        "paragraph_id": passage.passage_id,
        "text": passage.text or "",
        "paragraph": {},
        "paragraph_data": None,
    }
    if data is not None or judgments or rankings:
        stated = {"judgments": judgments, "rankings": rankings}
        record["paragraph_data"] = filled(stated, data or {})
    exam_grades, grades = [], []
    for given in passage.grades:
        rows = zip(given.item_ids, given.raws, given.ratings, strict=True)
        asked = [row for row in rows if row[2] != NOT_ASKED]
        if not asked:
            continue
        item_ids, raws, ratings = zip(*asked, strict=True)
        grader = given.grader
        left = query.extra("grade_record", f"{grader.name}\t{key}")
        common = form.get("grades", {}).get(grader.name, {})
        if grader.reading.kind == "direct":
            # Its one item is the query.
            grades.append(direct_record(grader, raws[0], ratings[0], left, common))
        else:
            left = common | left
            exam_grades.append(exam_record(grader, item_ids, raws, ratings, left))
    for position, kept in sorted(failed, key=lambda entry: entry[0]):
        exam_grades.insert(position, kept)
    if exam_grades:
        record["exam_grades"] = exam_grades
    if grades:
        record["grades"] = grades
    return filled(record, extra)


def _judgments(
    query: ExportedQuery,
    passage: GradedPassage,
    kept: list[dict[str, Any]],
    titled: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """The judgment, then those of subtopics as they came.

    One that is merged from theirs, the highest of them, is not written.
    """
    merged = kept and all("query" in entry for entry in kept)
    if merged and passage.judgment == max(entry["relevance"] for entry in kept):
        return kept
    of_subtopics = [entry for entry in kept if "query" in entry]
    if passage.judgment is None:
        return of_subtopics
    own = {
        "paragraphId": passage.passage_id,
        "query": query.query_id,
        "relevance": passage.judgment,
        **titled,
    }
    for entry in kept:
        own |= entry if "query" not in entry else {}
    return [own, *of_subtopics]


def _rankings(
    query: ExportedQuery,
    passage: GradedPassage,
    kept: list[dict[str, Any]],
    merged: Collection[str],
) -> list[dict[str, Any]]:
    more: dict[str, list[dict[str, Any]]] = {}
    for entry in kept:
        if "queryId" not in entry:
            more.setdefault(entry["method"], []).append(entry)
    own = []
    for system, rank, score in passage.rankings:
        if system in merged:
            continue
        from_0 = ("run_form", system, FORMAT) in query.extras
        entry = {
            "method": system,
            "paragraphId": passage.passage_id,
            "queryId": query.query_id,
            "rank": rank - from_0,
            "score": score,
        }
        own.append(entry | (more[system].pop(0) if more.get(system) else {}))
    return own + [entry for entry in kept if "queryId" in entry]


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
    dropped = [
        counted(number, *words)
        for number, words in (
            (rankings, ("ranking of a subtopic", "rankings of subtopics")),
            (judgments, ("judgment for a subtopic", "judgments for subtopics")),
        )
        if number
    ]
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
            return all(isinstance(one, dict) for one in records)
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
                name="autograder",
                what="graded passages in Autograder's form",
                label="grades (Autograder)",
                sign=r"graded|grades|exam-grad|autograde",
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
