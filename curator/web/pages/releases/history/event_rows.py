"""Events as rows: who, when, what changed from what to what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from urllib.parse import urlencode

from curator.bank.edits import Change, kinds
from curator.bank.questions import Bank
from curator.collection.pools import Collection
from curator.store.history import Event
from curator.web.components import words

MODEL = "chat:"  # before the name of a model that proposes


@dataclass(frozen=True, slots=True)
class EventRow:
    """Row of an event. ``before`` is "" unless the text of a question changed.

    ``places`` are the names of query, question and passage, and what a click sends.
    """

    event_id: int
    when: datetime
    by: str
    what: str
    before: str
    after: str
    reason: str
    undoable: bool
    places: tuple[tuple[str, str], ...] = ()


def event_rows(
    events: Iterable[Event],
    collection: Collection,
    zone: tzinfo | None,
    *,
    undone: Iterable[int] = (),
    bank: Bank | None = None,
    judge: str | None = None,
    numbers: Callable[[str], Mapping[str, int]] = lambda query_id: {},
) -> tuple[EventRow, ...]:
    """Return the events in their order, those that the ``judge`` can undo as such.

    ``undone`` are batches that were taken back, ``bank`` has the texts of questions
    that were voted on, ``numbers`` gives the questions of a query their numbers.
    """
    bank = bank or Bank()
    rows = []
    for event in events:
        change, mark = event.change, event.change.mark
        texts = [
            question and question.text for question in (change.before, change.after)
        ]
        reworded = all(texts) and texts[0] != texts[1]
        may_undo = mark is None or (
            not mark.no_undo and (not mark.personal or judge in (None, event.by))
        )
        rows.append(
            EventRow(
                event_id=event.event_id,
                when=datetime.fromisoformat(event.at).astimezone(zone),
                by=event.by.removeprefix(MODEL),
                what=kinds.describe(change, words.shortened),
                before=change.before.title if reworded and change.before else "",
                after=kinds.subject(change, bank),
                reason=change.reason or "",
                undoable=event.batch_kind == "edit"
                and event.batch_id not in undone
                and may_undo,
                places=_places(
                    change, bank, collection.names, numbers(change.query_id)
                ),
            )
        )
    return tuple(rows)


def _places(
    change: Change, bank: Bank, names: Mapping[str, str], numbers: Mapping[str, int]
) -> tuple[tuple[str, str], ...]:
    """The query, the question if it exists, and the passage, each on its page."""
    query_id, mark = change.query_id, change.mark
    places = [(names.get(query_id, query_id), "Judge", {"query": query_id})]
    question_id = change.subject_id
    if question_id and bank.find(query_id, question_id):
        name = f"question {numbers.get(question_id, '')}".rstrip()
        place = {"query": query_id, "question": question_id}
        places.append((name, "Judge", place))
    passage_id = mark.fields().get("passage_id") if mark else None
    if passage_id is not None:
        place = {"query": query_id, "passage": passage_id}
        places.append((f"passage {passage_id}", "Judge", place))
    return tuple((name, f"visit:{page}?{urlencode(to)}") for name, page, to in places)
