"""Intents: what the question list in the browser asks for, read as edits. PURE.

An intent is sent again until it is answered, so it carries a nonce; the store writes a
nonce once. Everything in it comes from a browser and is taken for nothing but text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args

from curator.bank.edits import Add, Done, Edit, Restore, Retire, Reword

IntentKind = Literal[
    "retire", "restore", "reword", "add", "done", "reopen", "undo", "redo", "reason"
]
MAX_TEXTS = 200  # questions in one pasted list


@dataclass(frozen=True, slots=True)
class Intent:
    """One wish of a judge. ``based_on`` is the revision that was on the screen."""

    nonce: str
    kind: IntentKind
    query_id: str
    question_id: str = ""
    texts: tuple[str, ...] = ()
    subtopic_id: str | None = None
    reason: str = ""
    based_on: int | None = None


@dataclass(frozen=True, slots=True)
class Conflict:
    """A save that was refused: both texts, and what they began from."""

    mine: str
    theirs: str
    base: str | None
    revision: int
    by: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of an intent: ``line`` says why where it was refused.

    ``revisions`` are (question, revision before, revision after) of what it changed:
    what waits behind it was based on the one before.
    """

    nonce: str
    ok: bool
    line: str = ""
    conflict: Conflict | None = None
    question: str | None = None
    revisions: tuple[tuple[str, int, int], ...] = ()


def read_intent(value: object) -> Intent | None:
    """The intent in what the browser sent; None for anything else."""
    if not isinstance(value, Mapping):
        return None
    nonce, kind, query = (value.get(name) for name in ("nonce", "kind", "query"))
    if not isinstance(nonce, str) or not 8 <= len(nonce) <= 64:
        return None
    if kind not in get_args(IntentKind) or not isinstance(query, str):
        return None
    texts = value.get("texts")
    texts = texts if isinstance(texts, list) else []
    based_on = value.get("based_on")
    subtopic = value.get("subtopic")
    return Intent(
        nonce=nonce,
        kind=cast("IntentKind", kind),
        query_id=query,
        question_id=_text(value.get("question")),
        texts=tuple(text for text in texts if isinstance(text, str))[:MAX_TEXTS],
        subtopic_id=subtopic if isinstance(subtopic, str) and subtopic else None,
        reason=_text(value.get("reason")),
        based_on=based_on if type(based_on) is int else None,
    )


def edits_of(intent: Intent) -> list[Edit]:
    """The edits an intent asks for; none for an undo, a redo or a reason."""
    question, based_on = intent.question_id, intent.based_on
    match intent.kind:
        case "retire":
            return [Retire(question, based_on=based_on)]
        case "restore":
            return [Restore(question, based_on=based_on)]
        case "reword":
            return [Reword(question, "\n".join(intent.texts), based_on=based_on)]
        case "add":
            return [
                Add(intent.query_id, text, subtopic_id=intent.subtopic_id)
                for text in intent.texts
            ]
        case "done" | "reopen":
            return [Done(intent.query_id, intent.kind == "done")]
    return []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
