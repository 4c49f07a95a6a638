"""NuggetBanks (v3) of autojudge-base: questions and claims, a query a line.

A line is ``{"query_id", "title_query", "full_query"?, "nugget_bank"?: {text: {…}},
"claim_bank"?: {text: {…}}}``. Its questions are questions here, its claims nuggets.
Both banks may be lists, and one bank may be an object over many lines.

Extras kept under the format "nuggetbank", each a JSON object with its keys in order,
where an export would not write the same without it:

``("nuggetbank_line", "<query_id>")``
    the line as it came, with its banks empty.
``("nuggetbank_question", "<question_id>")``
    the question or claim as it came, its text null.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from curator.bank.questions import Question
from curator.collection.queries import Query
from curator.errors import InputFileError
from curator.formats.nuggetbank.fields import importance_in, our_id
from curator.formats.nuggetbank.records import (
    FORMAT,
    GROUPS,
    ITEM,
    LINE,
    VERSION,
    Group,
    beside_a_question,
    created,
    judge_of,
    name_field,
    new_item,
    new_line,
)
from curator.formats.parsed_import import Incoming, Progress
from curator.formats.recognition import wrong_file_hint
from curator.formats.text.json_documents import JsonPlace
from curator.formats.text.json_records import json_records
from curator.formats.text.json_text import json_text
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import counted
from curator.formats.text.records import (
    Place,
    described,
    either,
    identifier,
    list_of,
    name_of,
    record_of,
    text_of,
)

EXPECTED = 'a NuggetBank: {"query_id", "title_query", "nugget_bank": {…}} a line'


def read_nuggetbank(path: Path, *, progress: Progress | None = None) -> Incoming:
    """The questions and nuggets, their gold answers, and the importance as votes.

    Raises InputFileError. A bank of another version is read where it has this shape.
    """
    with wrong_file_hint(path, "bank"):
        lines = TextLines(path, expected=EXPECTED, progress=progress)
        reading = _Reading(lines)
        for place, record in json_records(lines):
            reading.add_line(place, record)
        return reading.result()


class _Reading:
    def __init__(self, lines: TextLines) -> None:
        self.incoming = Incoming(lines.path.name, f"a NuggetBank ({VERSION})")
        self.versions: dict[str, None] = {}
        self.below = 0  # nuggets below nuggets

    def add_line(self, place: JsonPlace, record: dict[str, Any]) -> None:
        version = record.get("format_version")
        if version is None or version == VERSION:
            self._add(place, record)
            return
        here = place.at("format_version")
        said = described(text_of(here, version, "format_version"))
        self.versions[said] = None
        try:
            self._add(place, record)
        except InputFileError as error:
            raise InputFileError(
                f"{error} The bank's format_version is {said}, and {VERSION} is what "
                "is read here: convert it with autojudge-base."
            ) from None

    def _add(self, place: JsonPlace, record: dict[str, Any]) -> None:
        if not any(group.name in record for group in GROUPS):
            names = either([group.name for group in GROUPS])
            raise place.error(f"no nuggets here; expected a field {names}.")
        title = text_of(
            place.at("title_query"), record.get("title_query"), "title_query"
        )
        query_id = _query_id(place, record, title)
        if query_id in self.incoming.queries:
            raise place.at("query_id").error(
                f"query '{query_id}' stands twice; put its nuggets into one line."
            )
        query = Query(query_id, _words(title), _words(record.get("full_query")))
        self.incoming.queries[query_id] = query
        line = dict(record)
        there = []
        for group in GROUPS:
            value = record.get(group.name)
            if value is None:
                continue
            entries = _entries(place.at(group.name), value, group)
            if entries:
                there.append(group)
            line[group.name] = type(value)()
            for here, entry in entries:
                self._add_item(here, group, query_id, entry)
        kept = in_order(place, line)
        if not there or kept != in_order(place, new_line(query, there)):
            self.incoming.extras[LINE, query_id, FORMAT] = kept

    def _add_item(
        self, place: JsonPlace, group: Group, query_id: str, entry: dict[str, Any]
    ) -> None:
        text, own_query = entry[group.text], entry.get("query_id")
        here = place.at("query_id")
        if own_query is not None and (
            identifier(here, own_query, "query_id") != query_id
        ):
            raise here.error(
                f"{group.text} {described(text)} names query_id "
                f"{described(own_query)} in the line of query '{query_id}'; they must "
                "agree."
            )
        here = place.at(group.id)
        question_id = our_id(here, query_id, entry.get(group.id), text, group.id)
        there = self.incoming.questions.get(question_id)
        asked = there and there.kind == "question" and there.query_id == query_id
        if asked and group.kind == "nugget":
            question_id = beside_a_question(question_id, query_id)
        if question_id in self.incoming.questions:
            raise here.error(
                f"{group.id} '{question_id}' stands twice, at "
                f"{described(self.incoming.questions[question_id].text)} and at "
                f"{described(text)}; one id means one item."
            )
        creators = _creators(place, entry, question_id)
        question = Question(
            question_id,
            query_id,
            text,
            group.kind,
            answers=(
                answers_in(place.at("answers"), entry.get("answers"), question_id)
                if group.kind == "question"
                else ()
            ),
            provenance=json_text(place, created(creators)),
        )
        self.incoming.questions[question_id] = question
        here, below = place.at("sub_nuggets"), entry.get("sub_nuggets")
        self.below += len(list_of(here, below, f"sub_nuggets of '{question_id}'"))
        vote = importance_in(entry.get("importance"))
        if vote is not None:
            here = place.at("creator", *(name_field(creators) or ()))
            judge = name_of(here, judge_of(creators), f"creator of '{question_id}'")
            self.incoming.votes[question_id, judge] = vote
        if in_order(place, entry) != in_order(place, new_item(group, question)):
            kept = in_order(place, entry | {group.text: None})
            self.incoming.extras[ITEM, question_id, FORMAT] = kept

    def result(self) -> Incoming:
        """All of the file, with notices."""
        notices = self.incoming.notices
        for version in self.versions:
            notices.append(f"format_version is {version}; it was read as {VERSION} is.")
        if self.below:
            be = "is" if self.below == 1 else "are"
            notices.append(
                f"{counted(self.below, 'sub-nugget')} {be} kept for an export and not "
                "asked here."
            )
        return self.incoming


def in_order(place: Place, value: object) -> str:
    """The value as JSON, its keys as they stand."""
    return json_text(place, value, in_order=True)


def answers_in(place: JsonPlace, value: object, question_id: str) -> tuple[str, ...]:
    """The gold answers of a field ``answers``, each once: an object by text or a list.

    Raises the place's error, also where a key is another text than its answer.
    """
    what = f"answers of '{question_id}'"
    found: list[str] = []
    for here, key, entry in _keyed(place, value, what):
        here = here.at("answer")
        answer = text_of(here, entry.get("answer"), f'"answer" of {what}')
        if answer is None:
            answer = key
        if answer is None or not answer.strip():
            raise here.error(f"{what} hold one without words; give it some or cut it.")
        if key is not None and key != answer:
            raise here.error(
                f"{what}: {described(key)} holds the answer {described(answer)}; they "
                "must agree."
            )
        found.append(answer)
    return tuple(dict.fromkeys(found))


def _creators(
    place: JsonPlace, entry: dict[str, Any], question_id: str
) -> list[dict[str, Any]]:
    """The entry's creators. Raises the place's error for fields of other types."""
    what = f"creator of '{question_id}'"
    creators = []
    place = place.at("creator")
    for number, value in enumerate(list_of(place, entry.get("creator"), what)):
        here = place.at(number)
        creator = record_of(here, value, f"an entry of {what}")
        human = creator.get("is_human")
        if human is not None and not isinstance(human, bool):
            raise here.at("is_human").error(
                f"is_human of {what} is {described(human)}; expected true or false."
            )
        for name in ("assessor_id", "llm_model", "creation_date"):
            text_of(here.at(name), creator.get(name), f"{name} of {what}")
        creators.append(creator)
    return creators


def _query_id(place: JsonPlace, record: dict[str, Any], title: str | None) -> str:
    """The line's query, found as autojudge-base finds it where no field says so."""
    if record.get("query_id") is not None:
        return identifier(place.at("query_id"), record["query_id"], "query_id")
    if title:
        return hashlib.md5(title.encode(), usedforsecurity=False).hexdigest()
    place = place.at("metadata")
    about = record_of(place, record.get("metadata") or {}, "metadata")
    for name in ("topic_id", "query_id"):
        if about.get(name) is not None:
            return identifier(place.at(name), about[name], name)
    raise place.error('a bank without a query; expected a field "query_id".')


def _entries(
    place: JsonPlace, value: object, group: Group
) -> list[tuple[JsonPlace, dict[str, Any]]]:
    """The entries of one bank, each with its text, and where they stand."""
    entries = []
    for here, key, entry in _keyed(place, value, group.name):
        field = here.at(group.text)
        text = text_of(field, entry.get(group.text), f'"{group.text}" in {group.name}')
        if text is None or not text.strip():
            where = "" if key is None else f" at {described(key)}"
            raise field.error(
                f"{group.name} holds an entry without words{where}; expected a text "
                f'as its "{group.text}".'
            )
        if key is not None and key != text:
            raise field.error(
                f"{group.name}: {described(key)} holds the {group.text} "
                f"{described(text)}; they must agree."
            )
        entries.append((here, entry))
    return entries


def _keyed(
    place: JsonPlace, value: object, what: str
) -> Iterator[tuple[JsonPlace, str | None, dict[str, Any]]]:
    """The entries of an object with their keys, or of a list without."""
    match value:
        case None:
            return
        case dict():
            for key, entry in value.items():
                here = place.at(key)
                yield here, key, record_of(here, entry, f"{described(key)} in {what}")
        case list():
            for number, entry in enumerate(value):
                here = place.at(number)
                yield here, None, record_of(here, entry, f"an entry of {what}")
        case _:
            raise place.error(
                f"{what} is {described(value)}; expected an object by text, or a list."
            )


def _words(value: object) -> str | None:
    """The value where it is a text that has words."""
    return value if isinstance(value, str) and value.strip() else None
