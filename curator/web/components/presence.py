"""Other judges on this server and their queries, kept in memory alone."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from curator.bank.wording import shortened
from curator.web.components import session

AWAY = 6.0  # seconds without a word, four times as long as between two looks
NAMED = 3  # people at other queries who are named


@dataclass(frozen=True, slots=True)
class OpenQuery:
    """Who has which query open."""

    judge: str
    query_id: str


@dataclass
class Presence:
    """Where every browser of this server was last, by its session."""

    clock: Callable[[], float] = time.monotonic
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _seen: dict[str, tuple[float, OpenQuery]] = field(default_factory=dict)

    def others(self, session_id: str, here: OpenQuery) -> tuple[OpenQuery, ...]:
        """Return where other judges are, and remember that this session is ``here``."""
        now = self.clock()
        with self._lock:
            latest = self._seen | {session_id: (now, here)}
            self._seen = {k: v for k, v in latest.items() if now - v[0] < AWAY}
            places = {place for _, place in self._seen.values()}
        others = (place for place in places if place.judge != here.judge)
        return tuple(sorted(others, key=lambda place: (place.judge, place.query_id)))


@st.cache_resource(show_spinner=False)
def presence() -> Presence:
    """Return where the server's browsers are."""
    return Presence()


def line(names: Mapping[str, str]) -> str:
    """Say who else is on this query and on others, and remember this session."""
    context = get_script_run_ctx()
    if context is None:
        return ""
    here = OpenQuery(session.judge(), session.view().query or "")
    return in_words(presence().others(context.session_id, here), here.query_id, names)


def in_words(
    others: Sequence[OpenQuery], query_id: str, names: Mapping[str, str]
) -> str:
    """``ann is here too · bo is on “Who?”``."""
    here = list(dict.fromkeys(o.judge for o in others if o.query_id == query_id))
    parts = []
    if here:
        verb = "is" if len(here) == 1 else "are"
        parts.append(f"{joined(here)} {verb} here too")
    away = [o for o in others if o.judge not in here and o.query_id in names]
    parts += [
        f"{other.judge} is on “{shortened(names[other.query_id], 30)}”"
        for other in away[:NAMED]
    ]
    if len(away) > NAMED:
        parts.append(f"{len(away) - NAMED} more on others")
    return " · ".join(parts)


def joined(people: Sequence[str]) -> str:
    """``ann, bo and cyd``."""
    *first, last = people
    return f"{', '.join(first)} and {last}" if first else last
