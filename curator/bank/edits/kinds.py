"""Every kind of event there is: how it is kept as JSON, and its words in the history.

The kinds are what the modules beside this one declare as their ``KINDS``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, get_args

from curator.bank import edits
from curator.bank.answer_keys import key_change, key_lines, key_words
from curator.bank.edits.changes import Change, EventKind, Moves, fits, is_count
from curator.bank.questions import Aggregator, Bank, Kind, Question, QuestionState

KINDS: dict[str, EventKind] = {
    kind.name: kind
    for found in iter_modules(edits.__path__)
    if f"{edits.__name__}.{found.name}" != __name__
    for kind in getattr(import_module(f"{edits.__name__}.{found.name}"), "KINDS", ())
}


def base_kind(kind: str) -> str:
    """The kind of edit without what was done to it: "undo retire" is a retire."""
    return kind.removeprefix("undo ").removeprefix("redo ")


def moves(change: Change) -> Moves:
    """Which boards a change moves, "board" for a kind that is not known here."""
    known = KINDS.get(base_kind(change.kind))
    own = change.mark and change.mark.moves
    return own or (known.moves if known else "board")


# ---- as an event keeps it ----


def is_text_or_none(value: Any) -> bool:
    return value is None or isinstance(value, str)


def are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def are_choices(value: Any) -> bool:
    """Whether a JSON value is a list of (letter, text) pairs."""
    return isinstance(value, list) and all(
        are_texts(pair) and len(pair) == 2 for pair in value
    )


_QUESTION: dict[str, Callable[[Any], bool]] = {
    "question_id": lambda v: isinstance(v, str) and bool(v),
    "query_id": lambda v: isinstance(v, str) and bool(v),
    "text": is_text_or_none,
    "kind": lambda v: v in get_args(Kind),
    "state": lambda v: v in get_args(QuestionState),
    "subtopic_id": is_text_or_none,
    "choices": are_choices,
    "answers": are_texts,
    "provenance": lambda v: isinstance(v, str) and isinstance(json.loads(v), dict),
    "revision": lambda v: is_count(v) and v >= 1,
    "aggregator": lambda v: v in get_args(Aggregator),
}
"""The fields of a question in the order in which an event keeps them: no votes."""
_ANY = {"aggregator": "OR"}
"""What an event does not say of a question whose answers are not all needed."""


def before_and_after(change: Change) -> tuple[str | None, str | None]:
    """What an event keeps of a change, as JSON."""
    if change.mark is not None:
        return change.mark.sides()
    return question_json(change.before), question_json(change.after)


def read_change(
    kind: str, query_id: str, before: str | None, after: str | None, reason: str | None
) -> Change:
    """The change that an event keeps."""
    known = KINDS.get(base_kind(kind))
    if known and known.mark:
        mark = known.mark.read(kind, before, after)
        return Change(kind, query_id, reason=reason, mark=mark)
    sides = question_from_json(before), question_from_json(after)
    return Change(kind, query_id, *sides, reason)


def is_event(
    kind: str,
    query_id: str,
    question_id: str | None,
    before: str | None,
    after: str | None,
) -> bool:
    """Whether an event keeps what one of this kind does, and nothing else."""
    known = KINDS.get(base_kind(kind))
    if known is None:
        return False
    if known.mark:
        try:
            known.mark.read(kind, before, after)
        except ValueError:
            return False
        return question_id is None
    sides = [json.loads(side) for side in (before, after) if side is not None]
    return bool(sides) and all(
        fits(_ANY | side if isinstance(side, dict) else side, _QUESTION)
        and (side["query_id"], side["question_id"]) == (query_id, question_id)
        for side in sides
    )


def question_json(question: Question | None) -> str | None:
    """The question as an event keeps it: without votes, which are events themselves."""
    if question is None:
        return None
    fields = {name: getattr(question, name) for name in _QUESTION}
    fields = dict(one for one in fields.items() if one not in _ANY.items())
    return json.dumps(fields, ensure_ascii=False)


def question_from_json(stored: str | None) -> Question | None:
    """The question that an event keeps."""
    if stored is None:
        return None
    fields = json.loads(stored)
    fields["choices"] = tuple((letter, text) for letter, text in fields["choices"])
    fields["answers"] = tuple(fields["answers"])
    return Question(**fields)


# ---- in words ----


def past(change: Change) -> str:
    """What was done, whether undone since or not: ``retired``, ``voted``.

    A rewording that keeps a proposal, or takes a retired question back, says so, and
    what became of an answer key is said with it.
    """
    before, after = change.before, change.after
    name = base_kind(change.kind)
    done = KINDS[name].past if name in KINDS else name
    if change.kind == "reword" and before and after and before.state != after.state:
        kept = "kept" if before.state == "proposed" else "restored"
        done = f"{kept} in other words"
    if not (before and after):
        return done
    if name == "key":
        undo = change.kind.startswith("undo ")
        return key_change(*((after, before) if undo else (before, after))) or done
    if name == "move":
        now = before if change.kind.startswith("undo ") else after
        if now.subtopic_id is None:
            return "moved out of its subtopic"
        return f"moved to subtopic {now.subtopic_id}"
    key = key_change(before, after) if change.kind == "reword" else ""
    return ", ".join(filter(None, [done, key]))


def undone(change: Change) -> str:
    """``undone: ``, ``redone: ``, or nothing."""
    return {"undo": "undone: ", "redo": "redone: "}.get(change.kind.split(" ")[0], "")


def described(change: Change, shortened: Callable[[str], str] = str) -> str:
    """``retired``, ``undone: voted vital``; ``shortened`` is for words quoted.

    Of a question that is new also its key.
    """
    mark = change.mark
    if mark is None:
        new = change.after if change.before is None else None
        key = f", key: “{key_words(new)}”" if new and new.answers else ""
        return undone(change) + past(change) + key
    # An undo's mark is the other way round.
    made = mark.inverted() if change.kind.startswith("undo ") else mark
    return undone(change) + made.described(shortened)


def about(change: Change, bank: Bank) -> str:
    """The words of the question changed or marked; the passage marked."""
    if change.mark is not None:
        return change.mark.about(bank)
    return change.question.title if change.question else ""


def summary(change: Change, titles: Mapping[str, str]) -> str | None:
    """What stands after it, on a line; ``titles`` are those of questions by id."""
    if change.mark is not None:
        return change.mark.summary(titles)
    if change.question and base_kind(change.kind) == "key":
        return f"{change.question.title} ({described(change)})"
    return change.question.title if change.question else None


def difference(change: Change) -> dict[str, Any]:
    """What differs, as JSON for people: texts or marks, before and after.

    And the answer key and choices, where an edit made others of them.
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
