"""What one process keeps of the texts of a workspace's passages, as numbered words.

A state holds no texts: most measures never ask. What does is given those it asks for,
each read from the file and numbered once. Rows computed from them are kept by the very
objects they were computed from.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from curator.collection.pools import Pool
from curator.evaluation.measures.measure import Row, TextMeasure
from curator.evaluation.measures.rouge_overlap import Numbers, Words
from curator.store import collection as store_collection

if TYPE_CHECKING:
    from grading.stems import Stems

KEPT_ROWS = 8000  # of all queries, of several measures and banks

RowKey = tuple[TextMeasure, str, tuple[int, ...]]

_STEMS_LOCK = threading.Lock()


@cache
def stems() -> Stems:
    """The one numbering of this process: stemming is most of the work."""
    # Most boards have no use for a stemmer.
    from grading.stems import Stems

    return Stems()


class PoolWords:
    """The words of one workspace's passages; safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        # By query: where each passage's words stand in the Words, -1 for not read.
        self._words: dict[str, tuple[Numbers, Words]] = {}
        self._rows: OrderedDict[RowKey, tuple[tuple[object, ...], Row]] = OrderedDict()

    def numbered(self, texts: Sequence[str]) -> Words:
        """These texts as words; their numbers compare with those of every passage."""
        with _STEMS_LOCK:  # a cache alone lets two threads each make one
            numbering = stems()
        return Words(*numbering.numbered(texts))

    def at(
        self, connection: sqlite3.Connection, pool: Pool, positions: Numbers
    ) -> tuple[Numbers, Words]:
        """(passages,) rows by pool position, and the words of at least these passages.

        Each text is read and numbered once.
        """
        with self._lock:
            nothing = np.full(pool.size, -1, dtype=np.int64)
            rows, words = self._words.get(pool.query_id, (nothing, None))
            new = positions[rows[positions] < 0]
            if words is None or len(new):
                texts = store_collection.texts_at(
                    connection, pool.query_id, new.tolist()
                )
                more = self.numbered(texts)
                rows = rows.copy()
                rows[new] = np.arange(len(new)) + (words.texts if words else 0)
                words = more if words is None else words.and_also(more)
                self._words[pool.query_id] = rows, words
            return rows, words

    def row(
        self,
        measure: TextMeasure,
        query_id: str,
        made_of: tuple[object, ...],
        compute: Callable[[], Row],
    ) -> Row:
        """The row made of these very objects, kept or computed now.

        What it was made of is kept with it, so that no id passes to another.
        """
        key = (measure, query_id, tuple(map(id, made_of)))
        with self._lock:
            found = self._rows.get(key)
        found = found or (made_of, compute())
        with self._lock:
            self._rows[key] = found
            self._rows.move_to_end(key)
            while len(self._rows) > KEPT_ROWS:
                self._rows.popitem(last=False)
            return found[1]
