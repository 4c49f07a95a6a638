"""The server's process: Streamlit's own, with what Curator puts before it.

``python -m curator.web.server_app HOST PORT WORKSPACE``, as ``serve_command`` says; the
workspace stands there for people who read a process list.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import BaseRoute, Route
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.secrets import SecretsValue

# Streamlit puts this folder first on the path, and a page's has the package's name.
import grading  # noqa: F401
from curator.formats.limits import UPLOAD_MB
from curator.web import health, identity, request_limits, request_log
from curator.web.server import APP, LOG_VARIABLE, OPTIONS, UPLOAD_VARIABLE


def first_html(_: Request) -> HTMLResponse:
    """Streamlit's HTML with Curator's title, and its colours before any script runs."""
    html = (Path(st.__file__).parent / "static" / "index.html").read_text("utf-8")
    light, dark = (OPTIONS[f"theme.{name}.backgroundColor"] for name in THEMES)
    style = (
        f"html {{ color-scheme: light dark; background: light-dark({light}, {dark}) }}"
    )
    html = html.replace("<title>Streamlit</title>", "<title>Curator</title>")
    html = html.replace("</head>", f"<style>{style}</style></head>")
    return HTMLResponse(html, headers={"Cache-Control": "no-cache"})


THEMES = ("light", "dark")
ADDRESSES = ("", *sorted(request_log.PAGES))
# Matched before Streamlit's own routes.
ROUTES: Sequence[BaseRoute] = (
    health.ROUTE,
    *(Route(f"/{address}", first_html) for address in ADDRESSES),
)

# A page has four open files, three of them until two minutes after it is closed. All
# pages that may be open exceed 1,024, the limit of many systems.
OPEN_FILES = 4096


def middleware(upload_mb: int) -> Sequence[Middleware]:
    """What every request and websocket goes through, the first one first."""
    return (
        Middleware(request_log.RequestLog),
        Middleware(identity.Guard),
        Middleware(request_limits.RequestLimiter, upload_mb=upload_mb),
    )


def raise_file_limit() -> None:
    """Allow ``OPEN_FILES``, as far as the system does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))


def serve(host: str, port: int) -> None:
    """Serve until the process is told to end; both ways of telling it end it well."""
    for told in (signal.SIGINT, signal.SIGTERM):
        signal.signal(told, lambda *_: sys.exit(0))
    raise_file_limit()
    # Or uvicorn would take the client's address from a header, where the client is this
    # machine: whoever is let in by address could be anybody who names one.
    os.environ["FORWARDED_ALLOW_IPS"] = ""
    auth, provider = identity.auth(), identity.provider_of_environment()
    secrets: dict[str, SecretsValue] = {}
    if auth.way == "oidc" and provider:
        secrets["auth"] = dict(provider)
    if os.environ.get(LOG_VARIABLE) == "json":
        request_log.log_json()
    upload_mb = int(os.environ.get(UPLOAD_VARIABLE) or UPLOAD_MB)
    # A folder named pages beside the app is no navigation of Streamlit's own.
    PagesManager.uses_pages_directory = False
    app = st.App(APP, secrets=secrets, routes=ROUTES, middleware=middleware(upload_mb))
    own = identity.server_options(auth, host)
    limits = request_limits.server_options(upload_mb)
    where = {"server.address": host, "server.port": port}
    app.run(config={**OPTIONS, **own, **limits, **where})


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
