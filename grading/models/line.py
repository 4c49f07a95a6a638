"""Many requests under way at once, for a caller that is not asynchronous itself."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import Future
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from openai import AsyncOpenAI

Result = TypeVar("Result")


class Line:
    """A client and the thread in which its requests run, side by side.

    An event loop rather than a thread a request: a request under way can be given up
    at once, wherever it is, and none outlives the line.
    """

    def __init__(self, client: AsyncOpenAI) -> None:
        self.client = client
        self._loop = asyncio.new_event_loop()
        self._closing = asyncio.Event()
        # A daemon: an iterator that nobody closed must not keep a process alive.
        self._thread = Thread(target=self._serve, name="chat-requests", daemon=True)

    def __enter__(self) -> Line:
        self._thread.start()
        return self

    def run(self, request: Coroutine[Any, Any, Result]) -> Future[Result]:
        """Start a request that uses ``client``."""
        return asyncio.run_coroutine_threadsafe(request, self._loop)

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join()

    def _serve(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._until_closed())

    async def _until_closed(self) -> None:
        await self._closing.wait()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for request in others:
            request.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self.client.close()
