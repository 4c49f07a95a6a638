"""What a NuggetBank's line and its entries are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from curator.bank.questions import Kind, Question
from curator.collection.queries import Query
from curator.formats.nuggetbank.fields import their_id

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
    said = []
    for one in creators:
        who = {"by": one.get("assessor_id"), "model": one.get("llm_model")}
        named = {name: value for name, value in who.items() if value}
        if named and one.get("creation_date"):
            named["at"] = one["creation_date"]
        if named:
            said.append(named)
    return {"created": said} if said else {}


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
