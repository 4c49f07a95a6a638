"""Intents: what the question list in the browser asks for, read as edits. PURE.

An intent is sent again until it is answered, so it carries a nonce; the store writes a
nonce once. Everything in it comes from a browser and is taken for nothing but text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args

from curator.bank.edits import (
    Add,
    Done,
    Edit,
    JudgeAnswer,
    Keep,
    Restore,
    Retire,
    Reword,
    Vote,
)
from curator.bank.marks import CORRECTNESSES, IMPORTANCES, Correctness, Importance
from curator.errors import EditError

IntentKind = Literal[
    "retire",
    "restore",
    "reword",
    "add",
    "keep",
    "keep all",
    "drop all",
    "done",
    "reopen",
    "undo",
    "redo",
    "reason",
    "ask",
    "vote",
    "verdict",
    "ideal",
]
MAX_TEXTS = 200  # questions in one pasted list
MAX_AT_ONCE = 1000  # proposals kept or dropped in one step
LONGEST_LOOK = 600.0  # seconds


@dataclass(frozen=True, slots=True)
class Intent:
    """One wish of a judge. ``based_on`` is the revision that was on the screen.

    ``workspace`` names the workspace and judge it was meant for. ``many`` are
    (question, revision on the screen) of what is decided in one step. ``seconds`` is
    how long the judge looked before deciding on a proposal, ``next_id`` the question
    that is looked at then. ``again`` asks a model once more, about a subtopic or a
    passage. ``vote`` is how important the judge finds the question, ``verdict`` what
    they say of the answer in ``texts``, None to take that back. ``spans`` of a passage
    become ideal answers, or are so no longer (``marked`` says which); ``words`` are
    those that were selected in the first.
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
    many: tuple[tuple[str, int], ...] = ()
    seconds: float | None = None
    next_id: str | None = None
    passage_id: str | None = None
    again: bool = False
    vote: Importance | None = None
    verdict: Correctness | None = None
    spans: tuple[tuple[int, int | None], ...] = ()
    words: str = ""
    marked: bool = False


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
    if kind == "vote" and value.get("vote") not in (*IMPORTANCES, ""):
        return None
    if kind == "verdict" and value.get("verdict") not in (*CORRECTNESSES, ""):
        return None
    texts = value.get("texts")
    texts = texts if isinstance(texts, list) else []
    based_on = value.get("based_on")
    return Intent(
        nonce=nonce,
        kind=cast("IntentKind", kind),
        query_id=query,
        workspace=_text(value.get("workspace")),
        question_id=_text(value.get("question")),
        texts=tuple(text for text in texts if isinstance(text, str)),
        subtopic_id=_text(value.get("subtopic")) or None,
        reason=_text(value.get("reason")),
        based_on=based_on if type(based_on) is int else None,
        many=_revisions(value.get("many")),
        seconds=_seconds(value.get("seconds")),
        next_id=_text(value.get("next")) or None,
        passage_id=_text(value.get("passage")) or None,
        again=value.get("again") is True,
        vote=next((one for one in IMPORTANCES if one == value.get("vote")), None),
        verdict=next(
            (one for one in CORRECTNESSES if one == value.get("verdict")), None
        ),
        spans=_spans(value.get("spans")),
        words=_text(value.get("words")),
        marked=value.get("marked") is True,
    )


def edits_of(intent: Intent) -> list[Edit]:
    """The edits an intent asks for; none for an undo, a redo, a reason, an asking.

    None for an ideal answer either: where its words stand is read off the text.

    Raises EditError for a list of more than ``MAX_TEXTS`` questions, and for more than
    ``MAX_AT_ONCE`` decisions.
    """
    if len(intent.texts) > MAX_TEXTS:
        raise EditError(
            f"At most {MAX_TEXTS} questions are added at once; these are "
            f"{len(intent.texts)}. Nothing was added."
        )
    if len(intent.many) > MAX_AT_ONCE:
        raise EditError(
            f"At most {MAX_AT_ONCE:,} proposals are decided at once; these are "
            f"{len(intent.many):,}. Nothing was changed."
        )
    question, based_on = intent.question_id, intent.based_on
    match intent.kind:
        case "retire":
            return [Retire(question, based_on=based_on)]
        case "restore":
            return [Restore(question, based_on=based_on)]
        case "reword":
            return [Reword(question, "\n".join(intent.texts), based_on=based_on)]
        case "keep":
            return [Keep(question, based_on=based_on)]
        case "keep all":
            return [Keep(one, based_on=revision) for one, revision in intent.many]
        case "drop all":
            return [Retire(one, based_on=revision) for one, revision in intent.many]
        case "add":
            return [
                Add(intent.query_id, text, subtopic_id=intent.subtopic_id)
                for text in intent.texts
            ]
        case "vote":
            return [Vote(question, intent.vote)]
        case "verdict":
            answer = "\n".join(intent.texts)
            return [JudgeAnswer(question, answer, intent.verdict, based_on=based_on)]
        case "done" | "reopen":
            return [Done(intent.query_id, intent.kind == "done")]
    return []


def _revisions(value: object) -> tuple[tuple[str, int], ...]:
    """The (question, revision) pairs in a list; what is none is left out."""
    pairs = value if isinstance(value, list) else []
    return tuple(
        (pair[0], pair[1])
        for pair in pairs
        if isinstance(pair, list)
        and len(pair) == 2
        and isinstance(pair[0], str)
        and type(pair[1]) is int
    )


def _spans(value: object) -> tuple[tuple[int, int | None], ...]:
    """The (start, end) pairs in a list; what is none is left out."""
    pairs = value if isinstance(value, list) else []
    return tuple(
        (pair[0], pair[1])
        for pair in pairs[:MAX_AT_ONCE]
        if isinstance(pair, list)
        and len(pair) == 2
        and type(pair[0]) is int
        and (pair[1] is None or type(pair[1]) is int)
    )


def _seconds(value: object) -> float | None:
    if type(value) not in (int, float):
        return None
    seconds = cast("float", value)
    # What is no number at all is in no range either.
    return float(seconds) if 0 <= seconds <= LONGEST_LOOK else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
