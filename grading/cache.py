"""What has been asked before: a responder's values by content key.

One cache belongs to one responder, so its keys are those of what was asked (a text, or
an item and a text). ``curator`` keeps the lasting one on SQLite.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

Value = TypeVar("Value")


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
