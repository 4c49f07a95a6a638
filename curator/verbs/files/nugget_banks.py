"""Exports of banks to other projects: NuggetBanks, and nuggets for nuggetizer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TextIO

from curator.bank.questions import Question
from curator.formats.nuggetbank import (
    GROUPS,
    changes_id,
    importance_of,
    item_out,
    read_back,
    writable,
    write_nuggetbank,
)
from curator.formats.nuggetizer import JUDGE, writable_nuggets, write_nuggetizer
from curator.formats.text.notices import counted
from curator.formats.text.output_files import output_file
from curator.store.export import read_extras
from curator.store.question_history import read_authors
from curator.verbs.files.export_request import ExportOrder, ExportSummary, left_out
from curator.verbs.files.losses import lost
from curator.verbs.files.provenance import with_provenance


def export_nuggetbank(order: ExportOrder) -> ExportSummary:
    """The kept questions and nuggets as a NuggetBank v3, with who made them."""
    state, connection = order.state, order.state.connection
    kept = _kept(state.bank)
    items = with_provenance(
        connection, writable(kept), closed=order.state.viewer.closed
    )
    extras, authors = read_extras(connection), read_authors(connection)

    def write(stream: TextIO) -> set[str]:
        return write_nuggetbank(
            stream,
            state.collection.queries,
            items,
            extras=extras,
            authors=authors,
            test_collection=state.collection.title,
        )

    groups = {group.kind: group for group in GROUPS}
    votes = 0
    for one in items:
        item = item_out(groups[one.kind], one, extras, authors.get(one.question_id))
        votes += len(one.votes) - (read_back(item) in one.votes)
    claims = sum(one.kind == "nugget" and bool(one.answers) for one in items)
    missing = _missing(kept, items, votes)
    if claims:
        missing.append(f"the known answers of {counted(claims, 'nugget')}")
    what = "kept items"
    return _written(order, write, items, what, missing)


def export_nuggetizer(order: ExportOrder) -> ExportSummary:
    """The kept nuggets as nuggetizer reads them."""
    state = order.state
    kept = [one for one in _kept(state.bank) if one.kind == "nugget"]
    nuggets = writable_nuggets(kept)
    extras = read_extras(order.state.connection)

    def write(stream: TextIO) -> set[str]:
        queries = state.collection.queries
        return write_nuggetizer(stream, queries, nuggets, extras=extras)

    votes = sum(
        len(one.votes) - ((JUDGE, importance_of(one.votes)) in one.votes)
        for one in nuggets
    )
    missing = _missing(kept, nuggets, votes)
    return _written(order, write, nuggets, "kept nuggets", missing)


def _written(
    order: ExportOrder,
    write: Callable[[TextIO], set[str]],
    items: Sequence[Question],
    what: str,
    missing: Sequence[str],
) -> ExportSummary:
    """Write the file, and say what it has no place for."""
    with output_file(order.target) as stream:
        queries = write(stream)
    notices = []
    without = sum(
        query.query_id not in queries for query in order.state.collection.queries
    )
    if without:
        noun = what.removesuffix("s")
        notices.append(
            left_out(without, f"query without a {noun}", f"queries without a {noun}")
        )
    other_ids = sum(changes_id(one) for one in items)
    if other_ids:
        notices.append(
            f"{counted(other_ids, 'id does', 'ids do')} not begin with the query's; "
            "read again, the query's stands before it."
        )
    others = lost(order.state, order.kind)
    return ExportSummary(
        order.kind,
        order.target,
        len(items),
        what,
        tuple(notices),
        lost=(*missing, *others),
    )


def _missing(
    kept: Sequence[Question], items: Sequence[Question], votes: int
) -> list[str]:
    """What of the kept items and their votes the file does not say."""
    missing = []
    wordless = sum(not (one.text or "").strip() for one in kept)
    if wordless:
        missing.append(f"{counted(wordless, 'kept item')} without words")
    same = len(kept) - wordless - len(items)
    if same:
        missing.append(f"{counted(same, 'kept item')} in the words of another")
    if votes:
        missing.append(f"{counted(votes, 'vote')} behind the importance written")
    return missing


def _kept(questions: Iterable[Question]) -> list[Question]:
    return [one for one in questions if one.state == "kept"]
