"""Intents: what the question list in the browser asks for, read as edits. PURE.

An intent is sent again until it is answered, so it carries a nonce; the store writes a
nonce once. Everything in it comes from a browser and is taken for nothing but text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args

from curator.bank.edits import Add, Done, Edit, Restore, Retire, Reword
from curator.errors import EditError

IntentKind = Literal[
    "retire", "restore", "reword", "add", "done", "reopen", "undo", "redo", "reason"
]
MAX_TEXTS = 200  # questions in one pasted list


@dataclass(frozen=True, slots=True)
class Intent:
    """One wish of a judge. ``based_on`` is the revision that was on the screen.

    ``workspace`` names the workspace and judge it was meant for.
    """

    nonce: str
    kind: IntentKind
    query_id: str
    workspace: str = ""
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


def nonce_of(value: object) -> str | None:
    """The nonce of what the browser sent, by which it waits for an answer."""
    nonce = value.get("nonce") if isinstance(value, Mapping) else None
    return nonce if isinstance(nonce, str) and 8 <= len(nonce) <= 64 else None


def read_intent(value: object) -> Intent | None:
    """The intent in what the browser sent; None for anything else."""
    nonce = nonce_of(value)
    if nonce is None or not isinstance(value, Mapping):
        return None
    kind, query = value.get("kind"), value.get("query")
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
        workspace=_text(value.get("workspace")),
        question_id=_text(value.get("question")),
        texts=tuple(text for text in texts if isinstance(text, str)),
        subtopic_id=subtopic if isinstance(subtopic, str) and subtopic else None,
        reason=_text(value.get("reason")),
        based_on=based_on if type(based_on) is int else None,
    )


def edits_of(intent: Intent) -> list[Edit]:
    """The edits an intent asks for; none for an undo, a redo or a reason.

    Raises EditError for a list of more than ``MAX_TEXTS`` questions.
    """
    if len(intent.texts) > MAX_TEXTS:
        raise EditError(
            f"At most {MAX_TEXTS} questions are added at once; these are "
            f"{len(intent.texts)}. Nothing was added."
        )
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
