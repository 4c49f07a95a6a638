"""A step that a later version could bring, to migrate to, whichever version is ours."""

from __future__ import annotations

from collections.abc import Iterator
from sqlite3 import Connection
from typing import Any

import pytest

from curator.store import connection as store_connection
from curator.store import damage
from curator.store import migrations as store_migrations
from curator.store.connection import SCHEMA_VERSION
from curator.store.damage import new_schema
from curator.workspace import Workspace

LATER_VERSION = SCHEMA_VERSION + 1


class LaterSteps:
    """Switches between this version and one that has a step more."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self._create = store_migrations.create_schema

    def off(self) -> None:
        self._use(self._create, dict(store_migrations.STEPS), SCHEMA_VERSION)

    def on(self, *, failing: bool = False) -> None:
        def later(connection: Connection) -> None:
            connection.execute("ALTER TABLE query ADD COLUMN later TEXT")
            connection.execute("UPDATE query SET later = 'later'")
            if failing:
                raise ZeroDivisionError

        def create(connection: Connection) -> None:
            self._create(connection)
            later(connection)

        self.off()
        steps = {**store_migrations.STEPS, LATER_VERSION: later}
        self._use(create, steps, LATER_VERSION)

    def _use(self, create: Any, steps: Any, version: int) -> None:
        self._monkeypatch.setattr(store_migrations, "create_schema", create)
        self._monkeypatch.setattr(damage, "create_schema", create)
        self._monkeypatch.setattr(store_migrations, "STEPS", steps)
        for module in (store_connection, store_migrations):
            self._monkeypatch.setattr(module, "SCHEMA_VERSION", version)
        new_schema.cache_clear()


@pytest.fixture
def later_steps(monkeypatch):
    yield LaterSteps(monkeypatch)
    new_schema.cache_clear()


@pytest.fixture
def ann(workspace: Workspace) -> Workspace:
    """The small collection, open as ann."""
    return workspace


@pytest.fixture
def bob(ann: Workspace) -> Iterator[Workspace]:
    """The same file, open as bob."""
    with Workspace.open(ann.path, judge="bob") as opened:
        yield opened
