"""The one channel from the browser to Python: events, their handlers, their answers.

A component of the page sends events, ``{nonce, type, workspace, …payload}``. One whose
type is not known, or whose payload is not what its handler takes, is refused in a line;
any other goes to that handler, once: it comes again until its nonce is answered, since
the first message after a server's restart is swallowed. Everything in it comes from a
browser and is taken for nothing but text and numbers.
"""

from __future__ import annotations

import inspect
import json
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cache, partial
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import streamlit as st
from streamlit.components.v2 import component

from curator.edit_words import VERBS
from curator.web import request_log
from curator.web.components import session
from curator.web.server import HERE

UNREADABLE = "The page sent what this server does not understand: reload the page."
ELSEWHERE = "An edit was meant for another workspace or judge; it was not saved."
UNEXPECTED = "Not saved: something unexpected happened; the server's log says what."
KEPT_ANSWERS = 16
AT_ONCE = 32  # events of one message that are looked at
SCRIPTS = tuple(
    f"components/{name}" for name in ("keys", "elements", "storage", "channel")
)
"""Every component's."""


@dataclass(frozen=True, slots=True)
class PageEvent:
    """What a handler is told of an event beside its payload."""

    nonce: str
    type: str


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
    """What became of an event: ``line`` says why where it was refused.

    ``revisions`` are (question, revision before, revision after) of what it changed:
    what waits behind it was based on the one before.
    """

    nonce: str
    ok: bool
    line: str = ""
    conflict: Conflict | None = None
    question: str | None = None
    revisions: tuple[tuple[str, int, int], ...] = ()


Handler = Callable[..., Answer | None]
AHandler = TypeVar("AHandler", bound=Handler)

HANDLERS: dict[str, Handler] = {}


def handles(*types: str) -> Callable[[AHandler], AHandler]:
    """Have the function handle events of these types; without an answer all is well.

    Its keyword arguments are the payload: what has no default must be there, and
    everything of the type that is declared. One that takes a positional argument too is
    told the event. It may raise what a judge can cause.
    """

    def registered(handler: AHandler) -> AHandler:
        HANDLERS.update(dict.fromkeys(types, handler))
        return handler

    return registered


class Component:
    """A part of the page that is drawn, or listened to, in the browser.

    ``verb`` is what its controls call: whose role does not allow that is told before.
    """

    def __init__(self, key: str, *scripts: str, verb: str = "") -> None:
        self.key, self.verb = key, verb
        # Read one after the other as one module: no build step.
        texts = [f"const VERBS = {json.dumps(VERBS)}"]
        texts += [(HERE / f"{n}.js").read_text("utf-8") for n in (*SCRIPTS, *scripts)]
        self._mount = component(
            f"curator_{key}", js="\n".join(texts), isolate_styles=False
        )

    def draw(self, *, why_not: str = "", **data: Any) -> None:
        """Draw it with this data, and hear its events.

        ``why_not`` is why its controls are closed to a role that has them elsewhere.
        """
        self._mount(
            key=self.key,
            data=data
            | {
                "workspace": session.workspace_id(),
                "barred": (session.why_not(self.verb) if self.verb else "") or why_not,
                "answers": [asdict(one) for one in session.current().answers],
            },
            on_events_change=partial(received, self.key),
        )


def received(key: str) -> None:
    """Handle what the component of this key sent, each event once, and answer it."""
    sent = st.session_state[key].events
    for value in sent[:AT_ONCE] if isinstance(sent, list) else ():
        nonce = value.get("nonce") if isinstance(value, Mapping) else None
        if not isinstance(nonce, str) or not 8 <= len(nonce) <= 64:
            continue  # nobody waits for an answer
        now = session.current()
        if all(answer.nonce != nonce for answer in now.answers):
            now.answers = (*now.answers, handled(nonce, value))[-KEPT_ANSWERS:]


def handled(nonce: str, value: Mapping[str, object]) -> Answer:
    """What became of an event, whatever happens: without an answer it comes again."""
    began = time.monotonic()
    answer = _handled(nonce, value)
    if answer.line != UNREADABLE:
        took = time.monotonic() - began
        request_log.edit_handled(str(value.get("type")), answer.ok, took)
    return answer


def _handled(nonce: str, value: Mapping[str, object]) -> Answer:
    handler = HANDLERS.get(str(value.get("type")))
    if handler is None:
        return Answer(nonce, False, line=UNREADABLE)
    kinds, takes_event = _arguments_of(handler)
    try:
        payload = {
            name: read(kind, value[name])
            for name, (kind, needed) in kinds.items()
            if needed or name in value
        }
    except (KeyError, TypeError):
        return Answer(nonce, False, line=UNREADABLE)
    try:
        if value.get("workspace") != session.workspace_id():
            return Answer(nonce, False, line=ELSEWHERE)
        event = (PageEvent(nonce, str(value["type"])),) if takes_event else ()
        done = handler(*event, **payload)
    except session.EXPECTED as error:
        return Answer(nonce, False, line=str(error))
    except Exception:
        logging.getLogger(__name__).exception("an event was not handled")
        return Answer(nonce, False, line=UNEXPECTED)
    return done or Answer(nonce, True)


@cache
def _arguments_of(handler: Handler) -> tuple[dict[str, tuple[Any, bool]], bool]:
    """The payload's types, each with whether it has to be there; and if the event is.

    That is taken by position, and the payload by name.
    """
    hints = get_type_hints(handler)
    parameters = inspect.signature(handler).parameters
    kinds = {
        name: (hints[name], one.default is one.empty)
        for name, one in parameters.items()
        if one.kind is one.KEYWORD_ONLY
    }
    by_position = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return kinds, any(one.kind is by_position for one in parameters.values())


def read(kind: Any, value: object) -> Any:
    """The value, which JSON had, as this type. Raises TypeError for any other."""
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        for one in args:
            try:
                return read(one, value)
            except TypeError:
                continue
    elif origin is Literal:
        if isinstance(value, str) and value in args:
            return value
    elif origin is list and isinstance(value, list):
        return [read(args[0], one) for one in value]
    elif origin is tuple and isinstance(value, list) and len(value) == len(args):
        return tuple(read(one, part) for one, part in zip(args, value, strict=True))
    elif type(value) is kind:
        return value
    elif kind is float and type(value) is int and abs(value) < 2**53:
        return float(value)
    raise TypeError(f"no {kind}")
