"""Caches of text vectors by content key.

A cache belongs to one responder, so the keys are those of texts only. The persistent
cache is in ``curator``, on SQLite.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from grading.similarity import Vectors


class Cache(Protocol):
    """Vectors of one responder by content key."""

    def cached_keys(self, keys: Sequence[str]) -> set[str]:
        """Return those of ``keys`` that have vectors."""
        ...

    def get_many(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """Return the vectors of those ``keys`` that have any."""
        ...

    def put_many(self, values: Mapping[str, Vectors]) -> None:
        """Store ``values``; after an error none of them."""
        ...

    def sentence_cache(self, version: str) -> Cache:
        """Return the cache of vectors of texts' sentences, a row per sentence.

        ``version`` is that of sentence splitting (``grading.highlight``).
        """
        ...


class MemoryCache(Cache):
    """A cache in memory."""

    def __init__(self) -> None:
        self._values: dict[str, Vectors] = {}
        self._sentences: dict[str, MemoryCache] = {}

    def __len__(self) -> int:
        return len(self._values)

    def cached_keys(self, keys: Iterable[str]) -> set[str]:
        return self._values.keys() & set(keys)

    def get_many(self, keys: Iterable[str]) -> dict[str, Vectors]:
        return {key: self._values[key] for key in keys if key in self._values}

    def put_many(self, values: Mapping[str, Vectors]) -> None:
        self._values.update(values)

    def sentence_cache(self, version: str) -> MemoryCache:
        return self._sentences.setdefault(version, MemoryCache())
