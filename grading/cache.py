"""Vectors of texts that a model has read before, by content key.

One cache belongs to one responder, so its keys are those of the texts. ``curator``
keeps the lasting one on SQLite.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from grading.similarity import Vectors


class Cache(Protocol):
    """Vectors of one responder by content key."""

    def cached_keys(self, keys: Sequence[str]) -> set[str]:
        """Those of ``keys`` that have vectors."""
        ...

    def get_many(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """Vectors by key, for those of ``keys`` that have any."""
        ...

    def put_many(self, values: Mapping[str, Vectors]) -> None:
        """Keep ``values``, all of them or, after an error, none."""
        ...

    def sentence_cache(self, version: str) -> Cache:
        """The vectors of texts' sentences, those of a text below each other.

        ``version`` says how texts are cut (``grading.highlight``).
        """
        ...


class MemoryCache(Cache):
    """A cache that ends with the process."""

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
