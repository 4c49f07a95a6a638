"""The server's process: Streamlit behind Curator's middleware and routes.

``python -m curator.web.server_app HOST PORT WORKSPACE``; the workspace stands there for
people who read a process list.
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
from curator.web.components.places import ADDRESSES
from curator.web.server import APP, LOG_VARIABLE, OPTIONS, UPLOAD_VARIABLE


def first_html(_: Request) -> HTMLResponse:
    """Streamlit's HTML with Curator's title, and its colours before any script runs."""
    html = (Path(st.__file__).parent / "static" / "index.html").read_text("utf-8")
    light, dark = (OPTIONS[f"theme.{t}.backgroundColor"] for t in ("light", "dark"))
    colours = f"color-scheme: light dark; background: light-dark({light}, {dark})"
    html = html.replace("<title>Streamlit</title>", "<title>Curator</title>")
    html = html.replace("</head>", f"<style>html {{ {colours} }}</style></head>")
    return HTMLResponse(html, headers={"Cache-Control": "no-cache"})


# Matched before Streamlit's own routes.
ROUTES: Sequence[BaseRoute] = (
    health.ROUTE,
    *(Route(f"/{address}", first_html) for address in ("", *sorted(ADDRESSES))),
)

# A page has four open files, three of them until two minutes after it is closed. All
# pages that may be open exceed 1,024, the limit of many systems.
OPEN_FILES = 4096


def middleware(upload_mb: int) -> Sequence[Middleware]:
    """Return what every request and websocket passes, in this order."""
    return (
        Middleware(request_log.RequestLog, pages=ADDRESSES),
        Middleware(identity.Guard),
        Middleware(request_limits.RequestLimiter, upload_mb=upload_mb),
    )


def raise_file_limit() -> None:
    """Allow ``OPEN_FILES`` open files, as far as the system does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))


def serve(host: str, port: int) -> None:
    """Serve until SIGINT or SIGTERM."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))
    raise_file_limit()
    # Uvicorn would take the client's address from a header, which anybody can send.
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
    auth_options = identity.server_options(auth, host)
    limits = request_limits.server_options(upload_mb)
    where = {"server.address": host, "server.port": port}
    app.run(config={**OPTIONS, **auth_options, **limits, **where})


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
