"""Nugget banks of RAGTIME 2026: questions with their answers, a topic a line.

A line is ``{"metadata": {"team_id", "topic_id", "run_id", "run_desc"}, "nugget_bank":
[{"question", "aggregator_type"?, "answers"?: [{"answer", "references"?}],
"importance"?}]}``, a NuggetBank's (``nuggetbank.py``) with lists, without claims, ids
and creators. Extras are as there, under the format "ragtime".

An id that is not the MD5 of the text, a subtopic and choices stand in an item's
``metadata``, which the track's scorer passes over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from curator.bank.questions import Question
from curator.collection.pools import Query
from curator.formats import codec
from curator.formats.autograder.bank import BANK_OPTION
from curator.formats.nuggetbank import (
    GROUPS,
    ODD,
    Form,
    Group,
    add_line,
    importance_in,
    item_out,
    judge_of,
    nuggets_written,
    say_choices,
    say_id,
    writable,
    write_nuggetbank,
)
from curator.formats.parsed_import import ParsedImport
from curator.formats.recognition import file_reader
from curator.formats.text.json_text import json_records
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import Oddities, counted
from curator.formats.text.output_files import output_file

EXPECTED = (
    'a nugget bank of RAGTIME: {"metadata": {"topic_id"}, "nugget_bank": […]} a line'
)
(QUESTIONS, _) = GROUPS
ID_IN = "metadata"


def new_line(query: Query, groups: Iterable[Group]) -> dict[str, Any]:
    """The line of a query that came from elsewhere, its bank empty."""
    return {"metadata": {"topic_id": query.query_id}, QUESTIONS.name: []}


def new_item(
    group: Group, question: Question, facets: Mapping[str, str | None]
) -> dict[str, Any]:
    """The entry of a question that came from elsewhere."""
    item: dict[str, Any] = {group.text: question.text}
    if len(question.answers) > 1:
        item["aggregator_type"] = question.aggregator
    if question.answers:
        item["answers"] = [{"answer": answer} for answer in question.answers]
    say_id(item, group, question, ID_IN)
    about: dict[str, Any] = item.get(ID_IN, {})
    if question.subtopic_id is not None:
        about["facet_id"] = question.subtopic_id
        if text := facets.get(question.subtopic_id):
            about["facet_text"] = text
    if about:
        item[ID_IN] = about
    say_choices(item, question)
    return item


RAGTIME = Form("ragtime", new_line, new_item, ids_in=ID_IN, says_creators=False)


@file_reader("bank", EXPECTED)
def read_ragtime(lines: TextLines) -> ParsedImport:
    """The questions with their gold answers; what they refer to as ideal answers.

    Raises InputFileError.
    """
    parsed = ParsedImport(lines.path.name, "a nugget bank of RAGTIME 2026")
    odd = Oddities(ODD)
    for record in json_records(lines):
        about = record.inner("metadata")
        topic_id = about.identifier("topic_id")
        if not isinstance(record.get(QUESTIONS.name), list):
            raise record.at(QUESTIONS.name).error(
                f"no list of nuggets for topic '{topic_id}'; expected {EXPECTED}."
            )
        if others := [name for name in ("query_id", "claim_bank") if name in record]:
            raise record.at(others[0]).error(
                f"{others[0]} is given as well as a topic_id; expected {EXPECTED}."
            )
        add_line(parsed, odd, record, RAGTIME)
    parsed.notices += odd.notices()
    return parsed


def _write(contents: codec.Contents, target: Path) -> codec.WriteResult:
    """The kept questions, as RAGTIME's scorer reads them."""
    kept = [one for one in contents.bank if one.state == "kept"]
    kept = [one for one in kept if one.kind == QUESTIONS.kind]
    items = contents.in_full(writable(kept))
    extras = contents.extras()
    with output_file(target) as stream:
        queries = write_nuggetbank(
            *(stream, contents.queries, items), extras=extras, form=RAGTIME
        )
    votes = 0
    for one in items:
        item = item_out(QUESTIONS, one, {}, extras, None, RAGTIME)
        judge, vote = judge_of(()), importance_in(item.get("importance"))
        votes += len(one.votes) - ((judge, vote) in one.votes)
    written = nuggets_written(contents, "kept questions", kept, items, queries, votes)
    named = {(one.query_id, one.subtopic_id) for one in items}
    subtopics = (
        (q.query_id, s.subtopic_id) for q in contents.queries for s in q.subtopics
    )
    if bare := sum(one not in named for one in subtopics):
        what = f"{counted(bare, 'subtopic')} without a kept item"
        written = replace(written, dropped=[*written.dropped, what])
    return written


CODECS = (
    codec.Codec(
        "ragtime",
        codec.Imports(
            option=BANK_OPTION,
            called="RAGTIME 2026",
            read=read_ragtime,
            fits=lambda start: (
                start.has({"metadata", QUESTIONS.name})
                and not start.has({"query_id"}, {"claim_bank"}, {"title_query"})
                and isinstance(start.value[QUESTIONS.name], list)
                and isinstance(start.value["metadata"], dict)
                and "topic_id" in start.value["metadata"]
            ),
            specific=10,  # a NuggetBank may look so too, and has a query_id
        ),
        codec.Exports(
            label="RAGTIME nuggets",
            what="The kept questions with their answers, as RAGTIME 2026 takes them.",
            group=codec.BANK,
            forms=(codec.JSONL,),
            carries=codec.carried(  # of votes a part
                *("subtopics", "kept questions", "item texts", "choices", "answers"),
                *("votes", "aggregators"),
                extras=("ragtime",),
            ),
            write=_write,
        ),
    ),
)
