"""Who else is at work on this server, and on which query.

Kept in memory alone and forgotten soon after a browser has asked for the last time: a
tab out of sight asks too rarely to count as somebody who is there.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
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
        """Where others are by now; a judge's own other tabs are none.

        Whoever asks is seen ``here``.
        """
        now = self.clock()
        with self._lock:
            self._seen[session_id] = (now, here)
            self._seen = {
                name: (at, place)
                for name, (at, place) in self._seen.items()
                if now - at < AWAY
            }
            places = {place for _, place in self._seen.values()}
        others = (one for one in places if one.judge != here.judge)
        return tuple(sorted(others, key=lambda one: (one.judge, one.query_id)))


@st.cache_resource(show_spinner=False)
def presence() -> Presence:
    """Of this server's browsers."""
    return Presence()


def line(names: Mapping[str, str]) -> str:
    """Who else is on this query, and who where; "" for nobody. Says that I am here.

    ``names`` are those of the queries.
    """
    context = get_script_run_ctx()
    if context is None:
        return ""
    here = OpenQuery(session.judge(), session.view().query or "")
    return in_words(presence().others(context.session_id, here), here.query_id, names)


def in_words(
    others: Sequence[OpenQuery], query_id: str, names: Mapping[str, str]
) -> str:
    """``ann is here too · bo is on “Who?”``."""
    beside = list(dict.fromkeys(o.judge for o in others if o.query_id == query_id))
    said = []
    if beside:
        said.append(f"{_listed(beside)} {'is' if len(beside) == 1 else 'are'} here too")
    away = [one for one in others if one.judge not in beside and one.query_id in names]
    said += [
        f"{one.judge} is on “{shortened(names[one.query_id], 30)}”"
        for one in away[:NAMED]
    ]
    if len(away) > NAMED:
        said.append(f"{len(away) - NAMED} more on others")
    return " · ".join(said)


def _listed(people: Iterable[str]) -> str:
    *first, last = people
    return f"{', '.join(first)} and {last}" if first else last
