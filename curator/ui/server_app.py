"""The server's process: Streamlit's own, with what Curator puts before it.

``python -m curator.ui.server_app HOST PORT WORKSPACE``, as ``serve_command`` says; the
workspace stands there for people who read a process list.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

# Streamlit puts this folder first on the path, and a page's has the package's name.
import grading  # noqa: F401
from curator.ui.server import APP, OPTIONS

# Asked before Streamlit's own; none is one of those that it keeps to itself.
ROUTES: Sequence[BaseRoute] = ()

# Every request and websocket goes through these, the first one first.
MIDDLEWARE: Sequence[Middleware] = ()


def serve(host: str, port: int) -> None:
    """Serve until the process is told to end; both ways of telling it end it well."""
    for told in (signal.SIGINT, signal.SIGTERM):
        signal.signal(told, lambda *_: sys.exit(0))
    # Or uvicorn would take the client's address from a header, where the client is this
    # machine: whoever is let in by address could be anybody who names one.
    os.environ["FORWARDED_ALLOW_IPS"] = ""
    app = st.App(APP, routes=ROUTES, middleware=MIDDLEWARE)
    app.run(config={**OPTIONS, "server.address": host, "server.port": port})


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
