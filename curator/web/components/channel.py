"""The channel from the browser to Python: events, their handlers, their answers.

A component of the page sends events, ``{nonce, type, workspace, …payload}``. An unknown
type, or a payload that its handler does not take, is refused in a line; any other event
is handled once. It comes again until its nonce is answered, since the first message
after a server's restart is lost.
"""

from __future__ import annotations

import inspect
import json
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
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
SCRIPTS = [f"components/{name}" for name in ("keys", "elements", "storage", "channel")]
"""Scripts of every component."""


@dataclass(frozen=True, slots=True)
class PageEvent:
    """An event without its payload."""

    nonce: str
    type: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """A save that was refused: both texts, and the text that they began from."""

    mine: str
    theirs: str
    base: str | None
    revision: int
    by: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to an event: ``line`` says why it was refused.

    ``revisions`` are (question, revision before, revision after) of what it changed;
    edits that wait behind it were based on the one before.
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
    """Register the function for events of these types; None is success.

    Its keyword arguments are the payload, each of the declared type and required if it
    has no default; a positional argument is the event. It may raise ``EXPECTED``.
    """

    def registered(handler: AHandler) -> AHandler:
        HANDLERS.update(dict.fromkeys(types, handler))
        return handler

    return registered


def pick(handler: Handler, name: object = "") -> str:
    """Return what a control carries (``data-pick``) to have this handler called."""
    kind = next(kind for kind, called in HANDLERS.items() if called is handler)
    return f"{kind}:{name}"


class Component:
    """A part of the page that is drawn, or listened to, in the browser.

    ``verb`` is what its controls call; a role that may not is told before.
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
        """Draw it with this data; ``why_not`` is why its controls are disabled here."""
        barred = session.why_not(self.verb) if self.verb else ""
        data |= {
            "workspace": session.workspace_id(),
            "barred": barred or why_not,
            "answers": [asdict(answer) for answer in session.current().answers],
        }
        on_change = partial(received, self.key)
        self._mount(key=self.key, data=data, on_events_change=on_change)


def received(key: str) -> None:
    """Handle the events that this component sent, each once, and answer them."""
    sent = st.session_state[key].events
    for value in sent[:AT_ONCE] if isinstance(sent, list) else ():
        nonce = value.get("nonce") if isinstance(value, Mapping) else None
        if not isinstance(nonce, str) or not 8 <= len(nonce) <= 64:
            continue  # nobody waits for an answer
        now = session.current()
        if all(answer.nonce != nonce for answer in now.answers):
            now.answers = (*now.answers, handled(nonce, value))[-KEPT_ANSWERS:]


def handled(nonce: str, value: Mapping[str, object]) -> Answer:
    """Handle an event and return its answer, even after an unexpected error."""
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
    """The types of the payload, each with if it is required; is the event taken?"""
    hints = get_type_hints(handler)
    parameters = inspect.signature(handler).parameters.values()
    kinds = {
        parameter.name: (hints[parameter.name], parameter.default is parameter.empty)
        for parameter in parameters
        if parameter.kind is parameter.KEYWORD_ONLY
    }
    by_position = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return kinds, any(parameter.kind is by_position for parameter in parameters)


def read(kind: Any, value: object) -> Any:
    """Return a value of JSON as this type. Raises TypeError for any other."""
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        for each in args:
            with suppress(TypeError):
                return read(each, value)
    elif origin is Literal:
        if isinstance(value, str) and value in args:
            return value
    elif origin is list and isinstance(value, list):
        return [read(args[0], part) for part in value]
    elif origin is tuple and isinstance(value, list) and len(value) == len(args):
        return tuple(map(read, args, value))
    elif type(value) is kind:
        return value
    elif kind is float and type(value) is int and abs(value) < 2**53:
        return float(value)
    raise TypeError(f"no {kind}")
