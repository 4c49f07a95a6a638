"""Other judges on this server and their queries, kept in memory only."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from curator.bank.wording import shortened
from curator.web.components import session

AWAY = 6.0  # seconds after which a browser counts as gone
NAMED = 3  # people at other queries who are named


class OpenQuery(NamedTuple):
    """A judge, and the query that is open."""

    judge: str
    query_id: str


class Presence:
    """The latest query of every browser of this server, by session."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: dict[str, tuple[float, OpenQuery]] = {}

    def others(
        self, session_id: str, here: OpenQuery, now: float | None = None
    ) -> list[OpenQuery]:
        """Return where other judges are, and store where this session is."""
        now = time.monotonic() if now is None else now
        with self._lock:
            latest = self._seen | {session_id: (now, here)}
            self._seen = {k: v for k, v in latest.items() if now - v[0] < AWAY}
            places = {place for _, place in self._seen.values()}
        return sorted(place for place in places if place.judge != here.judge)


@st.cache_resource(show_spinner=False)
def presence() -> Presence:
    """Return where the server's browsers are."""
    return Presence()


def line(names: Mapping[str, str]) -> str:
    """Name the judges on this query and on others, and store this session's query."""
    context = get_script_run_ctx()
    if context is None:
        return ""
    here = OpenQuery(session.judge(), session.view().query or "")
    return in_words(presence().others(context.session_id, here), here.query_id, names)


def in_words(
    others: Sequence[OpenQuery], query_id: str, names: Mapping[str, str]
) -> str:
    """Return ``ann and cy are here too · bo is on “Who?”``."""
    here = list(dict.fromkeys(o.judge for o in others if o.query_id == query_id))
    verb = "is" if len(here) == 1 else "are"
    parts = [f"{' and '.join(here)} {verb} here too"] if here else []
    away = [o for o in others if o.judge not in here and o.query_id in names]
    parts += [
        f"{other.judge} is on “{shortened(names[other.query_id], 30)}”"
        for other in away[:NAMED]
    ]
    if len(away) > NAMED:
        parts.append(f"{len(away) - NAMED} more on others")
    return " · ".join(parts)
