"""Nuggets as nuggetizer writes them: ``{"query", "qid", "nuggets": [{"text", …}]}``.

Its retrieval lines say ``text`` for ``query``. A query may have several lines, each
with what another response or passage was found to say (``assignment``); their nuggets
are united. Of a passage, which has a ``docid``, these are the grades of a grader.

Extras kept under the format "nuggetizer", where an export would not write the same
without them:

``("nuggetizer_line", "<query_id>\\t<run_id or docid, or nothing>\\t<n>")``
    ``{"at": line, "line": {…}, "nuggets": [[question_id, {…}], …]}``: a line as it
    came, its nuggets apart and their texts null; ``n`` counts lines of equal names.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from curator.bank.marks import Importance
from curator.bank.questions import Question, questions_by_query
from curator.collection.pools import Query
from curator.formats import codec
from curator.formats.autograder.bank import BANK_OPTION
from curator.formats.nuggets.items import (
    add_question,
    importance_in,
    importance_of,
    items_written,
    ordered_json,
    our_id,
    their_id,
    update_importance,
    words,
)
from curator.formats.parsed_import import ImportedGrades, ParsedImport
from curator.formats.passages import require_same_text
from curator.formats.recognition import file_reader
from curator.formats.text.json_text import json_line, json_records
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import Oddities
from curator.formats.text.output_files import output_file
from curator.formats.text.records import Record
from grading.responders import AS_GIVEN, GraderSpec, Reading, Responder

EXPECTED = 'nuggets of nuggetizer: {"query", "qid", "nuggets": […]} a line'
FORMAT = "nuggetizer"
LINE = "nuggetizer_line"
ASKED = "nuggetizer"  # the prompt, which a file does not state
JUDGE = "nuggetizer"
"""Whose votes the importances are, and whose grades the assignments to passages."""
RATINGS = {"support": 5, "partial_support": 3, "not_support": 0}
"""The rating of each assignment; by default 4 and more count as answered."""

_Nuggets = list[tuple[str, dict[str, Any]]]
"""(question id, nugget as it came, its text null)"""


_ODD = {
    "assigned": "[assignment] of a nugget to a response: kept for exports, not as a "
    "grade, because only passages have grades.",
    "unread": f"[assignment] other than {', '.join(RATINGS)}: unknown.",
    "otherwise": "[assignment] that differs from an earlier one for the same nugget "
    "and passage text: kept for exports, the first counts.",
    "repeated": "[nugget] with the same text as another of the line, counted once.",
    "votes": "[nugget] with another importance than on an earlier line, which counts "
    "as the vote.",
    "titles": "[line] with another text of the query than an earlier line, whose text "
    "is kept.",
}


@file_reader("bank", EXPECTED)
def read_nuggetizer(lines: TextLines) -> ParsedImport:
    """The nuggets of each query, their importance as votes. Raises InputFileError."""
    parsed = ParsedImport(lines.path.name, "nuggets of nuggetizer")
    odd = Oddities(_ODD)
    reading = Reading("rated", "nugget", AS_GIVEN)
    grades = ImportedGrades(GraderSpec(JUDGE, Responder(JUDGE, "", ASKED), reading))
    first_ratings: dict[tuple[str, str], int] = {}
    importances: dict[str, Importance | None] = {}
    kept: dict[str, list[tuple[int, Record, _Nuggets]]] = {}  # by query id
    for record in json_records(lines):
        query_id = _add_query(parsed, odd, record)
        passage_id = _passage(parsed, record, query_id)
        nuggets: _Nuggets = []
        kept.setdefault(query_id, []).append((lines.number, record, nuggets))
        for nugget in record.records("nuggets", "an entry of nuggets"):
            question = _question(parsed, query_id, nugget)
            question_id = question.question_id
            nugget.of = f"'{question_id}'"
            vote = importance_in(nugget.text("importance"))
            assignment = nugget.text("assignment")
            if passage_id is None:
                odd.count("assigned", assignment is not None)
            elif assignment in RATINGS:
                rating = RATINGS[assignment]
                # Grades are of texts, so passages of one text must agree.
                text = parsed.passages.get(passage_id, passage_id)
                key = (question.text or "").strip(), text
                if key not in first_ratings:
                    grades.append(query_id, question_id, passage_id, assignment, rating)
                odd.count("otherwise", first_ratings.setdefault(key, rating) != rating)
            else:
                odd.count("unread", assignment is not None)
            if importances.setdefault(question_id, vote) != vote:
                odd.count("votes")
            elif vote is not None:
                parsed.votes[question_id, JUDGE] = vote
            odd.count("repeated", question_id in dict(nuggets))
            nuggets.append((question_id, nugget | {"text": None}))
    for query_id, of_query in kept.items():
        ((_, record, nuggets), *others) = of_query
        fresh = [_nugget(parsed.questions[x], importances[x]) for x in dict(nuggets)]
        written = _new_line(parsed.queries[query_id]) | {"nuggets": fresh}
        same = ordered_json(record, record) == ordered_json(record, written)
        if others or not nuggets or not same:
            _keep(parsed, query_id, of_query)
    parsed.grades = [grades] if len(grades) else []
    parsed.notices += odd.notices()
    return parsed


def _add_query(parsed: ParsedImport, odd: Oddities, record: Record) -> str:
    if "nuggets" not in record:
        raise record.error('no nuggets here; expected a field "nuggets".')
    query_id = record.identifier("qid")
    title, background = record.text(_title_field(record)), record.get("full_query")
    query = parsed.queries.get(query_id, Query(query_id))
    odd.count("titles", query.title is not None and title not in (None, query.title))
    parsed.queries[query_id] = replace(
        query,
        title=query.title or words(title),
        background=query.background or words(background),
    )
    return query_id


def _passage(parsed: ParsedImport, record: Record, query_id: str) -> str | None:
    """Id of a retrieval line's passage, which joins the query's pool."""
    passage_id = record.identifier_or_none("docid")
    if passage_id is not None:
        text = record.words("candidate_text")
        if text is not None:
            earlier = parsed.passages.setdefault(passage_id, text)
            require_same_text(record.at("candidate_text"), passage_id, earlier, text)
        parsed.pooled[query_id, passage_id] = None
    return passage_id


def _question(parsed: ParsedImport, query_id: str, nugget: Record) -> Question:
    """The nugget's question, which an earlier nugget may have brought."""
    text = nugget.words("text")
    if text is None:
        raise nugget.at("text").error(
            f"a nugget of query '{query_id}' has no words; expected a text as its "
            '"text".'
        )
    question_id = our_id(nugget, "nugget_id", query_id, text)
    return add_question(parsed, nugget, Question(question_id, query_id, text, "nugget"))


def _keep(
    parsed: ParsedImport, query_id: str, of_query: list[tuple[int, Record, _Nuggets]]
) -> None:
    names: Counter[str] = Counter()
    for number, record, nuggets in of_query:
        responses = (record.get(name) for name in ("run_id", "docid"))
        name = next((value for value in responses if isinstance(value, str)), "")
        name = name.replace("\t", " ")
        key = f"{query_id}\t{name}\t{names[name]}"
        names[name] += 1
        kept = {"at": number, "line": record | {"nuggets": []}, "nuggets": nuggets}
        parsed.extras[LINE, key, FORMAT] = ordered_json(record, kept)


def _title_field(record: dict[str, Any]) -> str:
    """The name under which a line has its query's text."""
    return "text" if "text" in record and "query" not in record else "query"


def _new_line(query: Query) -> dict[str, Any]:
    """The line of a query that came from elsewhere, without its nuggets."""
    line = {"query": query.title or "", "qid": query.query_id}
    return line | ({"full_query": query.background} if query.background else {})


def _nugget(
    question: Question,
    importance: Importance | None,
    imported: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the entry of a nugget, with its id if reading finds another without it."""
    nugget: dict[str, Any] = {**(imported or {}), "text": question.text}
    if importance is not None:
        nugget["importance"] = importance
    if not nugget.get("nugget_id") and their_id(question) == question.question_id:
        nugget["nugget_id"] = question.question_id
    return nugget


def _write(contents: codec.Contents, target: Path) -> codec.WriteResult:
    """Write every imported line, and a line of other queries with kept nuggets.

    A nugget that no line of its query had stands at the end of each.
    """
    kept = [n for n in contents.bank if n.state == "kept" and n.kind == "nugget"]
    nuggets = [nugget for nugget in kept if words(nugget.text)]
    by_query = questions_by_query(nuggets)
    imported: dict[str, list[tuple[int, str, dict[str, Any]]]] = {}
    for (entity, key, form), text in contents.extras().items():
        if (entity, form) == (LINE, FORMAT):
            fields = json.loads(text)
            of_query = imported.setdefault(key.partition("\t")[0], [])
            of_query.append((fields["at"], key, fields))
    written = set()
    with output_file(target) as stream:
        for query in contents.queries:
            nuggets_of_query = by_query.get(query.query_id, [])
            lines = [fields for *_, fields in sorted(imported.get(query.query_id, []))]
            if nuggets_of_query and not lines:
                lines = [{"line": _new_line(query), "nuggets": []}]
            for line in _lines(query, nuggets_of_query, lines):
                stream.write(json_line(line))
                written.add(query.query_id)
    votes = sum(
        len(nugget.votes) - ((JUDGE, importance_of(nugget.votes)) in nugget.votes)
        for nugget in nuggets
    )
    return items_written(contents, "kept nuggets", kept, nuggets, written, votes)


def _lines(
    query: Query, nuggets: list[Question], lines: list[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    by_id = {nugget.question_id: nugget for nugget in nuggets}
    # A vote came from the first line that had the nugget; another line's own word
    # stands as long as nobody has voted since.
    imported = {
        question_id: importance_in(nugget.get("importance"))
        for fields in reversed(lines)
        for question_id, nugget in reversed(fields["nuggets"])
    }
    new = [n for n in nuggets if n.question_id not in imported]
    for fields in lines:
        entries = []
        for question_id, nugget in fields["nuggets"]:
            if question := by_id.get(question_id):
                update_importance(nugget, question.votes, imported[question_id])
                entries.append(_nugget(question, None, nugget))
        entries += [_nugget(nugget, importance_of(nugget.votes)) for nugget in new]
        line = fields["line"]
        if query.title is not None:
            line[_title_field(line)] = query.title
        if query.background is not None and isinstance(line.get("full_query"), str):
            line["full_query"] = query.background
        yield line | {"nuggets": entries}


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
            label="Nuggetizer",
            what="The kept key facts.",
            group=codec.BANK,
            forms=(codec.JSONL,),
            carries=codec.carried(
                *("query texts", "backgrounds", "kept nuggets", "item texts", "votes"),
                extras=("nuggetizer",),
            ),
            write=_write,
        ),
    ),
)
