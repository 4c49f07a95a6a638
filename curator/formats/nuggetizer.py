"""Nuggets as nuggetizer writes them: ``{"query", "qid", "nuggets": [{"text", …}]}``.

Its retrieval lines say ``text`` for ``query``. A query may have several lines, each
with what another response was found to say (``assignment``); their nuggets are united.

Extras kept under the format "nuggetizer", where an export would not write the same
without them:

``("nuggetizer_line", "<query_id>\\t<run_id or docid, or nothing>\\t<n>")``
    ``{"at": line, "line": {…}, "nuggets": [[question_id, {…}], …]}``: a line as it
    came, its nuggets apart and their texts null; ``n`` counts lines of equal names.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from curator.bank.marks import Importance
from curator.bank.questions import Question
from curator.collection.queries import Query
from curator.formats import codec
from curator.formats.autograder.bank_export import BANK_OPTION
from curator.formats.nuggetbank import (
    importance_in,
    importance_of,
    nuggets_written,
    our_id,
    their_id,
)
from curator.formats.parsed_import import ParsedImport
from curator.formats.recognition import file_reader
from curator.formats.text.fields import Extras
from curator.formats.text.json_documents import JsonPlace, json_records
from curator.formats.text.json_text import json_line, json_text
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import Oddities
from curator.formats.text.output_files import output_file
from curator.formats.text.records import (
    described,
    identifier,
    list_of,
    record_of,
    text_of,
)

EXPECTED = 'nuggets of nuggetizer: {"query", "qid", "nuggets": […]} a line'
FORMAT = "nuggetizer"
LINE = "nuggetizer_line"
JUDGE = "nuggetizer"
"""Whose votes the importances are."""

Nuggets = list[tuple[str, dict[str, Any]]]  # (question id, the nugget as it came)


@file_reader("bank", EXPECTED)
def read_nuggetizer(lines: TextLines) -> ParsedImport:
    """The nuggets of each query, their importance as votes. Raises InputFileError."""
    reading = _Reading(lines)
    for place, record in json_records(lines):
        reading.add_line(place, record)
    return reading.result()


_ODD = {
    "assigned": "[assignment] of a nugget to a response: kept for an export, and no "
    "grade, for a grade is of a passage.",
    "repeated": "[nugget] in the words of another of the same line, counted once.",
    "votes": "[nugget] with another importance than on an earlier line, which is the "
    "vote.",
    "titles": "[line] with another text of the query than an earlier line, whose is "
    "kept.",
}


class _Reading:
    def __init__(self, lines: TextLines) -> None:
        self.place: JsonPlace = lines
        self._lines = lines
        self.parsed = ParsedImport(lines.path.name, "nuggets of nuggetizer")
        self.lines: dict[str, list[tuple[int, dict[str, Any], Nuggets]]] = {}
        self.importances: dict[str, Importance | None] = {}
        self.odd = Oddities(_ODD)

    def add_line(self, place: JsonPlace, record: dict[str, Any]) -> None:
        self.place = place
        if "nuggets" not in record:
            raise place.error('no nuggets here; expected a field "nuggets".')
        query_id = identifier(place.at("qid"), record.get("qid"), "qid")
        field = title_field(record)
        title = text_of(place.at(field), record.get(field), field)
        known = self.parsed.queries.get(query_id, Query(query_id))
        if known.title is None and title and title.strip():
            self.parsed.queries[query_id] = Query(query_id, title)
        else:
            self.parsed.queries[query_id] = known
            self.odd.count("titles", title not in (None, known.title))
        seen: set[str] = set()
        nuggets: Nuggets = []
        entries = list_of(place.at("nuggets"), record["nuggets"], "nuggets")
        for at, value in enumerate(entries):
            here = place.at("nuggets", at)
            nugget = record_of(here, value, "an entry of nuggets")
            question_id = self._add_nugget(here, query_id, nugget)
            self.odd.count("repeated", question_id in seen)
            seen.add(question_id)
            nuggets.append((question_id, nugget | {"text": None}))
        self.lines.setdefault(query_id, []).append(
            (self._lines.number, record, nuggets)
        )

    def _add_nugget(
        self, place: JsonPlace, query_id: str, nugget: dict[str, Any]
    ) -> str:
        here = place.at("text")
        text = text_of(here, nugget.get("text"), f"text of a nugget of '{query_id}'")
        if text is None or not text.strip():
            raise here.error(
                f"a nugget of query '{query_id}' has no words; expected a text as its "
                '"text".'
            )
        here, own = place.at("nugget_id"), nugget.get("nugget_id")
        question_id = our_id(here, query_id, own, text, "nugget_id")
        question = Question(question_id, query_id, text, "nugget")
        known = self.parsed.questions.setdefault(question_id, question)
        if known.text != text:
            raise here.error(
                f"nugget_id '{question_id}' has two texts, {described(known.text)} and "
                f"{described(text)}; one id means one nugget."
            )
        here = place.at("importance")
        importance = text_of(
            here, nugget.get("importance"), f"importance of '{question_id}'"
        )
        here = place.at("assignment")
        text_of(here, nugget.get("assignment"), f"assignment of '{question_id}'")
        self.odd.count("assigned", nugget.get("assignment") is not None)
        vote = importance_in(importance)
        if self.importances.setdefault(question_id, vote) != vote:
            self.odd.count("votes")
        elif vote is not None:
            self.parsed.votes[question_id, JUDGE] = vote
        return question_id

    def result(self) -> ParsedImport:
        """All of the file, with notices."""
        for query_id, lines in self.lines.items():
            title = self.parsed.queries[query_id].title
            if len(lines) > 1 or not self._is_new(query_id, title, lines[0]):
                self._keep(query_id, lines)
        self.parsed.notices += self.odd.notices()
        return self.parsed

    def _is_new(
        self,
        query_id: str,
        title: str | None,
        line: tuple[int, dict[str, Any], Nuggets],
    ) -> bool:
        """Whether an export writes this very line without having seen it."""
        _, record, nuggets = line
        fresh = [
            new_nugget(self.parsed.questions[one], self.importances[one])
            for one, _ in nuggets
        ]
        written = new_line(Query(query_id, title)) | {"nuggets": fresh}
        each_once = len({one for one, _ in nuggets}) == len(nuggets) > 0
        return each_once and self._text(record) == self._text(written)

    def _keep(
        self, query_id: str, lines: list[tuple[int, dict[str, Any], Nuggets]]
    ) -> None:
        names: dict[str, int] = {}
        for number, record, nuggets in lines:
            name = response_name(record)
            names[name] = names.get(name, 0) + 1
            kept = {
                "at": number,
                "line": record | {"nuggets": []},
                "nuggets": nuggets,
            }
            key = f"{query_id}\t{name}\t{names[name] - 1}"
            self.parsed.extras[LINE, key, FORMAT] = self._text(kept)

    def _text(self, value: object) -> str:
        return json_text(self.place, value, in_order=True)


def title_field(record: dict[str, Any]) -> str:
    """The name under which a line has its query's text."""
    return "text" if "text" in record and "query" not in record else "query"


def response_name(record: dict[str, Any]) -> str:
    """What the line says its response is, "" where it says nothing."""
    for name in ("run_id", "docid"):
        value = record.get(name)
        if isinstance(value, str):
            return value.replace("\t", " ")
    return ""


def new_line(query: Query) -> dict[str, Any]:
    """The line of a query that came from elsewhere, without its nuggets."""
    return {"query": query.title or "", "qid": query.query_id}


def new_nugget(question: Question, importance: Importance | None) -> dict[str, Any]:
    """A nugget that came from elsewhere. Its id stands there where it is not usual."""
    nugget: dict[str, Any] = {"text": question.text}
    if importance is not None:
        nugget["importance"] = importance
    return with_id(nugget, question)


def with_id(nugget: dict[str, Any], question: Question) -> dict[str, Any]:
    """The nugget with its id, unless reading it anew finds the same."""
    own = their_id(question)
    if nugget.get("nugget_id") is None and own == question.question_id:
        nugget["nugget_id"] = own
    return nugget


@dataclass(frozen=True)
class StoredLine:
    """A line as it came, and its nuggets in their order."""

    at: int
    key: str
    line: dict[str, Any]
    nuggets: Nuggets


def writable_nuggets(questions: Iterable[Question]) -> list[Question]:
    """The kept nuggets that have words."""
    return [
        one
        for one in questions
        if one.state == "kept"
        and one.kind == "nugget"
        and one.text is not None
        and one.text.strip()
    ]


def write_nuggetizer(
    stream: TextIO,
    queries: Iterable[Query],
    nuggets: Iterable[Question],
    *,
    extras: Extras | None = None,
) -> set[str]:
    """Write a line per query that has a nugget, and every line that came.

    Returns the queries that have a line.

    ``nuggets`` are ``writable_nuggets``. One that no line of its query had stands at
    the end of each. ``extras`` may hold those of other formats too.
    """
    by_query: dict[str, list[Question]] = {}
    for nugget in nuggets:
        by_query.setdefault(nugget.query_id, []).append(nugget)
    stored = _stored_lines(extras or {})
    written = set()
    for query in queries:
        own = by_query.get(query.query_id, [])
        for line in _lines(query, own, stored.get(query.query_id, [])):
            stream.write(json_line(line))
            written.add(query.query_id)
    return written


def _lines(
    query: Query, own: list[Question], stored: list[StoredLine]
) -> Iterator[dict[str, Any]]:
    if not stored:
        if own:
            fresh = [new_nugget(one, importance_of(one.votes)) for one in own]
            yield new_line(query) | {"nuggets": fresh}
        return
    by_id = {one.question_id: one for one in own}
    # A vote came from the first line that had the nugget; another line's own word
    # stands as long as nobody has voted since.
    came = {
        question_id: importance_in(nugget.get("importance"))
        for one in reversed(stored)
        for question_id, nugget in reversed(one.nuggets)
    }
    new = [one for one in own if one.question_id not in came]
    for one in stored:
        nuggets = [
            _as_it_came(dict(nugget), by_id[question_id], came[question_id])
            for question_id, nugget in one.nuggets
            if question_id in by_id
        ]
        nuggets += [new_nugget(nugget, importance_of(nugget.votes)) for nugget in new]
        field = title_field(one.line)
        if query.title is not None:
            one.line[field] = query.title
        yield one.line | {"nuggets": nuggets}


def _as_it_came(
    nugget: dict[str, Any], question: Question, came: str | None
) -> dict[str, Any]:
    """The nugget, but for words and importance that are otherwise now."""
    nugget["text"] = question.text
    importance = importance_of(question.votes)
    if importance != came:
        if importance is None:
            nugget.pop("importance", None)
        else:
            nugget["importance"] = importance
    return with_id(nugget, question)


def _stored_lines(extras: Extras) -> dict[str, list[StoredLine]]:
    """The lines that came, by query, in the order they had."""
    found: dict[str, list[StoredLine]] = {}
    for (entity, key, form), text in extras.items():
        if (entity, form) == (LINE, FORMAT):
            kept = json.loads(text)
            one = StoredLine(kept["at"], key, kept["line"], kept["nuggets"])
            found.setdefault(key.partition("\t")[0], []).append(one)
    for lines in found.values():
        lines.sort(key=lambda one: (one.at, one.key))
    return found


def _write(contents: codec.Contents, target: Path) -> codec.Written:
    """The kept nuggets as nuggetizer reads them."""
    kept = [n for n in contents.bank if n.state == "kept" and n.kind == "nugget"]
    nuggets = writable_nuggets(kept)
    extras = contents.extras()
    with output_file(target) as stream:
        queries = write_nuggetizer(stream, contents.queries, nuggets, extras=extras)
    votes = sum(
        len(one.votes) - ((JUDGE, importance_of(one.votes)) in one.votes)
        for one in nuggets
    )
    return nuggets_written(contents, "kept nuggets", kept, nuggets, queries, votes)


CODECS = (
    codec.Codec(
        "nuggetizer",
        codec.Imports(
            option=BANK_OPTION,
            called="nuggetizer",
            read=read_nuggetizer,
            fits=lambda start: start.has({"qid", "nuggets"}),
        ),
        codec.Exports(
            help="The kept nuggets, as nuggetizer reads them.",
            label="Nuggetizer",
            what="The kept key facts.",
            group=codec.BANK,
            forms=(codec.JSONL,),
            carries=codec.carried(
                *("query texts", "kept nuggets", "item texts", "votes"),
                extras=("nuggetizer",),
            ),
            write=_write,
        ),
    ),
)
