"""NuggetBanks (v3) of autojudge-base: questions and claims, a query a line.

A line is ``{"query_id", "title_query", "full_query"?, "nugget_bank"?: {text: {…}},
"claim_bank"?: {text: {…}}}``. Its questions are questions here, its claims nuggets.
Both banks may be lists, and one bank may be an object over many lines. What came from
such a bank goes out as it came, fields in their order, except for what was changed
here since.

Extras kept under the format "nuggetbank", each a JSON object with its keys in order,
where an export would not write the same without it:

``("nuggetbank_line", "<query_id>")``
    the line as it came, with its banks empty.
``("nuggetbank_question", "<question_id>")``
    the question or claim as it came, its text null.

A subtopic and choices stand in an item's ``metadata`` as ``facet_id``, ``facet_text``
and ``choices``, and come back from there.

Their ids are mostly the MD5 of the text, which may stand under two queries; ours begin
with the query's id, so that one id means one item.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

from curator.bank.marks import IMPORTANCES, Importance, Votes
from curator.bank.questions import (
    Aggregator,
    Kind,
    Question,
    new_question_id,
    questions_by_query,
)
from curator.collection.pools import Query, Subtopic
from curator.errors import InputFileError
from curator.formats import codec
from curator.formats.autograder.bank import BANK_OPTION
from curator.formats.parsed_import import ParsedImport
from curator.formats.recognition import file_reader
from curator.formats.references import (
    References,
    add_references,
    answer_entries,
    document_ids,
    reference_entries,
    references_in,
)
from curator.formats.text.fields import Extras, fields_kept
from curator.formats.text.json_text import json_line, json_records, json_text
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import Oddities, counted, left_out
from curator.formats.text.output_files import output_file
from curator.formats.text.records import (
    FileLocation,
    Record,
    described,
    either,
    name_of,
)

VERSION = "v3"
_BESIDE = "claim/"
NOBODY = "nuggetbank"
"""Who votes where an item with an importance names no creator."""


@dataclass(frozen=True, slots=True)
class Group:
    """A bank of a line (questions or claims), and the names of its fields."""

    name: str
    kind: Kind
    text: str

    @property
    def id(self) -> str:
        """The field of the id."""
        return f"{self.text}_id"


GROUPS = (
    Group("nugget_bank", "question", "question"),
    Group("claim_bank", "nugget", "claim"),
)


@dataclass(frozen=True)
class Form:
    """What another format of such lines does otherwise; ``name`` is its extras'.

    ``new_line`` and ``new_item`` make what came from elsewhere. ``ids_in`` is the field
    of an item whose object has the id, "" for its own fields. ``says_creators``:
    whether it has a place for who made an item.
    """

    name: str
    new_line: Callable[[Query, Iterable[Group]], dict[str, Any]]
    new_item: Callable[[Group, Question, Mapping[str, str | None]], dict[str, Any]]
    ids_in: str = ""
    says_creators: bool = True

    @property
    def line(self) -> str:
        """The entity of its lines."""
        return f"{self.name}_line"

    @property
    def item(self) -> str:
        """The entity of its items."""
        return f"{self.name}_question"


def new_line(query: Query, groups: Iterable[Group]) -> dict[str, Any]:
    """The line of a query that came from elsewhere, its banks empty."""
    line: dict[str, Any] = {"query_id": query.query_id}
    if query.title is not None:
        line["title_query"] = query.title
    if query.background is not None:
        line["full_query"] = query.background
    line["format_version"] = VERSION
    return line | {group.name: {} for group in groups}


def new_item(
    group: Group, question: Question, facets: Mapping[str, str | None]
) -> dict[str, Any]:
    """The entry of a question that came from elsewhere.

    Its subtopic, called by its text in ``facets``, and its choices stand in the
    metadata, as an Autograder bank calls them.
    """
    item: dict[str, Any] = {
        group.text: question.text,
        group.id: their_id(question),
        "query_id": question.query_id,
    }
    if question.answers and group.kind == "question":
        item["answers"] = {answer: {"answer": answer} for answer in question.answers}
    if question.aggregator != "OR":
        item["aggregator_type"] = question.aggregator
    if question.subtopic_id is not None:
        item["metadata"] = {"facet_id": question.subtopic_id}
        if text := facets.get(question.subtopic_id):
            item["metadata"]["facet_text"] = text
    say_choices(item, question)
    return item


V3 = Form("nuggetbank", new_line, new_item)


def created(creators: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the provenance of an item's creators, or an empty object."""
    makers = []
    for one in creators:
        who = {"by": one.get("assessor_id"), "model": one.get("llm_model")}
        named = {name: value for name, value in who.items() if value}
        if named and one.get("creation_date"):
            named["at"] = one["creation_date"]
        if named:
            makers.append(named)
    return {"created": makers} if makers else {}


def judge_of(creators: Sequence[Mapping[str, Any]]) -> str:
    """Return the judge of an item's importance: its first named creator."""
    named = name_field(creators)
    return str(creators[named[0]][named[1]]) if named else NOBODY


def name_field(creators: Sequence[Mapping[str, Any]]) -> tuple[int, str] | None:
    """Return the index of the first named creator, and the field of the name."""
    for number, one in enumerate(creators):
        own, other = ("llm_model", "assessor_id")
        if one.get("is_human"):
            own, other = other, own
        for name in (own, other):
            if one.get(name):
                return number, name
    return None


def machines(items: Iterable[Sequence[Mapping[str, Any]]]) -> frozenset[str]:
    """The names of ``judge_of`` that are no person's, of the creators of each item."""
    persons: set[str] = set()
    others: set[str] = set()
    for creators in items:
        if named := name_field(creators):
            human = creators[named[0]].get("is_human")
            own = named[1] == "assessor_id" if human is None else human
            (persons if own else others).add(judge_of(creators))
    return frozenset(others - persons)


def our_id(record: Record, field: str, query_id: str, text: str) -> str:
    """``<query_id>/<their id>``, or theirs where it begins so; the MD5 for null."""
    own = record.identifier_or_none(field)
    if own is None:
        return new_question_id(query_id, None, text)
    return own if own.startswith(f"{query_id}/") else f"{query_id}/{own}"


def their_id(question: Question) -> str:
    """The id that goes out: the MD5 where ours says no more, else ours."""
    plain = new_question_id(question.query_id, None, question.text or "")
    if question.question_id == plain:
        return plain.removeprefix(f"{question.query_id}/")
    return question.question_id


def importance_in(value: Any) -> Importance | None:
    """The vote that a field ``importance`` is; None for every other value."""
    return next((one for one in IMPORTANCES if one == value), None)


def importance_of(votes: Votes) -> Importance | None:
    """Vital where more than half of the votes say so, okay otherwise; None without."""
    if not votes:
        return None
    vital = sum(vote == "vital" for _, vote in votes)
    return "vital" if 2 * vital > len(votes) else "okay"


EXPECTED = 'a NuggetBank: {"query_id", "title_query", "nugget_bank": {…}} a line'
ODD = {
    "versions": f"[other format_version], read as {VERSION} is: {{}}.",
    "below": "[sub-nugget] kept for exports, not asked here.",
    "aggregators": "[aggregator] other than AND and OR, kept for exports: {}. Here, "
    "any answer is enough for such an item.",
}


@file_reader("bank", EXPECTED)
def read_nuggetbank(lines: TextLines) -> ParsedImport:
    """The questions and nuggets, their gold answers, and the importance as votes.

    Raises InputFileError. A bank of another version is read where it has this shape.
    """
    parsed = ParsedImport(lines.path.name, f"a NuggetBank ({VERSION})")
    odd = Oddities(ODD)
    for record in json_records(lines):
        version = record.text("format_version")
        try:
            add_line(parsed, odd, record, V3)
        except InputFileError as error:
            if version in (None, VERSION):
                raise
            raise InputFileError(
                f"{error} The bank's format_version is {described(version)}, and "
                f"{VERSION} is what is read here: convert it with autojudge-base."
            ) from None
        if version not in (None, VERSION):
            odd.name("versions", described(version))
    parsed.notices += odd.notices()
    return parsed


def add_line(parsed: ParsedImport, odd: Oddities, record: Record, form: Form) -> None:
    """Add the query of a line with its items."""
    # autojudge-base leaves both banks out of a line where they are empty.
    empty = record.get("format_version") == VERSION
    if not empty and not any(group.name in record for group in GROUPS):
        names = either([group.name for group in GROUPS])
        raise record.error(f"no nuggets here; expected a field {names}.")
    title = record.text("title_query")
    query_id = _query_id(record, title)
    if query_id in parsed.queries:
        raise record.at("query_id").error(
            f"query '{query_id}' occurs twice; put its nuggets into one line."
        )
    query = Query(query_id, _words(title), _words(record.get("full_query")))
    parsed.queries[query_id] = query
    line, there = dict(record), []
    facets: dict[str, str | None] = {}
    for group in GROUPS:
        value = record.get(group.name)
        entries = list(_by_text(record, group.name, group.name, group.text))
        if entries:
            there.append(group)
        if value is not None:
            line[group.name] = type(value)()
        for entry, text in entries:
            _add_item(parsed, odd, group, query_id, entry, text, facets, form)
    subtopics = tuple(Subtopic(one, text) for one, text in facets.items())
    parsed.queries[query_id] = replace(query, subtopics=subtopics)
    kept = in_order(record, line)
    if not there or kept != in_order(record, form.new_line(query, there)):
        parsed.extras[form.line, query_id, form.name] = kept


def _add_item(
    parsed: ParsedImport,
    odd: Oddities,
    group: Group,
    query_id: str,
    entry: Record,
    text: str,
    facets: dict[str, str | None],
    form: Form,
) -> None:
    own_query = entry.identifier_or_none("query_id")
    if own_query not in (None, query_id):
        raise entry.at("query_id").error(
            f"{group.text} {described(text)} names query_id {described(own_query)} in "
            f"the line of query '{query_id}'; they must agree."
        )
    stated = entry.inner(form.ids_in) if form.ids_in else entry
    question_id = our_id(stated, group.id, query_id, text)
    there = parsed.questions.get(question_id)
    asked = there and there.kind == "question" and there.query_id == query_id
    if asked and group.kind == "nugget":
        # Theirs are two kinds of item, and mostly the MD5 of the text.
        own = question_id.removeprefix(f"{query_id}/")
        question_id = f"{query_id}/{_BESIDE}{own}"
    if question_id in parsed.questions:
        raise entry.at(group.id).error(
            f"{group.id} '{question_id}' occurs twice, at "
            f"{described(parsed.questions[question_id].text)} and at "
            f"{described(text)}; one id means one item."
        )
    entry.of = f"'{question_id}'"
    what = entry.called("creator")
    creators = entry.records("creator", f"an entry of {what}", what)
    for one in creators:
        one.flag("is_human")
        for name in ("assessor_id", "llm_model", "creation_date"):
            one.text(name)
    answers = {}
    if group.kind == "question":
        named = _by_text(entry, "answers", entry.called("answers"), "answer")
        answers = dict.fromkeys(answer for _, answer in named)
    for referring in (entry, *(answer for _, answer in answer_entries(entry))):
        documents = document_ids(reference_entries(referring.get("references")))
        parsed.ideals |= dict.fromkeys((query_id, document) for document in documents)
    said = entry.text("aggregator_type")
    if said not in (None, "", "OR", "AND", "Default"):
        odd.name("aggregators", described(said))
    metadata = entry.get("metadata")
    about = metadata if isinstance(metadata, dict) else {}
    facet_id = Record(entry.at("metadata"), about, "metadata").identifier_or_none(
        "facet_id"
    )
    if facet_id is not None:
        facets[facet_id] = facets.get(facet_id) or _words(about.get("facet_text"))
    question = parsed.questions[question_id] = Question(
        question_id,
        query_id,
        text,
        group.kind,
        subtopic_id=facet_id,
        choices=_choices_in(about),
        answers=tuple(answers),
        provenance=json_text(entry, created(creators)),
        aggregator=aggregator_in(said, answers),
    )
    odd.count("below", len(entry.items_of("sub_nuggets")))
    vote = importance_in(entry.get("importance"))
    if vote is not None:
        here = entry.at("creator", *(name_field(creators) or ()))
        parsed.votes[question_id, name_of(here, judge_of(creators), what)] = vote
    fresh = form.new_item(group, question, facets)
    if in_order(entry, entry) != in_order(entry, fresh):
        kept = in_order(entry, entry | {group.text: None})
        parsed.extras[form.item, question_id, form.name] = kept


def _choices_in(about: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The choices that an export of ours put there; () for anything else."""
    match about.get("choices"):
        case dict() as choices if all(map(_words, choices.values())):
            return tuple(choices.items())
    return ()


def aggregator_in(said: object, answers: Collection[str]) -> Aggregator:
    """Return the aggregator of the answers; OR for a single answer."""
    return "AND" if said == "AND" and len(answers) > 1 else "OR"


def in_order(place: FileLocation, value: object) -> str:
    """Return the value as JSON with its keys in order."""
    return json_text(place, value, in_order=True)


def _query_id(record: Record, title: str | None) -> str:
    query_id = record.identifier_or_none("query_id")
    if query_id is None and title:
        return hashlib.md5(title.encode(), usedforsecurity=False).hexdigest()
    if query_id is None:
        about = record.inner("metadata")
        names = ("topic_id", "query_id")
        query_id = next(filter(None, map(about.identifier_or_none, names)), None)
    if query_id is None:
        message = 'a bank without a query; expected a field "query_id".'
        raise record.at("metadata").error(message)
    return query_id


def _by_text(
    record: Record, name: str, what: str, field: str
) -> Iterator[tuple[Record, str]]:
    """The entries of an object by text, or of a list, each with its text ``field``.

    An answer without one is its key. Raises the place's error.
    """
    entries: list[tuple[str | int, str | None, object]] = []
    match record.get(name):
        case None:
            pass
        case dict() as by_text:
            entries = [(key, key, entry) for key, entry in by_text.items()]
        case list() as listed:
            entries = [(at, None, entry) for at, entry in enumerate(listed)]
        case other:
            raise record.at(name).error(
                f"{what} is {described(other)}; expected an object by text, or a list."
            )
    for at, key, value in entries:
        called = f"an entry of {what}" if key is None else f"{described(key)} in {what}"
        entry = Record(record.at(name, at), value, called, what)
        text = entry.text(field)
        if text is None and field == "answer":
            text = key
        if text is None or not text.strip():
            where = "" if key is None else f" at {described(key)}"
            raise entry.at(field).error(
                f"{what}: an entry without a text{where}; expected a text as its "
                f'"{field}".'
            )
        if key not in (None, text):
            raise entry.at(field).error(
                f"{what}: {described(key)} holds the {field} {described(text)}; they "
                "must agree."
            )
        yield entry, text


def _words(value: object) -> str | None:
    """The value where it is a text that has words."""
    return value if isinstance(value, str) and value.strip() else None


Authors = Mapping[str, tuple[str, str]]
"""(judge, when) by question id: who gave an item the words it has, here."""


def writable(questions: Iterable[Question]) -> list[Question]:
    """The kept items that have words no other of their query and kind has.

    A line's banks are keyed by text, so of equal texts the first is written.
    """
    first: dict[tuple[str, Kind, str], Question] = {}
    for one in questions:
        if one.state == "kept" and one.text is not None and one.text.strip():
            first.setdefault((one.query_id, one.kind, one.text), one)
    return list(first.values())


def write_nuggetbank(
    stream: TextIO,
    queries: Iterable[Query],
    questions: Iterable[Question],
    *,
    extras: Extras | None = None,
    authors: Authors | None = None,
    test_collection: str = "",
    form: Form = V3,
) -> set[str]:
    """Write a line per query that has an item or came with a line; returns which.

    ``questions`` are ``writable`` ones. ``test_collection`` stands in lines that came
    from elsewhere. ``extras`` may hold those of other formats too.
    """
    extras, authors = extras or {}, authors or {}
    references = references_in(extras)
    by_query = questions_by_query(questions)
    written = set()
    for query in queries:
        own = by_query.get(query.query_id, [])
        came = fields_kept(extras, form.line, query.query_id, form.name)
        if not (own or came):
            continue
        line = _line(query, own, came, test_collection, form)
        ids = {one.question_id for one in own}
        facets = {one.subtopic_id: one.text for one in query.subtopics}
        for group in GROUPS:
            if line.get(group.name) is None:
                continue
            entries = [
                item_out(
                    *(group, item, facets, extras, authors.get(item.question_id), form),
                    references.get(item.question_id),
                )
                | _id_in_full(group, item, ids)
                for item in own
                if item.kind == group.kind
            ]
            as_list = isinstance(line[group.name], list)
            by_text = {entry[group.text]: entry for entry in entries}
            line[group.name] = entries if as_list else by_text
        stream.write(json_line(line))
        written.add(query.query_id)
    return written


def item_out(
    group: Group,
    question: Question,
    facets: Mapping[str, str | None],
    extras: Extras,
    author: tuple[str, str] | None,
    form: Form = V3,
    references: References | None = None,
) -> dict[str, Any]:
    """Return the entry of one item: as imported, except for later edits."""
    item = fields_kept(extras, form.item, question.question_id, form.name)
    item = item or form.new_item(group, question, facets)
    item[group.text] = question.text
    if group.kind == "question":
        said = aggregator_in(item.get("aggregator_type"), item.get("answers") or ())
        _say_answers(item, question)
        if said != question.aggregator:
            item["aggregator_type"] = question.aggregator
    add_references(item, references or {}, as_ids=form is not V3)
    set_subtopic(item, question, facets)
    say_choices(item, question)
    if form.ids_in:
        say_id(item, group, question, form.ids_in)
    say_importance(item, question.votes, importance_in(item.get("importance")))
    if not form.says_creators:
        return item
    creators = list(item.get("creator") or _creators_of(question.provenance))
    if author is not None:
        writer = {"is_human": True} | dict(
            zip(("assessor_id", "creation_date"), author, strict=True)
        )
        if writer not in creators:  # a typed proposal's provenance names them too
            creators.append(writer)
    if creators:
        item["creator"] = creators
    return item


def set_subtopic(
    item: dict[str, Any], question: Question, facets: Mapping[str, str | None]
) -> None:
    """Write the question's subtopic into the entry's metadata, if it is another now."""
    metadata = item.get("metadata")
    about = dict(metadata) if isinstance(metadata, dict) else {}
    former, now = about.get("facet_id"), question.subtopic_id
    title = None if now is None else facets.get(now)
    moved = now != (None if former is None else str(former))
    if moved:
        about = {k: v for k, v in about.items() if k not in ("facet_id", "facet_text")}
        about |= {} if now is None else {"facet_id": now}
    if title and (moved or about.get("facet_text") not in (None, "", title)):
        about["facet_text"] = title
    if about != (metadata or {}):
        item["metadata"] = about


def say_choices(item: dict[str, Any], question: Question) -> None:
    """Write the question's choices into the entry's metadata if they differ."""
    metadata = item.get("metadata")
    about = metadata if isinstance(metadata, dict) else {}
    if question.choices != _choices_in(about):
        item["metadata"] = about | {"choices": dict(question.choices)}


def say_id(item: dict[str, Any], group: Group, question: Question, field: str) -> None:
    """Put an id that the text does not give into the object of this field."""
    own, about = their_id(question), item.get(field)
    about = about if isinstance(about, dict) else {}
    if own == question.question_id and not about.get(group.id):
        item[field] = about | {group.id: own}


def say_importance(item: dict[str, Any], votes: Votes, came: Importance | None) -> None:
    """Put the votes' importance into the entry where it is not the one that came."""
    importance = importance_of(votes)
    if importance is not None and importance != came:
        item["importance"] = importance
    elif importance != came:
        item.pop("importance", None)


def _id_in_full(
    group: Group, question: Question, written: Collection[str]
) -> dict[str, str]:
    """The field of a claim's id, where theirs would be read as another one.

    Theirs is also a question's, which is not ``written`` beside it any more.
    """
    start = f"{question.query_id}/{_BESIDE}"
    own = question.question_id.removeprefix(start)
    asked = f"{question.query_id}/{own}"
    if question.kind == "question" or own == question.question_id or asked in written:
        return {}
    return {group.id: question.question_id}


def _line(
    query: Query,
    own: list[Question],
    came: dict[str, Any],
    collection: str,
    form: Form,
) -> dict[str, Any]:
    there = [group for group in GROUPS if any(q.kind == group.kind for q in own)]
    if not came and form is not V3:
        return form.new_line(query, there)
    if not came:
        line = new_line(query, ())
        if collection:
            version = line.pop("format_version")
            line |= {"test_collection": collection, "format_version": version}
        return line | {group.name: {} for group in there}
    for name, value in (("title_query", query.title), ("full_query", query.background)):
        stated = came.get(name)
        if value in (None, stated) or not isinstance(stated, str | None):
            continue
        came[name] = value
        if came.get("query_id") is None:  # the line's query was known by its title
            came["query_id"] = query.query_id
    for group in there:
        if came.get(group.name) is None:
            came[group.name] = {}
    return came


def _say_answers(item: dict[str, Any], question: Question) -> None:
    value: Any = item.get("answers")
    as_list = isinstance(value, list)
    entries: dict[str, Any] = {} if as_list else value or {}
    for entry in value if as_list else ():
        entries.setdefault(entry["answer"], entry)
    if tuple(entries) != question.answers:
        now = {text: entries.get(text, {"answer": text}) for text in question.answers}
        item["answers"] = list(now.values()) if as_list else now


def _creators_of(provenance: str) -> Iterator[dict[str, Any]]:
    origin = json.loads(provenance)
    created = origin.get("created")
    for one in created if isinstance(created, list) else []:
        if isinstance(one, dict):
            yield from _creator(one.get("model"), one.get("by"), one.get("at"))
    for one in _creator(origin.get("model"), None, origin.get("at")):
        prompt = origin.get("prompt_text")
        yield one | ({"llm_prompt": [prompt]} if isinstance(prompt, str) else {})
    decided = origin.get("decided")
    if isinstance(decided, dict) and decided.get("as") == "written":
        yield from _creator(None, decided.get("by"), decided.get("at"))


def _creator(model: object, by: object, at: object) -> Iterator[dict[str, Any]]:
    named: dict[str, Any] = {"is_human": not isinstance(model, str)}
    for name, value in (("assessor_id", by), ("llm_model", model)):
        if isinstance(value, str) and value:
            named[name] = value
    if len(named) > 1:
        yield named | ({"creation_date": at} if isinstance(at, str) else {})


def nuggets_written(
    contents: codec.Contents,
    what: str,
    kept: Sequence[Question],
    items: Sequence[Question],
    queries: Collection[str],
    votes: int,
) -> codec.WriteResult:
    """List what the file with ``items`` loses of ``kept`` items and ``votes``."""
    notices, dropped = [], []
    if without := sum(query.query_id not in queries for query in contents.queries):
        noun = what.removesuffix("s")
        words = f"query without a {noun}", f"queries without a {noun}"
        notices.append(left_out(without, *words))
    # An item has another id once it was written and read again.
    if others := sum(not i.question_id.startswith(f"{i.query_id}/") for i in items):
        notices.append(
            f"{counted(others, 'id does', 'ids do')} not begin with the query's; "
            "an import puts the query's before it."
        )
    wordless = sum(not (one.text or "").strip() for one in kept)
    if wordless:
        dropped.append(f"{counted(wordless, 'kept item')} without a text")
    if same := len(kept) - wordless - len(items):
        dropped.append(f"{counted(same, 'kept item')} with the same text as another")
    if votes:
        dropped.append(f"{counted(votes, 'vote')} behind the importance written")
    return codec.WriteResult(len(items), what, notices, dropped)


def _write(contents: codec.Contents, target: Path) -> codec.WriteResult:
    """The kept questions and nuggets, with who made them."""
    kept = [one for one in contents.bank if one.state == "kept"]
    items = contents.in_full(writable(kept))
    extras, authors = contents.extras(), contents.authors()
    with output_file(target) as stream:
        queries = write_nuggetbank(
            stream,
            contents.queries,
            items,
            extras=extras,
            authors=authors,
            test_collection=contents.title,
        )
    groups = {group.kind: group for group in GROUPS}
    votes = 0
    for one in items:
        item = item_out(groups[one.kind], one, {}, extras, authors.get(one.question_id))
        # (judge, vote) that reading the entry gives
        judge, vote = judge_of(item.get("creator") or []), item.get("importance")
        votes += len(one.votes) - ((judge, importance_in(vote)) in one.votes)
    written = nuggets_written(contents, "kept items", kept, items, queries, votes)
    subtopics = {(one.query_id, one.subtopic_id) for one in items}
    if bare := sum(
        (query.query_id, one.subtopic_id) not in subtopics
        for query in contents.queries
        for one in query.subtopics
    ):
        what = f"{counted(bare, 'subtopic')} without a kept item"
        written = replace(written, dropped=[*written.dropped, what])
    if claims := sum(one.kind == "nugget" and bool(one.answers) for one in items):
        more = f"the known answers of {counted(claims, 'nugget')}"
        written = replace(written, dropped=[*written.dropped, more])
    return written


def _is_v3(line: Mapping[str, Any]) -> bool:
    return bool(line["format_version"] == VERSION)


CODECS = (
    codec.Codec(
        "nuggetbank",
        codec.Imports(
            option=BANK_OPTION,
            called="NuggetBank v3",
            read=read_nuggetbank,
            fits=lambda start: (
                start.has(*({group.name} for group in GROUPS))
                or (start.has({"format_version"}) and _is_v3(start.value))
            ),
        ),
        codec.Exports(
            label="NuggetBank",
            what="The kept questions and key facts as a NuggetBank, version 3.",
            group=codec.BANK,
            forms=(codec.JSONL,),
            carries=codec.carried(  # of votes and provenance a part
                *("query texts", "backgrounds", "subtopics", *codec.KEPT_ITEMS),
                *("answers", "choices", "provenance", "votes", "title"),
                "aggregators",
                extras=("nuggetbank",),
            ),
            write=_write,
        ),
    ),
)
