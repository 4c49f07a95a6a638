"""A step that a later version could bring, to migrate to, whichever version is ours."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from curator.store import connection as store_connection
from curator.store import migrations as store_migrations
from curator.store.connection import SCHEMA_VERSION
from curator.store.damage import new_schema
from curator.workspace import Workspace

LATER_VERSION = SCHEMA_VERSION + 1


class LaterSteps:
    """Switches between this version and one that has a step more."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self._ours = list(store_migrations.migrations._migrations)

    def off(self) -> None:
        self._use(self._ours, SCHEMA_VERSION)

    def on(self, *, failing: bool = False, sql: str = "") -> None:
        def m999_later(db):
            store_migrations._run(
                db,
                "ALTER TABLE query ADD COLUMN later TEXT; "
                "UPDATE query SET later = 'later';" + sql,
                version=LATER_VERSION,
            )
            if failing:
                raise ZeroDivisionError

        self.off()
        later = store_migrations.Migrations("curator")
        later()(m999_later)
        self._use([*self._ours, *later._migrations], LATER_VERSION)

    def _use(self, steps, version: int) -> None:
        self._monkeypatch.setattr(store_migrations.migrations, "_migrations", steps)
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
