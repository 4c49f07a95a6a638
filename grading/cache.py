"""What has been asked before, by content key, and the asking of all else.

One cache belongs to one responder, so its keys are those of what was asked (a text, or
an item and a text). ``curator`` keeps the lasting one on SQLite. Missing = asked −
cached. Every batch is in the cache before the next begins, so an interrupted run loses
one batch and the next run asks only for the rest.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

Asked = TypeVar("Asked")
Value = TypeVar("Value")

Progress = Callable[[int, int], None]
"""Called with (done, total) of what was missing."""

BATCH_SIZE = 256


class Cache(Protocol[Value]):
    """Values of one responder by content key."""

    def known(self, keys: Sequence[str]) -> set[str]:
        """Those of ``keys`` that have a value."""
        ...

    def get_many(self, keys: Sequence[str]) -> dict[str, Value]:
        """Value by key, for those of ``keys`` that have one."""
        ...

    def put_many(self, values: Mapping[str, Value]) -> None:
        """Keep ``values``, all of them or, after an error, none."""
        ...


class MemoryCache(Cache[Value]):
    """A cache that ends with the process."""

    def __init__(self) -> None:
        self._values: dict[str, Value] = {}

    def __len__(self) -> int:
        return len(self._values)

    def known(self, keys: Iterable[str]) -> set[str]:
        return {key for key in keys if key in self._values}

    def get_many(self, keys: Iterable[str]) -> dict[str, Value]:
        return {key: self._values[key] for key in keys if key in self._values}

    def put_many(self, values: Mapping[str, Value]) -> None:
        self._values.update(values)


def missing(asked: Iterable[str], cache: Cache[Value]) -> list[str]:
    """Keys of ``asked`` that the cache has no value for, once each, in their order."""
    keys = list(dict.fromkeys(asked))
    known = cache.known(keys)
    return [key for key in keys if key not in known]


def run(
    asked: Mapping[str, Asked],
    cache: Cache[Value],
    respond: Callable[[Sequence[Asked]], Sequence[Value]],
    *,
    batch_size: int = BATCH_SIZE,
    progress: Progress | None = None,
) -> int:
    """Number of values that were missing and now are in the cache.

    ``asked`` maps content keys to what the model is given: a text, or an item and a
    passage. ``respond`` gives one value for each of a batch, in order. ``progress``
    is called before the first batch and after each; what it raises ends the run with
    every finished batch kept.
    """
    keys = missing(asked, cache)
    if progress:
        progress(0, len(keys))
    for start in range(0, len(keys), batch_size):
        batch = keys[start : start + batch_size]
        values = respond([asked[key] for key in batch])
        cache.put_many(dict(zip(batch, values, strict=True)))
        if progress:
            progress(start + len(batch), len(keys))
    return len(keys)
