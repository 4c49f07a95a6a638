"""Chat models at an OpenAI-compatible endpoint: OpenAI's own, vLLM, Ollama, ….

``openai`` is imported by the first ``ChatModel``. Texts are sent to the endpoint.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import KW_ONLY, InitVar, dataclass, field, replace
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any

from grading.errors import BrokenStreamError, EndpointError
from grading.models import endpoint
from grading.models.pacing import Pace
from grading.models.protocol import Batch, PromptParts, Response, encodable
from grading.models.replies import Refusal, ReplyReader, joined, message
from grading.models.schedule import Pending, Schedule
from grading.responders import ANSWER_LIMIT

if TYPE_CHECKING:
    from openai import AsyncOpenAI

ANSWER_TOKENS = 128  # a rating, or an answer of a few lines
REQUEST_VERSION = "one user message/1"  # bump when a prompt would be sent differently

CONNECT_SECONDS = 10.0  # time limit for the connection
LOCAL_START = 1  # concurrent requests at first, for a model on this machine
LONG_PAUSE = 5.0  # seconds, from which on ``note`` gives the reason
HEARTBEAT = 2.0  # seconds without a result, after which an empty one is yielded
STREAM_TIMEOUTS = 10  # a whole stream may take so many times the time-out
USAGE_SECONDS = 2.0  # wait for token counts after the end of the text
NO_KEY = "no-key"  # the client requires one; servers without keys ignore it

# New and old name of the same limit. OpenAI's newer models refuse the old one; other
# servers refuse the new one or, worse, ignore it and answer at length.
_LIMIT_NAMES = ("max_completion_tokens", "max_tokens")


def decoding_options(
    *,
    max_answer_tokens: int = ANSWER_TOKENS,
    system: str | None = None,
    temperature: float | None = 0.0,
    seed: int | None = None,
) -> tuple[tuple[str, str], ...]:
    """(option, value) pairs that affect answers, besides model and prompt.

    ``system`` and ``seed`` are left out if they are not sent; without a temperature
    the model uses its own, which is unknown.

    The endpoint's address is not included: one model may be served at two addresses,
    and an address may serve another model tomorrow. The endpoint's name of the model is
    its identity, so choose a specific one ("meta-llama/Llama-3.1-8B-Instruct", not
    "default").
    """
    options = {
        ANSWER_LIMIT: str(max_answer_tokens),
        "request": REQUEST_VERSION,
        "temperature": "the model's own",
        "system": system,
        "seed": None if seed is None else str(seed),
    }
    if temperature is not None:
        options["temperature"] = str(float(temperature))
    return tuple((name, value) for name, value in options.items() if value is not None)


PieceHandler = Callable[[str], None]
"""Called with each piece of an answer's text, in order."""

Attempt = tuple[Response | Refusal, float]
"""Result of one request, and the seconds until its first part arrived."""


@dataclass(repr=False, eq=False)
class ChatModel:
    """A model at an OpenAI-compatible endpoint.

    ``base_url`` is the endpoint's address; the default is OPENAI_BASE_URL, else
    OpenAI's. ``api_key`` defaults to OPENAI_API_KEY; only OpenAI itself requires one.
    ``concurrency`` is the maximum number of concurrent requests of one ``ask``, and the
    number at first unless the endpoint is on this machine (see ``pacing``).
    ``timeout`` is the maximum silence in seconds: answers are requested as streams, and
    a server without streams has this time for a whole answer. The defaults of both come
    from the environment (see ``endpoint``). Temporary failures (server errors, lost
    connections, invalid answers) are retried ``retries`` times, after ``backoff``
    seconds, doubled at each retry.

    The other options are those of ``decoding_options``. ``temperature`` None is for
    models that refuse 0: their answers may vary, and they are another responder. A
    seed is sent only if given: at temperature 0 it has no effect, and some servers
    refuse it.

    Raises MissingModelError if ``openai`` is not installed, and EndpointError for an
    invalid address, key or variable.
    """

    model: str
    _: KW_ONLY
    base_url: InitVar[str | None] = None
    api_key: InitVar[str | None] = None
    concurrency: int = field(default_factory=endpoint.concurrency)
    timeout: float = field(default_factory=endpoint.timeout)
    retries: int = 5
    max_answer_tokens: int = ANSWER_TOKENS
    system: str | None = None
    temperature: float | None = 0.0
    seed: int | None = None
    backoff: float = 0.5

    def __post_init__(self, base_url: str | None, api_key: str | None) -> None:
        if self.concurrency < 1:
            raise ValueError(f"concurrency is {self.concurrency}; give 1 or more")
        import openai

        self._openai = openai
        self.model = encodable(self.model)
        self._endpoint = endpoint.Endpoint.resolve(base_url, api_key)
        self._pace = Pace(
            most=self.concurrency,
            # A local model mostly answers one request at a time.
            start=LOCAL_START if self._endpoint.is_local else self.concurrency,
            timeout=self.timeout,
            backoff=self.backoff,
        )
        self._limit_name = _LIMIT_NAMES[0 if self._endpoint.is_openai else 1]
        self._counts_tokens = True  # the server takes ``stream_options``

    @property
    def note(self) -> str:
        """Reason for a long pause in one sentence; "" if there is no long pause."""
        seconds = self._pace.paused_until - time.monotonic()
        if seconds < LONG_PAUSE:
            return ""
        return (
            f"{self._endpoint.host} asks to wait; the next request is sent in "
            f"{seconds:.0f} s."
        )

    def __repr__(self) -> str:
        return f"ChatModel({self.model!r} at {self._endpoint.host})"

    def ask(self, prompts: Sequence[PromptParts]) -> Generator[Batch, None, None]:
        """Yield each prompt's response once, in batches as they are ready.

        No request begins while the caller handles a batch, so at most the requests
        under way can be lost. Closing the iterator cancels these. After a few seconds
        without a response an empty batch is yielded.

        A prompt that the server refuses, or does not answer after all retries, gets a
        response with that fault. A passage that is too long for the model is cut (see
        ``Response.cut``). If the server asks to wait, all requests wait.

        Raises EndpointError if the model cannot be asked at all (see ``schedule``).
        Then no other request begins; those under way have ``timeout`` more seconds, and
        their responses are yielded before the error.
        """
        if not prompts:
            return
        schedule = self._schedule(prompts)
        under_way: dict[Future[Attempt], Pending] = {}
        end = math.inf
        with self._requests() as begin:
            while under_way or not schedule.is_empty:
                for pending in schedule.start_due(len(under_way)):
                    under_way[begin(self._attempt, pending.prompt.text)] = pending
                patience = min(
                    schedule.seconds_until_due(), HEARTBEAT, end - time.monotonic()
                )
                patience = max(0.0, patience)
                if not under_way:
                    time.sleep(patience)
                done = wait(under_way, patience, return_when=FIRST_COMPLETED).done
                batch: Batch = []
                for future in done:
                    batch += schedule.record(under_way.pop(future), *future.result())
                if batch or patience == HEARTBEAT:
                    yield batch
                if schedule.failure is not None:
                    end = min(end, time.monotonic() + self.timeout)
                    if time.monotonic() >= end:
                        break
        if schedule.failure is not None:
            raise schedule.failure

    def attempt(self, prompt: str) -> tuple[Response | Refusal, float]:
        """Send one request without retries; return its result and its duration."""
        with self._requests() as begin:
            began = time.monotonic()
            result, _ = begin(self._attempt, prompt, lambda piece: None).result()
            return result, time.monotonic() - began

    def list_models(self, base_url: str) -> list[dict[str, Any]]:
        """List the models at this address of the server, [] if it lists none."""
        with self._requests() as begin:
            rows: list[dict[str, Any]] = begin(self._list_models, base_url).result()
        return rows

    def _schedule(self, prompts: Sequence[PromptParts]) -> Schedule:
        return Schedule(
            prompts,
            self._pace,
            retries=self.retries,
            describe=self._describe,
            error=self._error,
        )

    def stream(self, prompt: str) -> Generator[Response, None, None]:
        """Yield the response as it grows; the last one is complete.

        Each yield holds the text so far. All but the last are ``unfinished`` and have
        no token counts; the last may have the same text as the one before it. It is the
        only one if the server does not stream, or if the answer is empty. At most
        ``LONGEST_TEXT`` characters are read. Text that arrives while the caller is busy
        is yielded together.

        Before the first text everything is as in ``ask``: temporary failures are
        retried, a refused prompt gets a response with that fault, and after a few
        seconds of silence an empty response is yielded. Later failures are not retried:
        they raise BrokenStreamError. Closing the iterator cancels the request.

        ``timeout`` limits the silence before each event, text or thoughts; one request
        may take ``STREAM_TIMEOUTS`` times as long.
        """
        pieces: SimpleQueue[str | None] = SimpleQueue()
        schedule = self._schedule([PromptParts("", prompt, "")])
        text = yielded = ""
        results: Batch = []
        with self._requests() as begin:
            while not schedule.is_empty:
                begun = schedule.start_due(0)
                for pending in begun:
                    show = pieces.put if pending.position == 0 else None
                    future = begin(self._attempt, pending.prompt.text, show)
                    future.add_done_callback(lambda _: pieces.put(None))
                    while (piece := pieces.get()) is not None:
                        text += piece
                        if pieces.empty():
                            yielded = text
                            yield Response(joined(text), unfinished=True)
                    if text != yielded:
                        yield Response(joined(text), unfinished=True)
                    result, seconds = future.result()
                    if isinstance(result, Refusal) and result.arrived is not None:
                        raise self._error(result, 1)
                    results += schedule.record(pending, result, seconds)
                if not begun:
                    pause = min(schedule.seconds_until_due(), HEARTBEAT)
                    time.sleep(pause)
                    if pause == HEARTBEAT:
                        yield Response("", unfinished=True)
        if schedule.failure is not None:
            raise schedule.failure
        ((_, response),) = results
        yield response

    @contextmanager
    def _requests(self) -> Generator[Callable[..., Future[Any]]]:
        """Provide a function that begins requests; cancel unfinished ones at the end.

        The function takes a coroutine function and its arguments after the client. All
        requests share one event loop in one thread, so that each can be cancelled at
        once and none outlives the context.
        """
        client = self._openai.AsyncOpenAI(
            api_key=self._endpoint.key or NO_KEY,
            base_url=self._endpoint.url,
            # The client does not retry invalid bodies, and its time-out starts again
            # with every byte that keeps the connection alive.
            max_retries=0,
            timeout=self._openai.Timeout(
                None, connect=min(CONNECT_SECONDS, self.timeout)
            ),
            # Texts are sent to the named server only, not to where it redirects.
            http_client=self._openai.DefaultAsyncHttpxClient(follow_redirects=False),
        )
        loop, closing = asyncio.new_event_loop(), asyncio.Event()

        async def until_closed() -> None:
            await closing.wait()
            under_way = asyncio.all_tasks() - {asyncio.current_task()}
            for request in under_way:
                request.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)
            await client.close()

        def serve() -> None:
            with asyncio.Runner(loop_factory=lambda: loop) as runner:
                runner.run(until_closed())

        def begin(request: Callable[..., Any], *arguments: Any) -> Future[Any]:
            coroutine = request(client, *arguments)
            return asyncio.run_coroutine_threadsafe(coroutine, loop)

        # A daemon: an iterator that was not closed must not keep the process alive.
        thread = Thread(target=serve, name="chat-requests", daemon=True)
        thread.start()
        try:
            yield begin
        finally:
            loop.call_soon_threadsafe(closing.set)
            thread.join()

    async def _list_models(
        self, client: AsyncOpenAI, base_url: str
    ) -> list[dict[str, Any]]:
        try:
            async with asyncio.timeout(min(CONNECT_SECONDS, self.timeout)):
                page = await client.with_options(base_url=base_url).models.list()
            return [model.to_dict() for model in page.data]
        # The list is only additional information, so errors are ignored.
        except Exception:
            return []

    async def _attempt(
        self, client: AsyncOpenAI, prompt: str, show: PieceHandler | None = None
    ) -> Attempt:
        """Send one request, again with other parameters if the server refuses some."""
        first_name = limit_name = self._limit_name
        counts_tokens = self._counts_tokens
        while True:
            request = self._request(prompt, limit_name)
            if counts_tokens:
                request["stream_options"] = {"include_usage": True}
            result, seconds = await self._result(client, request, show)
            if isinstance(result, Response):
                self._limit_name, self._counts_tokens = limit_name, counts_tokens
            elif counts_tokens and (
                result.is_about("stream_options") or result.is_about("include_usage")
            ):
                counts_tokens = False
                continue
            elif limit_name == first_name and result.is_about(limit_name):
                (limit_name,) = set(_LIMIT_NAMES) - {limit_name}
                continue
            return result, seconds

    def _request(self, prompt: str, limit_name: str) -> dict[str, Any]:
        messages = [{"role": "user", "content": encodable(prompt)}]
        if self.system is not None:
            messages.insert(0, {"role": "system", "content": encodable(self.system)})
        request = {
            "model": self.model,
            "messages": messages,
            limit_name: self.max_answer_tokens,
            "temperature": self.temperature,
            "seed": self.seed,
            "stream": True,
        }
        return {name: value for name, value in request.items() if value is not None}

    async def _result(
        self, client: AsyncOpenAI, request: dict[str, Any], show: PieceHandler | None
    ) -> Attempt:
        """Send one request; return its result and the seconds until its first part.

        The time-out applies to each pause between two events of a stream;
        ``STREAM_TIMEOUTS`` times as much to all of it. Failures after the end of the
        text are ignored.
        """
        openai, now = self._openai, asyncio.get_running_loop().time
        timeout = self.timeout if show else self._pace.timeout
        begin = now()
        end, first = begin + timeout * STREAM_TIMEOUTS, math.inf
        reply = ReplyReader(show or (lambda piece: None))
        ask = client.chat.completions.with_streaming_response.create
        try:
            async with asyncio.timeout(timeout) as limit, ask(**request) as answer:
                async for line in answer.iter_lines():
                    if reply.read(line):
                        first = min(first, now())
                        wait = USAGE_SECONDS if reply.is_complete else timeout
                        limit.reschedule(min(now() + min(wait, timeout), end))
                    if reply.result is not None:
                        break
            result = reply.end()
        except (openai.APITimeoutError, TimeoutError):
            what = f"sent no part of an answer for {timeout:g} s"
            result = Refusal(what, is_timeout=True)
        except openai.APIStatusError as error:
            result = Refusal.by_status(
                error.status_code, error.body, error.response.headers
            )
        except Exception as error:
            # During an answer the client passes on errors of its HTTP library.
            is_http = type(error).__module__.startswith("httpx")
            if not is_http and not isinstance(error, openai.APIConnectionError):
                raise
            cause = error if is_http else error.__cause__ or error
            connected = "Connect" not in type(cause).__name__
            what = "broke off the connection" if connected else "could not be reached"
            result = Refusal(what, str(cause), cause=cause)
        seconds = min(first, now()) - begin
        if isinstance(result, Refusal) and reply.is_complete:
            result = reply.response()
        if isinstance(result, Response):
            if result.unfinished and not result.fault:
                fault = f"cut off at the limit of {self.max_answer_tokens:,} tokens"
                result = replace(result, fault=fault)
            return result, seconds
        if now() >= end:
            what = f"did not end its answer within {timeout * STREAM_TIMEOUTS:g} s"
            # A retry would take as long.
            return replace(result, what=what, arrived=len(reply.text)), seconds
        if show and reply.text:
            result = replace(result, arrived=len(reply.text))
        return result, seconds

    def _describe(self, refusal: Refusal, attempts: int = 1) -> str:
        """Describe a refusal, with the server's own message."""
        what = refusal.what
        if attempts > 1:
            what += f", {attempts} times"
        words = message(refusal.body, self._endpoint.key)
        return f"{what} ({words})" if words else what

    def _error(self, refusal: Refusal, attempts: int) -> EndpointError:
        hint, what, kind = refusal.hint, refusal.what, EndpointError
        if self.temperature is not None and refusal.is_about("temperature"):
            hint = (
                f"it does not take temperature {self.temperature:g}; use another "
                "model, or this one without a temperature (temperature=None), with "
                "answers that may vary"
            )
        elif self.seed is not None and refusal.is_about("seed"):
            hint = "it takes no seed; leave it out"
        if refusal.arrived:
            what += f" after {refusal.arrived} characters of its answer"
            hint, kind = "ask again for a complete one", BrokenStreamError
        words = self._describe(replace(refusal, what=what), attempts)
        where = f"Model '{self.model}' at {self._endpoint.host}"
        return kind(f"{where} {words}: {hint}")
