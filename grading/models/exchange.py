"""One request to a chat endpoint and what it brings: a response, or why there is none.

Values only, and none of the client's own errors: those keep the request's headers, in
which the key stands.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

from grading.models.protocol import Response
from grading.models.replies import Refusal, message, read_completion
from grading.models.streaming import Growing

if TYPE_CHECKING:
    from openai import AsyncOpenAI

CONNECT_SECONDS = 10.0  # a host that is not there is not waited for any longer
WHOLE_STREAM = 10  # times the timeout, which is for the silences in it
USAGE_SECONDS = 2.0  # how long token counts are waited for after the text has ended


class _BrokenOffError(Exception):
    """The connection ended in the middle of an answer."""


class Exchange:
    """The ways to put a request; ``timeout`` is in seconds."""

    def __init__(self, openai: ModuleType, key: str, timeout: float) -> None:
        self._openai = openai
        self._key = key
        self._timeout = timeout

    async def whole(
        self, client: AsyncOpenAI, request: dict[str, Any]
    ) -> Response | Refusal:
        """What a request brings within ``timeout``, to its last byte."""
        return await self._outcome(
            self._completion(client, request),
            f"gave no answer within {self._timeout:g} s",
        )

    async def in_pieces(
        self, client: AsyncOpenAI, request: dict[str, Any], show: Callable[[str], None]
    ) -> Response | Refusal:
        """What a request for a stream brings; ``show`` is given each piece of text.

        Between two events there are at most ``timeout`` seconds, and ``WHOLE_STREAM``
        times as many in all. What goes wrong after the text has ended is of no concern.
        """
        growing = Growing(self._key, show)
        loop = asyncio.get_running_loop()
        end = loop.time() + WHOLE_STREAM * self._timeout
        outcome = await self._outcome(
            self._stream(client, request, growing, end),
            f"sent no part of an answer for {self._timeout:g} s",
        )
        if isinstance(outcome, Response):
            return outcome
        if growing.is_whole:
            return growing.response()
        if loop.time() >= end:
            what = f"did not end its answer within {WHOLE_STREAM * self._timeout:g} s"
            return replace(outcome, what=what, arrived=growing.length)
        if growing.length:
            return replace(outcome, arrived=growing.length)
        return outcome

    async def _completion(
        self, client: AsyncOpenAI, request: dict[str, Any]
    ) -> Response | Refusal:
        create = client.chat.completions.with_raw_response.create
        async with asyncio.timeout(self._timeout):
            answer = await create(**request)
            return read_completion(answer.content, self._key)

    async def _stream(
        self,
        client: AsyncOpenAI,
        request: dict[str, Any],
        growing: Growing,
        end: float,
    ) -> Response | Refusal:
        now = asyncio.get_running_loop().time
        async with (
            asyncio.timeout(self._timeout) as limit,
            aclosing(self._received(client, request)) as body,
        ):
            async for received in body:
                if growing.feed(received):
                    wait = self._timeout
                    if growing.is_whole:
                        wait = min(wait, USAGE_SECONDS)
                    limit.reschedule(min(now() + wait, end))
                if growing.outcome is not None:
                    return growing.outcome
        return growing.end()

    async def _received(
        self, client: AsyncOpenAI, request: dict[str, Any]
    ) -> AsyncGenerator[bytes, None]:
        openai = self._openai
        create = client.chat.completions.with_streaming_response.create
        # Silence is the caller's to measure; the client would measure each byte's.
        patience = openai.Timeout(None, connect=min(CONNECT_SECONDS, self._timeout))
        try:
            async with create(**request, timeout=patience) as answer:
                async for received in answer.iter_bytes():
                    yield received
        except openai.OpenAIError:
            raise
        except Exception as error:
            # What its HTTP library raises then, the client hands on as it is, and its
            # version decides which library that is.
            raise _BrokenOffError(str(error)) from None

    async def _outcome(
        self, attempt: Awaitable[Response | Refusal], silence: str
    ) -> Response | Refusal:
        openai = self._openai
        try:
            return await attempt
        except (openai.APITimeoutError, TimeoutError):
            return Refusal(
                silence,
                way_out="try again later, with fewer requests at once or a longer "
                "timeout",
            )
        except openai.APIStatusError as error:
            return Refusal.by_status(
                error.status_code, error.body, error.response.headers, self._key
            )
        except (openai.APIConnectionError, _BrokenOffError) as error:
            cause = error.__cause__ or error
            connected = "Connect" not in type(cause).__name__
            return Refusal(
                "broke off the connection" if connected else "could not be reached",
                message(cause, self._key),
                way_out="check that the server runs, and its address",
            )
