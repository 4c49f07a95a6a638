"""The dialects of nugget banks as data, and what their items have in common.

Ids in these files are mostly the MD5 of the text, which two queries may share; ours
begin with the query's id, so that one id means one item.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from curator.bank.marks import IMPORTANCES, Importance, Votes
from curator.bank.questions import Aggregator, Kind, Question, new_question_id
from curator.formats import codec
from curator.formats.parsed_import import ParsedImport
from curator.formats.text.fields import Extras
from curator.formats.text.json_text import json_text
from curator.formats.text.notices import counted, left_out
from curator.formats.text.records import FileLocation, Record, described

Creators = Sequence[Mapping[str, Any]]
Facets = Mapping[str, str | None]
"""The texts of subtopics by id."""
NOBODY = "nuggetbank"
"""Who votes where an item with an importance names no creator."""
VERSION = "v3"
CLAIM_ID = "claim/"
"""Before the id of a claim that is also a question's."""


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


QUESTIONS = Group("nugget_bank", "question", "question")
CLAIMS = Group("claim_bank", "nugget", "claim")


@dataclass(frozen=True)
class Dialect:
    """The rules that distinguish a format of such lines.

    ``query_field``: the object of a line, and the field in it, that names the query.
    ``ids_in``: the field of an item whose object has the id, "" for the item itself,
    None for no id. ``lists``: banks and answers from elsewhere are lists.
    ``states_or``: the number of answers from which OR is stated, too. ``full``: a line
    has the query's texts, an item its creators and all that is known of documents.
    """

    name: str
    groups: tuple[Group, ...] = (QUESTIONS,)
    query_field: tuple[str, str] = ("", "query_id")
    ids_in: str | None = ""
    lists: bool = False
    states_or: float = float("inf")
    full: bool = False

    @property
    def line(self) -> str:
        """The entity of its lines."""
        return f"{self.name}_line"

    @property
    def item(self) -> str:
        """The entity of its items."""
        return f"{self.name}_question"


V3 = Dialect("nuggetbank", (QUESTIONS, CLAIMS), full=True)
RAGTIME = Dialect(
    "ragtime",
    query_field=("metadata", "topic_id"),
    ids_in="metadata",
    lists=True,
    states_or=2,
)
DOCUMENTS = Dialect("nugget_docs", ids_in=None, states_or=0)


def ordered_json(place: FileLocation, value: object) -> str:
    """Return the value as JSON with its keys in order."""
    return json_text(place, value, in_order=True)


def words(value: object) -> str | None:
    """The value where it is a text that has words."""
    return value if isinstance(value, str) and value.strip() else None


# Ids


def our_id(record: Record, field: str, query_id: str, text: str) -> str:
    """``<query_id>/<their id>``, or theirs where it begins so; the MD5 for null."""
    item_id = record.identifier_or_none(field)
    if item_id is None:
        return new_question_id(query_id, None, text)
    return item_id if item_id.startswith(f"{query_id}/") else f"{query_id}/{item_id}"


def add_question(parsed: ParsedImport, record: Record, question: Question) -> Question:
    """Add a question that several lines may state; return the first of its id.

    Raises the record's error for another text.
    """
    first = parsed.questions.setdefault(question.question_id, question)
    if first.text != question.text:
        raise record.at("nugget_id").error(
            f"nugget_id '{question.question_id}' has two texts, "
            f"{described(first.text)} and {described(question.text)}; one id means one "
            f"{question.kind}."
        )
    return first


def their_id(question: Question) -> str:
    """The id that goes out: the MD5 where ours says no more, else ours."""
    plain = new_question_id(question.query_id, None, question.text or "")
    if question.question_id == plain:
        return plain.removeprefix(f"{question.query_id}/")
    return question.question_id


# Creators


CREATOR_FIELDS = {
    "by": "assessor_id",
    "model": "llm_model",
    "at": "creation_date",
    "prompt": "llm_prompt",
}
"""The fields of creators, by their names in the provenance of items."""


def provenance_of(creators: Creators) -> dict[str, Any]:
    """Return the provenance of an item's creators, or an empty object."""
    makers = [
        {
            name: creator[field]
            for name, field in CREATOR_FIELDS.items()
            if creator.get(field) and name != "prompt"
        }
        for creator in creators
        if creator.get("assessor_id") or creator.get("llm_model")
    ]
    return {"created": makers} if makers else {}


def name_field(creators: Creators) -> tuple[int, str] | None:
    """Return the index of the first named creator, and the field of the name."""
    for number, creator in enumerate(creators):
        names = ("llm_model", "assessor_id")
        for name in names[::-1] if creator.get("is_human") else names:
            if creator.get(name):
                return number, name
    return None


def judge_of(creators: Creators) -> str:
    """Return the judge of an item's importance: its first named creator."""
    named = name_field(creators)
    return str(creators[named[0]][named[1]]) if named else NOBODY


def machines(items: Iterable[Creators]) -> frozenset[str]:
    """The names of ``judge_of`` that are no person's, of the creators of each item."""
    persons: set[str] = set()
    others: set[str] = set()
    for creators in items:
        if named := name_field(creators):
            human = creators[named[0]].get("is_human")
            is_person = named[1] == "assessor_id" if human is None else human
            (persons if is_person else others).add(judge_of(creators))
    return frozenset(others - persons)


# Importance and aggregators


def importance_in(value: Any) -> Importance | None:
    """The vote that a field ``importance`` is; None for every other value."""
    return next((name for name in IMPORTANCES if name == value), None)


def importance_of(votes: Votes) -> Importance | None:
    """Vital where more than half of the votes say so, okay otherwise; None without."""
    if not votes:
        return None
    vital = sum(vote == "vital" for _, vote in votes)
    return "vital" if 2 * vital > len(votes) else "okay"


def update_importance(
    item: dict[str, Any], votes: Votes, imported: Importance | None
) -> None:
    """Put the votes' importance into the entry where it is not the imported one."""
    importance = importance_of(votes)
    if importance is not None and importance != imported:
        item["importance"] = importance
    elif importance != imported:
        item.pop("importance", None)


def aggregator_in(value: object, answers: Collection[str]) -> Aggregator:
    """Return the aggregator of the answers; OR for a single answer."""
    return "AND" if value == "AND" and len(answers) > 1 else "OR"


# Answers and references

OPEN_ENDED = "OPEN_ENDED_ANSWER"
"""The key of an item's own references, beside those of its answers by their text.

Nuggets with documents have it where only the documents of an answer are known.
"""

References = dict[str, list[dict[str, Any]]]
"""Entries with a ``doc_id``, by answer."""


def references_in(extras: Extras) -> dict[str, References]:
    """References of every item that was imported with some, by question id."""
    references: dict[str, References] = {}
    for (entity, key, form), text in extras.items():
        if entity == f"{form}_question":
            for answer, reference in references_of(json.loads(text)):
                listed = references.setdefault(key, {}).setdefault(answer, [])
                if reference not in listed:
                    listed.append(reference)
    return references


def references_of(item: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(answer, reference) of an item; one that names no document is left out."""
    for answer, entry in [(OPEN_ENDED, item), *answer_entries(item)]:
        listed = entry.get("references")
        for value in listed if isinstance(listed, list) else ():
            reference = value if isinstance(value, dict) else {"doc_id": value}
            named = reference.get("doc_id")
            if isinstance(named, str | int) and named not in ("", True, False):
                yield answer, {**reference, "doc_id": str(named)}


def add_references(
    item: dict[str, Any], references: References, *, as_ids: bool
) -> None:
    """Put the references into an entry and its answers where these have none.

    ``as_ids`` writes the id alone where no more is known of a document.
    """
    for answer, entry in [(OPEN_ENDED, item), *answer_entries(item)]:
        if (listed := references.get(answer)) and not entry.get("references"):
            entry["references"] = [
                reference["doc_id"] if as_ids and len(reference) == 1 else reference
                for reference in listed
            ]


def answer_entries(item: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The answers of an item, a list or an object by text, each with its text.

    Those of claims are read by nothing else, so anything may stand there.
    """
    answers = item.get("answers")
    if isinstance(answers, dict):
        return [pair for pair in answers.items() if isinstance(pair[1], dict)]
    listed = answers if isinstance(answers, list) else []
    return [(str(e.get("answer")), e) for e in listed if isinstance(e, dict)]


def known_answers(texts: Iterable[str]) -> tuple[str, ...]:
    """The texts that are answers, each once."""
    return tuple(
        dict.fromkeys(text for text in texts if text.strip() and text != OPEN_ENDED)
    )


# Export


def writable(questions: Iterable[Question]) -> list[Question]:
    """The items with words that no other of their query and kind has.

    Banks are keyed by text, so of equal texts the first is written.
    """
    first: dict[tuple[str, Kind, str], Question] = {}
    for question in questions:
        if words(question.text):
            key = question.query_id, question.kind, str(question.text)
            first.setdefault(key, question)
    return list(first.values())


def items_written(
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
        forms = f"query without {what}", f"queries without {what}"
        notices.append(left_out(without, *forms))
    # An item has another id once it was written and read again.
    if others := sum(not i.question_id.startswith(f"{i.query_id}/") for i in items):
        forms = "id does", "ids do"
        notices.append(f"{counted(others, *forms)} not begin with the query's.")
    wordless = sum(not words(question.text) for question in kept)
    if wordless:
        dropped.append(f"{counted(wordless, 'kept item')} without a text")
    if same := len(kept) - wordless - len(items):
        dropped.append(f"{counted(same, 'kept item')} with the same text as another")
    if votes:
        dropped.append(f"{counted(votes, 'vote')} behind the importance written")
    return codec.WriteResult(len(items), what, notices, dropped)
