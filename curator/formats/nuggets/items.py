"""Groups, ids, creators, importance and answers, for all dialects of nugget banks.

Ids in these files are mostly the MD5 of the text, which two queries may share; ours
begin with the query's id, so that one id means one item.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from curator.bank.marks import IMPORTANCES, Importance, Votes
from curator.bank.questions import Aggregator, Kind, Question, new_question_id
from curator.formats import codec
from curator.formats.text.json_text import json_text
from curator.formats.text.notices import counted, left_out
from curator.formats.text.records import FileLocation, Record

Creators = Sequence[Mapping[str, Any]]
Facets = Mapping[str, str | None]
"""The texts of subtopics by id."""
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


def their_id(question: Question) -> str:
    """The id that goes out: the MD5 where ours says no more, else ours."""
    plain = new_question_id(question.query_id, None, question.text or "")
    if question.question_id == plain:
        return plain.removeprefix(f"{question.query_id}/")
    return question.question_id


# Creators


def provenance_of(creators: Creators) -> dict[str, Any]:
    """Return the provenance of an item's creators, or an empty object."""
    makers = []
    for creator in creators:
        fields = {"by": creator.get("assessor_id"), "model": creator.get("llm_model")}
        maker = {name: value for name, value in fields.items() if value}
        if maker and creator.get("creation_date"):
            maker["at"] = creator["creation_date"]
        if maker:
            makers.append(maker)
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


# Export


def writable(questions: Iterable[Question]) -> list[Question]:
    """The items with words that no other of their query and kind has.

    Banks are keyed by text, so of equal texts the first is written.
    """
    first: dict[tuple[str, Kind, str], Question] = {}
    for question in questions:
        if question.state == "kept" and words(question.text):
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
        noun = what.removesuffix("s")
        forms = f"query without a {noun}", f"queries without a {noun}"
        notices.append(left_out(without, *forms))
    # An item has another id once it was written and read again.
    if others := sum(not i.question_id.startswith(f"{i.query_id}/") for i in items):
        notices.append(
            f"{counted(others, 'id does', 'ids do')} not begin with the query's; "
            "an import puts the query's before it."
        )
    wordless = sum(not words(question.text) for question in kept)
    if wordless:
        dropped.append(f"{counted(wordless, 'kept item')} without a text")
    if same := len(kept) - wordless - len(items):
        dropped.append(f"{counted(same, 'kept item')} with the same text as another")
    if votes:
        dropped.append(f"{counted(votes, 'vote')} behind the importance written")
    return codec.WriteResult(len(items), what, notices, dropped)
