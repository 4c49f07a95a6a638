"""Limits of requests, uploads and open pages of one person, refused in one line.

Requests and open pages are counted by user where people sign in or a proxy names them,
otherwise by address.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio

from curator.errors import SignInError
from curator.formats.limits import MB, UPLOAD_MB
from curator.web import identity, page_messages, request_log

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONNECTIONS, CONNECTIONS_EACH = 200, 50
"""Pages that are open at once, of all people together and of one person."""
A_SECOND, AT_ONCE = 50.0, 500.0
"""Requests of one person: so many a second, and so many at once after a pause."""
MESSAGES_A_SECOND, MESSAGES_AT_ONCE = 30.0, 300.0
"""Messages of one page; those beyond are read later."""
UPLOADS_HELD = 5
"""Uploads of the largest size that one page may hold in memory."""
KNOWN = 10_000  # people whose requests are counted


def server_options(upload_mb: int = UPLOAD_MB) -> dict[str, int]:
    """Return the limits that Streamlit keeps itself."""
    return {
        "server.maxUploadSize": upload_mb,
        "server.maxWidgetStateSize": page_messages.MESSAGE_MB,
    }


@dataclass
class Allowance:
    """Requests that each may still make: ``a_second`` more, up to ``at_once``."""

    a_second: float = A_SECOND
    at_once: float = AT_ONCE
    clock: Callable[[], float] = time.monotonic
    _remaining: dict[str, tuple[float, float]] = field(default_factory=dict)

    def take(self, who: str) -> bool:
        """Return True if one more is allowed now, and count it."""
        now = self.clock()
        remaining, at = self._remaining.pop(who, (self.at_once, now))
        remaining = min(self.at_once, remaining + (now - at) * self.a_second)
        if len(self._remaining) >= KNOWN:
            self._remaining.pop(
                next(iter(self._remaining))
            )  # the one not heard of for longest
        self._remaining[who] = (remaining - 1 if remaining >= 1 else remaining, now)
        return remaining >= 1


class RequestLimiter:
    """Refuses requests beyond the limits with 429, 413 or 503."""

    def __init__(
        self,
        app: ASGIApp,
        upload_mb: int = UPLOAD_MB,
        connections: int = CONNECTIONS,
        allowance: Allowance | None = None,
    ) -> None:
        self.app = app
        self.most_bytes = (upload_mb + 1) * MB  # a form around the file
        self.connections = connections
        self.allowance = allowance or Allowance()
        self.open: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or pass on to the app."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        line, status = self.refusal(scope)
        if line:
            await identity.refuse(scope, receive, send, line, status)
        elif scope["type"] == "http":
            await self.app(scope, self._cut_off(receive), send)
        else:
            user = _user(scope)
            self.open[user] += 1
            try:
                await self.app(scope, *_checked_messages(receive, send))
            finally:
                self.open[user] -= 1
                self.open += Counter()  # drops users without a page

    def refusal(self, scope: Scope) -> tuple[str, int]:
        """Return why a request is refused, or "", and the status."""
        user = _user(scope)
        # A page loads dozens of Streamlit's own files at once.
        is_static = scope["path"].startswith("/static/")
        if not (is_static or self.allowance.take(user)):
            return "Too many requests: wait.", 429
        if scope["type"] == "websocket":
            if self.open.total() >= self.connections:
                return f"{self.connections} pages are open; no more at once.", 503
            if self.open[user] >= CONNECTIONS_EACH:
                return f"You have {CONNECTIONS_EACH} pages open: close some.", 503
            return "", 0
        length = next(iter(identity.header_values(scope, "content-length")), b"")
        size = int(length) if length.isdigit() else 0
        if _uploads_held(scope) + size > UPLOADS_HELD * self.most_bytes:
            return "This page holds too many uploaded files: reload it.", 413
        return ("That is too large.", 413) if size > self.most_bytes else ("", 0)

    def _cut_off(self, receive: Receive) -> Receive:
        """The body, cut off where it is longer than anything may be."""
        taken = 0

        async def limited() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self.most_bytes:
                return {"type": "http.disconnect"}
            return message

        return limited


def _checked_messages(receive: Receive, send: Send) -> tuple[Receive, Send]:
    """Close a page's websocket at the first message that ``page_messages`` refuses."""
    allowance = Allowance(MESSAGES_A_SECOND, MESSAGES_AT_ONCE)
    refused = False

    async def receive_checked() -> Message:
        nonlocal refused
        message = await receive()
        if message["type"] != "websocket.receive":
            return message
        while not allowance.take(""):
            await anyio.sleep(1 / MESSAGES_A_SECOND)
        line = page_messages.refusal(message)
        if not line:
            return message
        refused = True
        request_log.message_refused(line)
        await send({"type": "websocket.close", "code": 1008, "reason": line})
        return {"type": "websocket.disconnect", "code": 1008}

    async def send_while_open(message: Message) -> None:
        if not refused:
            await send(message)

    return receive_checked, send_while_open


def _uploads_held(scope: Scope) -> int:
    """Bytes held in memory for the page that an upload comes from."""
    from streamlit import runtime

    _, upload, path = scope["path"].partition("/_stcore/upload_file/")
    if not upload or scope["method"] != "PUT" or not runtime.exists():
        return 0
    manager = runtime.get_instance().uploaded_file_mgr
    files = getattr(manager, "file_storage", {}).get(path.partition("/")[0], {})
    return sum(len(file.data) for file in [*files.values()])


def _user(scope: Scope) -> str:
    auth = identity.auth()
    if auth.way == "header":
        names = identity.header_values(scope, auth.header)
        return names[0].decode("latin-1") if names else ""
    if auth.way == "oidc":
        with suppress(SignInError):
            return identity.name_in(auth, identity.user_of_cookie(scope), time.time())
    peer = scope.get("client")
    return str(peer[0]) if peer else ""
