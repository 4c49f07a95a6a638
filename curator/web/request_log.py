"""The server's log as JSON lines: requests and how long they took, and no text.

A line never holds a text, a name, a query string, a cookie or a token: paths are
reduced to those that are known, an error to its class and the place in the code.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
import traceback
from collections.abc import Container, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOGGER = logging.getLogger("curator.requests")

KNOWN = (
    *("/healthz", "/oauth2callback", "/auth/login", "/auth/logout"),
    *("/_stcore/stream", "/_stcore/health", "/_stcore/upload_file"),
    *("/_stcore/host-config", "/_stcore/metrics", "/media", "/static", "/component"),
)
NOISY = ("/healthz", "/_stcore/health", "/static")
"""Requests that are too many to be logged."""


def known_path(path: str, pages: Container[str]) -> str:
    """Return the part of the path that the server knows; names are left out."""
    for prefix in KNOWN:
        if path == prefix or path.startswith(f"{prefix}/"):
            return prefix
    return path if path == "/" or path.strip("/") in pages else "other"


class RequestLog:
    """A line for each request, and for each page's connection when it ends."""

    def __init__(self, app: ASGIApp, pages: Container[str]) -> None:
        self.app, self.pages = app, pages
        self.open = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, then log the request and its status."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        began, status = time.monotonic(), 0
        is_page = scope["type"] == "websocket"
        path = known_path(scope["path"], self.pages)

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            elif message["type"] == "websocket.accept":
                status = 101
                self.open += 1
                _say("page opened", pages=self.open, peer=_peer(scope))
            await send(message)

        try:
            await self.app(scope, receive, sending)
        finally:
            took = time.monotonic() - began
            if is_page and status == 101:
                self.open -= 1
                _say("page closed", pages=self.open, seconds=round(took, 1))
            elif path not in NOISY or status >= 400:
                _say(
                    "request",
                    method=scope.get("method", "websocket"),
                    path=path,
                    status=status or 403,
                    milliseconds=round(1000 * took, 1),
                    peer=_peer(scope),
                )


def edit_handled(kind: str, ok: bool, seconds: float) -> None:
    """Log that an event of a browser was handled."""
    _say("handled", kind=kind, ok=ok, milliseconds=round(1000 * seconds, 1))


def message_refused(line: str) -> None:
    """Log that a message of a page was refused; ``line`` has no text of the message."""
    _say("message refused", why=line)


def _say(event: str, **fields: object) -> None:
    LOGGER.info(event, extra={"fields": fields})


def _peer(scope: Scope) -> str | None:
    peer = scope.get("client")
    return str(peer[0]) if peer else None


class Lines(logging.Formatter):
    """A record as a line of JSON, without what its message was filled with."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(
                timespec="milliseconds"
            ),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        fields = getattr(record, "fields", None)
        if record.name == LOGGER.name and isinstance(fields, Mapping):
            line |= {"event": record.msg, **fields}
        else:
            line["where"] = f"{Path(record.pathname).name}:{record.lineno}"
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            frames = traceback.extract_tb(error.__traceback__)[-5:]
            line["error"] = type(error).__name__
            line["trace"] = [f"{Path(f.filename).name}:{f.lineno}" for f in frames]
        return json.dumps(line)


def serving_line(address: str, users: str) -> str:
    """Return the first line of the log: where the app is served and who may come in."""
    record = LOGGER.makeRecord(
        *(LOGGER.name, logging.INFO, __file__, 0, "serving", (), None),
        extra={"fields": {"address": address, "who": users or "this machine alone"}},
    )
    return Lines().format(record)


def log_json(stream: TextIO | None = None) -> None:
    """Log everything in this process as such lines, on stderr.

    Streamlit and uvicorn would give each of their loggers a handler.
    """
    from streamlit import logger as streamlit_logger
    from uvicorn.config import LOGGING_CONFIG

    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(Lines())
    logging.getLogger().handlers[:] = [handler]
    LOGGER.setLevel(logging.INFO)
    streamlit_logger.setup_formatter = _passed_on
    LOGGING_CONFIG.update(handlers={}, loggers={})
    logging.getLogger("uvicorn.access").disabled = True  # ``RequestLog`` says it
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("streamlit", "uvicorn", "websockets"):
            _passed_on(logging.getLogger(name))
    logging.captureWarnings(True)
    threading.excepthook = lambda unhandled: logging.getLogger(__name__).error(
        "a thread ended", exc_info=unhandled.exc_value
    )


def _passed_on(logger: logging.Logger) -> None:
    logger.handlers.clear()
    logger.propagate = True
