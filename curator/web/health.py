"""``/healthz``: whether the server can read its workspace and save to it.

It says nothing of the content and is answered for everybody.
"""

from __future__ import annotations

import os
import time
from contextlib import closing
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from sqlite3 import Connection

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from curator.errors import CuratorError
from curator.store.connection import SCHEMA_VERSION, open_workspace, try_write
from curator.web.server import WORKSPACE_VARIABLE

PATH = "/healthz"
WRITE_EVERY = 5.0  # seconds between two tests, however often they are asked for

_last_test: dict[Path, tuple[float, str]] = {}


def health() -> tuple[dict[str, object], int]:
    """Test the workspace; return the answer and its HTTP status.

    200 and ``ok`` where an edit could be saved; 503 and ``read-only`` where file or
    folder may not be written, ``failing`` where no page can be drawn or the disk takes
    no edit.
    """
    try:
        about: dict[str, object] = {"version": version("exam-curator")}
    except PackageNotFoundError:  # a checkout that was never installed
        about = {}
    about["schema"] = SCHEMA_VERSION
    try:
        path = Path(os.environ.get(WORKSPACE_VARIABLE, ""))
        with closing(open_workspace(path)) as connection:
            connection.execute("SELECT count(*) FROM query").fetchone()
            status = _write_status(path, connection)
    except CuratorError:
        status = "failing"
    return {"status": status, **about}, 200 if status == "ok" else 503


def _write_status(path: Path, connection: Connection) -> str:
    """Test whether an edit could be saved; the last result while others save."""
    now = time.monotonic()
    tested_at, status = _last_test.get(path, (0.0, "ok"))
    if path in _last_test and now - tested_at < WRITE_EVERY:
        return status
    result = try_write(connection)
    if result != "busy":
        status = result
    _last_test[path] = now, status
    return status


async def _answer(request: Request) -> JSONResponse:
    result, status = await run_in_threadpool(health)
    headers = {"Cache-Control": "no-store"}
    return JSONResponse(result, status, headers=headers)


ROUTE = Route(PATH, _answer, methods=["GET"])
