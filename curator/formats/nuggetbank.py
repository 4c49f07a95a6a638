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

Their ids are mostly the MD5 of the text, which may stand under two queries; ours begin
with the query's id, so that one id means one item.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

from curator.bank.marks import IMPORTANCES, Importance, Votes
from curator.bank.questions import Kind, Question, new_question_id
from curator.collection.queries import Query
from curator.errors import InputFileError
from curator.formats import codec
from curator.formats.autograder.bank_export import BANK_OPTION
from curator.formats.parsed_import import ParsedImport
from curator.formats.recognition import file_reader
from curator.formats.text.fields import Extras, fields_kept
from curator.formats.text.json_documents import JsonPlace, json_records
from curator.formats.text.json_text import json_line, json_text
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import counted, left_out
from curator.formats.text.output_files import output_file
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

FORMAT = "nuggetbank"
LINE, ITEM = "nuggetbank_line", "nuggetbank_question"
VERSION = "v3"
_BESIDE = "claim/"
NOBODY = "nuggetbank"
"""Who votes where an item with an importance names no creator."""


@dataclass(frozen=True, slots=True)
class Group:
    """One of a line's two banks, and the names of its fields."""

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


def beside_a_question(question_id: str, query_id: str) -> str:
    """The id of a claim whose own one is a question's of the same query.

    Theirs are two kinds of item, and mostly the MD5 of the text; an id here means one.
    """
    return f"{query_id}/{_BESIDE}{question_id.removeprefix(f'{query_id}/')}"


def question_beside(claim: Question) -> str | None:
    """The question id for which this claim has one of its own; None where it has not.

    In a file without that question it is read under the question's id, if its own one
    does not stand there in full.
    """
    start = f"{claim.query_id}/{_BESIDE}"
    if claim.kind != "nugget" or not claim.question_id.startswith(start):
        return None
    return f"{claim.query_id}/{claim.question_id.removeprefix(start)}"


def new_line(query: Query, groups: Iterable[Group]) -> dict[str, Any]:
    """The line of a query that came from elsewhere, its banks empty."""
    line: dict[str, Any] = {"query_id": query.query_id}
    if query.title is not None:
        line["title_query"] = query.title
    if query.background is not None:
        line["full_query"] = query.background
    line["format_version"] = VERSION
    return line | {group.name: {} for group in groups}


def new_item(group: Group, question: Question) -> dict[str, Any]:
    """The entry of a question that came from elsewhere."""
    item: dict[str, Any] = {
        group.text: question.text,
        group.id: their_id(question),
        "query_id": question.query_id,
    }
    if question.answers and group.kind == "question":
        item["answers"] = {answer: {"answer": answer} for answer in question.answers}
    return item


def created(creators: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Who made an item, as its provenance says it; nothing where nobody is named."""
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
    """Whose vote an item's importance is: the first creator's who is named."""
    named = name_field(creators)
    return str(creators[named[0]][named[1]]) if named else NOBODY


def name_field(creators: Sequence[Mapping[str, Any]]) -> tuple[int, str] | None:
    """Which creator is the first who is named, and in which field."""
    for number, one in enumerate(creators):
        own, other = ("llm_model", "assessor_id")
        if one.get("is_human"):
            own, other = other, own
        for name in (own, other):
            if one.get(name):
                return number, name
    return None


def our_id(place: Place, query_id: str, value: object, text: str, what: str) -> str:
    """``<query_id>/<their id>``, or theirs where it begins so; the MD5 for null."""
    if value is None:
        return new_question_id(query_id, None, text)
    own = identifier(place, value, what)
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


@file_reader("bank", EXPECTED)
def read_nuggetbank(lines: TextLines) -> ParsedImport:
    """The questions and nuggets, their gold answers, and the importance as votes.

    Raises InputFileError. A bank of another version is read where it has this shape.
    """
    reading = _Reading(lines)
    for place, record in json_records(lines):
        reading.add_line(place, record)
    return reading.result()


class _Reading:
    def __init__(self, lines: TextLines) -> None:
        self.parsed = ParsedImport(lines.path.name, f"a NuggetBank ({VERSION})")
        self.versions: dict[str, None] = {}
        self.below = 0  # nuggets below nuggets

    def add_line(self, place: JsonPlace, record: dict[str, Any]) -> None:
        version = record.get("format_version")
        if version is None or version == VERSION:
            self._add(place, record)
            return
        here = place.at("format_version")
        stated = described(text_of(here, version, "format_version"))
        self.versions[stated] = None
        try:
            self._add(place, record)
        except InputFileError as error:
            raise InputFileError(
                f"{error} The bank's format_version is {stated}, and {VERSION} is what "
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
        if query_id in self.parsed.queries:
            raise place.at("query_id").error(
                f"query '{query_id}' stands twice; put its nuggets into one line."
            )
        query = Query(query_id, _words(title), _words(record.get("full_query")))
        self.parsed.queries[query_id] = query
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
            self.parsed.extras[LINE, query_id, FORMAT] = kept

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
        there = self.parsed.questions.get(question_id)
        asked = there and there.kind == "question" and there.query_id == query_id
        if asked and group.kind == "nugget":
            question_id = beside_a_question(question_id, query_id)
        if question_id in self.parsed.questions:
            raise here.error(
                f"{group.id} '{question_id}' stands twice, at "
                f"{described(self.parsed.questions[question_id].text)} and at "
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
        self.parsed.questions[question_id] = question
        here, below = place.at("sub_nuggets"), entry.get("sub_nuggets")
        self.below += len(list_of(here, below, f"sub_nuggets of '{question_id}'"))
        vote = importance_in(entry.get("importance"))
        if vote is not None:
            here = place.at("creator", *(name_field(creators) or ()))
            judge = name_of(here, judge_of(creators), f"creator of '{question_id}'")
            self.parsed.votes[question_id, judge] = vote
        if in_order(place, entry) != in_order(place, new_item(group, question)):
            kept = in_order(place, entry | {group.text: None})
            self.parsed.extras[ITEM, question_id, FORMAT] = kept

    def result(self) -> ParsedImport:
        """All of the file, with notices."""
        notices = self.parsed.notices
        for version in self.versions:
            notices.append(f"format_version is {version}; it was read as {VERSION} is.")
        if self.below:
            be = "is" if self.below == 1 else "are"
            notices.append(
                f"{counted(self.below, 'sub-nugget')} {be} kept for an export and not "
                "asked here."
            )
        return self.parsed


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
) -> set[str]:
    """Write a line per query that has an item or came with a line; returns which.

    ``questions`` are ``writable`` ones. ``test_collection`` stands in lines that came
    from elsewhere. ``extras`` may hold those of other formats too.
    """
    extras, authors = extras or {}, authors or {}
    by_query: dict[str, list[Question]] = {}
    for question in questions:
        by_query.setdefault(question.query_id, []).append(question)
    written = set()
    for query in queries:
        own = by_query.get(query.query_id, [])
        came = fields_kept(extras, LINE, query.query_id, FORMAT)
        if own or came:
            line = _line(query, own, came, test_collection)
            ids = {one.question_id for one in own}
            for group in GROUPS:
                if group.name in line and line[group.name] is not None:
                    entries = [
                        item_out(group, one, extras, authors.get(one.question_id))
                        | _id_in_full(group, one, ids)
                        for one in own
                        if one.kind == group.kind
                    ]
                    line[group.name] = (
                        entries
                        if isinstance(line[group.name], list)
                        else {entry[group.text]: entry for entry in entries}
                    )
            stream.write(json_line(line))
            written.add(query.query_id)
    return written


def item_out(
    group: Group, question: Question, extras: Extras, author: tuple[str, str] | None
) -> dict[str, Any]:
    """The entry of one item: as it came, but for what is otherwise now."""
    item = fields_kept(extras, ITEM, question.question_id, FORMAT)
    item = item or new_item(group, question)
    item[group.text] = question.text
    if group.kind == "question":
        _say_answers(item, question)
    importance = importance_of(question.votes)
    if importance != importance_in(item.get("importance")):
        if importance is None:
            del item["importance"]
        else:
            item["importance"] = importance
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


def _id_in_full(
    group: Group, question: Question, written: Collection[str]
) -> dict[str, str]:
    """The field of a claim's id, where theirs would be read as another one.

    Theirs is also a question's, which is not ``written`` beside it any more.
    """
    beside = question_beside(question)
    if beside is None or beside in written:
        return {}
    return {group.id: question.question_id}


def _line(
    query: Query, own: list[Question], came: dict[str, Any], collection: str
) -> dict[str, Any]:
    there = [group for group in GROUPS if any(q.kind == group.kind for q in own)]
    if not came:
        line = new_line(query, ())
        if collection:
            version = line.pop("format_version")
            line |= {"test_collection": collection, "format_version": version}
        return line | {group.name: {} for group in there}
    for name, value in (("title_query", query.title), ("full_query", query.background)):
        stated = came.get(name)
        says_nothing = stated is None or (
            isinstance(stated, str) and not stated.strip()
        )
        if value in (None, stated) or not (says_nothing or isinstance(stated, str)):
            continue
        came[name] = value
        if came.get("query_id") is None:  # the line's query was known by its title
            came["query_id"] = query.query_id
    for group in there:
        if came.get(group.name) is None:
            came[group.name] = {}
    return came


def _say_answers(item: dict[str, Any], question: Question) -> None:
    """Put the question's answers into the entry, each as it came where it came."""
    value = item.get("answers")
    if isinstance(value, dict):
        came = {answer: value[answer] for answer in value}
    else:
        came = {entry["answer"]: entry for entry in reversed(value or [])}
    if set(came) == set(question.answers):
        return
    entries = {one: came.get(one, {"answer": one}) for one in question.answers}
    item["answers"] = list(entries.values()) if isinstance(value, list) else entries


def _creators_of(provenance: str) -> Iterator[dict[str, Any]]:
    """Who made an item that came from elsewhere or that a model proposed."""
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
) -> codec.Written:
    """What of the ``kept`` items and ``votes`` the file with ``items`` does not say."""
    notices, dropped = [], []
    if without := sum(query.query_id not in queries for query in contents.queries):
        noun = what.removesuffix("s")
        words = f"query without a {noun}", f"queries without a {noun}"
        notices.append(left_out(without, *words))
    # An item has another id once it was written and read again.
    if others := sum(not i.question_id.startswith(f"{i.query_id}/") for i in items):
        notices.append(
            f"{counted(others, 'id does', 'ids do')} not begin with the query's; "
            "read again, the query's stands before it."
        )
    wordless = sum(not (one.text or "").strip() for one in kept)
    if wordless:
        dropped.append(f"{counted(wordless, 'kept item')} without words")
    if same := len(kept) - wordless - len(items):
        dropped.append(f"{counted(same, 'kept item')} in the words of another")
    if votes:
        dropped.append(f"{counted(votes, 'vote')} behind the importance written")
    return codec.Written(len(items), what, notices, dropped)


def _write(contents: codec.Contents, target: Path) -> codec.Written:
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
        item = item_out(groups[one.kind], one, extras, authors.get(one.question_id))
        # (judge, vote) that reading the entry gives
        judge, vote = judge_of(item.get("creator") or []), item.get("importance")
        votes += len(one.votes) - ((judge, importance_in(vote)) in one.votes)
    written = nuggets_written(contents, "kept items", kept, items, queries, votes)
    if claims := sum(one.kind == "nugget" and bool(one.answers) for one in items):
        more = f"the known answers of {counted(claims, 'nugget')}"
        written = replace(written, dropped=[*written.dropped, more])
    return written


CODECS = (
    codec.Codec(
        "nuggetbank",
        codec.Imports(
            option=BANK_OPTION,
            called="NuggetBank v3",
            read=read_nuggetbank,
            fits=lambda start: start.has(*({group.name} for group in GROUPS)),
        ),
        codec.Exports(
            help="The kept questions and nuggets, NuggetBank v3.",
            label="NuggetBank",
            what="The kept questions and key facts as a NuggetBank, version 3.",
            group=codec.BANK,
            forms=(codec.JSONL,),
            carries=codec.carried(  # of votes and provenance a part
                *("query texts", "backgrounds", *codec.KEPT_ITEMS),
                *("answers", "provenance", "votes", "title"),
                extras=("nuggetbank",),
            ),
            write=_write,
        ),
    ),
)
