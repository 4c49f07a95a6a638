"""Whether a local grader lacks nothing but what people have written since.

Such a grader may go on by itself: the work is small, costs nothing but this machine's
time, and the board was whole before the edit. One that was never complete waits to be
told, since its grading may take hours; one that asks a paid endpoint always does.
"""

from __future__ import annotations

from curator.engine.gradebook import GraderRecord
from curator.engine.state import State
from curator.store.history import edited_queries
from curator.verbs.grading.missing import missing_in
from curator.verbs.setup.status import engines
from grading.registry import is_local
from grading.responders import VECTORS


def lags_behind_edits(state: State, name: str) -> bool:
    """Whether a local grader lacks grades, and only where people have edited.

    False for a grader that is not local, that was imported, and for one of vectors,
    which grades new text as it comes. Raises UnknownNameError.
    """
    return state.cached(("lags behind edits", name), lambda: _lags(state, name))


def _lags(state: State, name: str) -> bool:
    record = state.grader(name)
    if not record.can_grade:
        return False
    if not all(one != VECTORS and is_local(one) for one in engines(record)):
        return False
    edited = set(edited_queries(state.connection))
    asked = record.parts if record.spec.combined else (*record.parts, record)
    lacking = [one for one in state.query_ids() if _lacks(state, asked, one)]
    return bool(lacking) and edited.issuperset(lacking)


def _lacks(state: State, asked: tuple[GraderRecord, ...], query_id: str) -> bool:
    return any(missing_in(state, one, query_id) is not None for one in asked)
