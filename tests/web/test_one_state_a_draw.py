"""A page works on one state of the workspace: one transaction a draw, on every page.

The contract of ``session.drawing``: what a page shows belongs together, whoever saves
while it is drawn.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from curator.background.service import Service
from curator.bank.edits import Retire
from curator.store import connection as store_connection
from curator.workspace import Workspace
from tests.web.conftest import OpenApp
from tests.web.test_every_page_opens import PAGES, turned

# How a file is opened, and by whom: before anything of the workspace is read.
OPENING = ("PRAGMA", "SELECT 1 FROM sqlite_schema", "SELECT name, role, added_at")


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[tuple[bool, str]]:
    """What is asked of the file, each with whether a transaction is open."""
    asked: list[tuple[bool, str]] = []
    connected = store_connection._connect

    def watched(path: Path | str, *, uri: bool = False) -> sqlite3.Connection:
        connection = connected(path, uri=uri)
        connection.set_trace_callback(
            lambda sql: asked.append((connection.in_transaction, " ".join(sql.split())))
        )
        return connection

    monkeypatch.setattr(store_connection, "_connect", watched)
    # What goes on beside a page has a state of its own.
    monkeypatch.setattr(Service, "send", lambda self, task: None)
    return asked


def test_a_draw_is_one_transaction(
    open_app: OpenApp, hand_made: Path, statements: list[tuple[bool, str]]
) -> None:
    with Workspace.open(hand_made, judge="ann") as workspace:
        workspace.apply(Retire("q1/b"))
    given = {"query": "q1", "judge": "ann", "against": "import"}
    app = open_app(hand_made, **given)
    for page in PAGES:
        turned(app, page, **given)
        statements.clear()
        app.run()
        read = [one for one in statements if not one[1].startswith(OPENING)]
        assert [sql for _, sql in read if sql.startswith("BEGIN")] == ["BEGIN"], page
        outside = [sql for within, sql in read if not within and "BEGIN" not in sql]
        assert {*outside} <= {"COMMIT", "ROLLBACK"}, page
