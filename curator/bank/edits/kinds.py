"""All kinds of events: their JSON form, and their words in the history.

The kinds are those that the modules of ``bank/edits`` and ``bank/marks`` declare as
``KINDS``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from curator.bank import edits, marks
from curator.bank.answer_keys import key_change, key_lines, key_words
from curator.bank.changes import (
    AffectedBoards,
    Change,
    EventKind,
    Mark,
)
from curator.bank.questions import Bank, Question
from curator.edit_words import RESTORE

KINDS: dict[str, EventKind] = {
    kind.name: kind
    for package in (edits, marks)
    for module in iter_modules(package.__path__)
    if f"{package.__name__}.{module.name}" != __name__
    for kind in getattr(import_module(f"{package.__name__}.{module.name}"), "KINDS", ())
}

MARKS: dict[str, type[Mark]] = {
    kind.mark.kind: kind.mark for kind in KINDS.values() if kind.mark and kind.mark.kind
}
"""The classes of the kinds of current marks."""


def base_kind(kind: str) -> str:
    """Return the kind of edit that an undo or redo refers to."""
    return kind.removeprefix("undo ").removeprefix("redo ")


def affected_boards(change: Change) -> AffectedBoards:
    """Return which boards a change affects, "board" for an unknown kind."""
    event_kind = KINDS.get(base_kind(change.kind))
    mark_affects = change.mark and change.mark.affects
    return mark_affects or (event_kind.affects if event_kind else "board")


# ---- JSON form ----


_QUESTION = [field.name for field in fields(Question) if field.name != "votes"]
"""Fields of a question in an event; votes are not stored."""


def stored_sides(change: Change) -> tuple[str | None, str | None]:
    """Return both sides of a change as JSON, as stored in an event."""
    if change.mark is not None:
        return change.mark.sides()
    return question_json(change.before), question_json(change.after)


def read_change(
    kind: str, query_id: str, before: str | None, after: str | None, reason: str | None
) -> Change:
    """Return the change stored in an event."""
    event_kind = KINDS.get(base_kind(kind))
    if event_kind and event_kind.mark:
        mark = event_kind.mark.read(kind, before, after)
        return Change(kind, query_id, reason=reason, mark=mark)
    sides = question_from_json(before), question_from_json(after)
    return Change(kind, query_id, *sides, reason)


def question_json(question: Question | None) -> str | None:
    """Return the question as JSON without votes, which are events themselves."""
    if question is None:
        return None
    values = {name: getattr(question, name) for name in _QUESTION}
    if question.aggregator == "OR":
        del values["aggregator"]
    return json.dumps(values, ensure_ascii=False)


def question_from_json(stored: str | None) -> Question | None:
    if stored is None:
        return None
    values = json.loads(stored)
    values["choices"] = tuple((letter, text) for letter, text in values["choices"])
    values["answers"] = tuple(values["answers"])
    return Question(**values)


# ---- words ----


def past_verb(change: Change) -> str:
    """Return a verb in the past for a change, ignoring undo: ``retired``, ``voted``.

    A rewording that also keeps a proposal or restores a retired question says so, and
    changes of the answer key are added.
    """
    before, after = change.before, change.after
    name = base_kind(change.kind)
    done = KINDS[name].past if name in KINDS else name
    if change.kind == "reword" and before and after and before.state != after.state:
        verb = "kept" if before.state == "proposed" else RESTORE.past
        done = f"{verb} in other words"
    if not (before and after):
        return done
    if name == "key":
        is_undo = change.kind.startswith("undo ")
        return key_change(*((after, before) if is_undo else (before, after))) or done
    if name == "move":
        moved = before if change.kind.startswith("undo ") else after
        if moved.subtopic_id is None:
            return "moved out of its subtopic"
        return f"moved to subtopic {moved.subtopic_id}"
    key = key_change(before, after) if change.kind == "reword" else ""
    return ", ".join(filter(None, [done, key]))


def undo_prefix(change: Change) -> str:
    """Return ``undone: ``, ``redone: ``, or ""."""
    return {"undo": "undone: ", "redo": "redone: "}.get(change.kind.split(" ")[0], "")


def describe(change: Change, shortened: Callable[[str], str] = str) -> str:
    """Describe a change, as ``undone: voted vital``; ``shortened`` shortens quotations.

    For a new question also its key.
    """
    mark = change.mark
    if mark is None:
        added = change.after if change.before is None else None
        key = f", key: “{key_words(added)}”" if added and added.answers else ""
        return undo_prefix(change) + past_verb(change) + key
    # An undo's mark is inverted.
    original = mark.inverted() if change.kind.startswith("undo ") else mark
    return undo_prefix(change) + original.described(shortened)


def subject(change: Change, bank: Bank) -> str:
    """Return the text of the changed or marked question, or the marked passage."""
    if change.mark is not None:
        return change.mark.subject(bank)
    return change.question.title if change.question else ""


def summary(change: Change, titles: Mapping[str, str]) -> str | None:
    """Return the new state in one line; ``titles`` are those of questions by id."""
    if change.mark is not None:
        return change.mark.summary(titles)
    if change.question and base_kind(change.kind) == "key":
        return f"{change.question.title} ({describe(change)})"
    question = change.question or change.before  # an undone addition has no new state
    return question.title if question else None


def difference(change: Change) -> dict[str, Any]:
    """Return the differences as JSON for people: texts or marks, before and after.

    And the answer key and choices if they changed.
    """
    if change.mark is not None:
        return change.mark.difference()
    before, after = change.before, change.after
    texts = {
        "before": before.text if before else None,
        "after": after.text if after else None,
    }
    if before and after and before.subtopic_id != after.subtopic_id:
        texts["subtopic_before"] = before.subtopic_id
        texts["subtopic_after"] = after.subtopic_id
    if not (before and after and key_change(before, after)):
        return texts
    return {**texts, "key_before": key_lines(before), "key_after": key_lines(after)}
