"""``/healthz``: whether the server can read its workspace and save to it.

It says nothing of what is in it, and is answered whoever asks.
"""

from __future__ import annotations

import os
from contextlib import closing
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from curator.errors import CuratorError
from curator.store.connection import SCHEMA_VERSION, open_workspace, writable
from curator.ui.server import WORKSPACE_VARIABLE

PATH = "/healthz"


def health() -> tuple[dict[str, object], int]:
    """What is said, and the HTTP status: 503 where no page could be drawn.

    ``ok`` where an edit could be saved, ``read-only`` where pages are drawn alone.
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
            status = "ok" if writable(connection) else "read-only"
    except CuratorError:
        return {"status": "failing", **about}, 503
    return {"status": status, **about}, 200


async def _answer(request: Request) -> JSONResponse:
    found, status = await run_in_threadpool(health)
    headers = {"Cache-Control": "no-store"}
    return JSONResponse(found, status, headers=headers)


ROUTE = Route(PATH, _answer, methods=["GET"])
