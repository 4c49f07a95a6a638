"""An ASGI app asked once, without a server."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio


def asked_once(app: Any, scope: Any, receive: Any, send: Any) -> None:
    """Run the app on this request; in a thread, for the test's may run a loop."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(anyio.run, app, scope, receive, send).result()
