"""Chat models behind an OpenAI-compatible endpoint: OpenAI's own, vLLM, Ollama, ….

Importing this module loads nothing heavy: ``openai`` comes in with the first
``ChatModel``. Texts are sent to whoever runs the endpoint.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Callable, Collection, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import KW_ONLY, InitVar, dataclass, field, replace
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any

from grading.errors import BrokenStreamError, EndpointError, MissingModelError
from grading.models import endpoint
from grading.models.pacing import Pace
from grading.models.protocol import Asked, Batch, Response, encodable
from grading.models.replies import LONGEST_EVENT, Growing, Refusal, message
from grading.models.schedule import Pending, Schedule
from grading.responders import ANSWER_LIMIT

if TYPE_CHECKING:
    from openai import AsyncOpenAI

ANSWER_TOKENS = 128  # a rating, or an answer of a few lines
REQUEST_VERSION = "one user message/1"  # bump when a prompt would be sent otherwise

CONNECT_SECONDS = 10.0  # a host that is not there is not waited for any longer
LOCAL_START = 1  # requests at once in the beginning, where the model is on this machine
LONG_PAUSE = 5.0  # seconds; whoever waits is told why
BEAT = 2.0  # seconds after which a caller hears that nothing has come
WHOLE_STREAM = 10  # times the timeout, which is for the silences in it
USAGE_SECONDS = 2.0  # how long token counts are waited for after the text has ended
NO_KEY = "no-key"  # the client insists on one; servers without keys ignore it

TOO_SLOW = "try again later, with fewer requests at once or a longer timeout"

# The same limit under its new and its old name. OpenAI's newer models refuse the old
# one; other servers refuse the new one or, worse, pass over it and answer at length.
_LIMIT_NAMES = ("max_completion_tokens", "max_tokens")

_IN_PIECES: dict[str, Any] = {
    "stream": True,
    "stream_options": {"include_usage": True},
}


def decoding_options(
    *,
    max_answer_tokens: int = ANSWER_TOKENS,
    system: str | None = None,
    temperature: float | None = 0.0,
    seed: int | None = None,
) -> tuple[tuple[str, str], ...]:
    """What beside model and prompt can change an answer, as (option, value) pairs.

    ``system`` and ``seed`` are left out where they are not sent; without a temperature
    the model uses its own, and says not which.

    The endpoint's address is not among them: the same model may stand at two
    addresses, and one address may serve another model tomorrow. A model is what whoever
    runs the endpoint calls by its name, so give it a name that says what it is
    ("meta-llama/Llama-3.1-8B-Instruct", not "default").
    """
    own = "the model's own"
    options = {
        ANSWER_LIMIT: str(max_answer_tokens),
        "request": REQUEST_VERSION,
        "temperature": own if temperature is None else str(float(temperature)),
        "system": system,
        "seed": None if seed is None else str(seed),
    }
    return tuple((name, value) for name, value in options.items() if value is not None)


Show = Callable[[str], None]
"""Given each piece of an answer's text, in order."""

Attempt = tuple[Response | Refusal, float]
"""Result of one request, and the seconds until its first part came."""


@dataclass(repr=False, eq=False)
class ChatModel:
    """One model at an OpenAI-compatible endpoint.

    ``base_url`` is the endpoint's address, else OPENAI_BASE_URL, else OpenAI's. The
    key is ``api_key``, else OPENAI_API_KEY; only OpenAI itself cannot do without.
    ``concurrency`` is how many requests of one ``ask`` are under way at most, and how
    many in the beginning unless the endpoint is on this machine (see ``pacing``).
    ``timeout`` is in seconds and for silence: answers are asked for as streams, and a
    server that sends none has so long for the whole answer. The environment says both
    where they are not given (see ``endpoint``). What passes (errors inside the server,
    lost connections, answers that are none) is retried ``retries`` times, after
    ``backoff`` seconds and twice as many each time.

    The other options are ``decoding_options``'. ``temperature`` None is for models that
    refuse 0: their answers may differ from one asking to the next, and they are another
    responder. No seed is sent unless one is given, for at temperature 0 it decides
    nothing and some servers refuse it.

    Raises MissingModelError where ``openai`` is not installed, and EndpointError for an
    address, a key or a variable that cannot be one.
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
            raise ValueError(
                f"concurrency is {self.concurrency}; one request is the least"
            )
        try:
            import openai
        except ImportError:
            raise MissingModelError(
                'Chat models need the openai package: pip install "exam-curator[chat]"'
            ) from None
        self._openai = openai
        self.model = encodable(self.model)
        self._endpoint = endpoint.Endpoint.given(base_url, api_key)
        self._pace = Pace(
            most=self.concurrency,
            # A model on one's own machine mostly answers one request at a time.
            start=LOCAL_START if self._endpoint.is_here else self.concurrency,
            timeout=self.timeout,
            backoff=self.backoff,
        )
        self._answered = -math.inf
        self._limit_name = _LIMIT_NAMES[0 if self._endpoint.is_openai else 1]
        self._stream_fields = _IN_PIECES

    @property
    def note(self) -> str:
        """Reason for a long pause in one sentence; "" where requests are sent."""
        seconds = self._pace.paused_until - time.monotonic()
        if seconds < LONG_PAUSE:
            return ""
        return (
            f"{self._endpoint.host} asks to wait: the next request is sent in "
            f"{seconds:.0f} s."
        )

    def __repr__(self) -> str:
        return f"ChatModel({self.model!r} at {self._endpoint.host})"

    def ask(self, prompts: Sequence[Asked]) -> Generator[Batch, None, None]:
        """Each prompt's response once, in batches of what is ready.

        Nothing new is asked while a batch is in the caller's hands, so what a caller
        can lose is what is under way. Closing the iterator gives that up as well. An
        empty batch comes every few seconds in which nothing else does.

        A prompt that the server refuses, or does not answer after every retry, has a
        response with that fault; a passage that is too long for the model is cut, as
        ``Response.cut`` says. Where the server asks for patience all wait.

        Raises EndpointError where the model cannot be asked at all (see ``schedule``).
        Then no other request begins; those under way have ``timeout`` more seconds, and
        what they bring is yielded before the error.
        """
        if not prompts:
            return
        schedule = self._schedule(prompts)
        under_way: dict[Future[Attempt], Pending] = {}
        end = math.inf
        with self._requests() as begin:
            while under_way or not schedule.is_empty:
                for pending in schedule.due(len(under_way)):
                    under_way[begin(self._attempt, pending.prompt.text)] = pending
                patience = min(schedule.seconds_left(), BEAT, end - time.monotonic())
                done = self._wait(under_way, max(0.0, patience))
                batch: Batch = []
                for future in done:
                    batch += schedule.take(under_way.pop(future), *future.result())
                self._answered = schedule.answered
                if batch or patience == BEAT:
                    yield batch
                if schedule.failure is not None:
                    end = min(end, time.monotonic() + self.timeout)
                    if time.monotonic() >= end:
                        break
        if schedule.failure is not None:
            raise schedule.failure

    def attempt(self, prompt: str) -> tuple[Response | Refusal, float]:
        """Result of one request, which is not repeated, and the seconds it took."""
        with self._requests() as begin:
            began = time.monotonic()
            result, _ = begin(self._attempt, prompt, lambda piece: None).result()
            return result, time.monotonic() - began

    def listing(self, base_url: str) -> list[dict[str, Any]]:
        """Models that this address of the server lists, [] where it lists none."""
        with self._requests() as begin:
            rows: list[dict[str, Any]] = begin(self._listing, base_url).result()
        return rows

    def _schedule(self, prompts: Sequence[Asked]) -> Schedule:
        return Schedule(
            prompts,
            self._pace,
            retries=self.retries,
            backoff=self.backoff,
            words=self._words,
            error=self._error,
            answered=self._answered,
        )

    def _wait(
        self, under_way: Collection[Future[Attempt]], seconds: float
    ) -> Collection[Future[Attempt]]:
        """Requests that have ended, waiting at most this long for the first."""
        if not under_way:
            time.sleep(seconds)
        return wait(under_way, seconds, return_when=FIRST_COMPLETED).done

    def stream(self, prompt: str) -> Generator[Response, None, None]:
        """The response as it grows: each yield is all that has arrived, the last is
        whole.

        All but the last are ``unfinished`` and without token counts; the last may say
        no more than the one before it. It is the only one where the server sends its
        answer as one, or an answer without words, which is "". Of a server that never
        ends, ``LONGEST_TEXT`` characters are taken. What arrives while the caller is
        busy is one step, so nobody falls behind.

        Until there is text all is as in ``ask``: what passes is retried, a prompt that
        is refused has a response with that fault, and every few seconds a response says
        that nothing has come. From then on nothing is asked again: BrokenStreamError
        says in one line what went wrong, and what was yielded stands. Closing the
        iterator gives the request up.

        ``timeout`` is for the silence before each event, be it text or the thoughts of
        a model that thinks first; one request may take ``WHOLE_STREAM`` times as long.
        """
        pieces: SimpleQueue[str | None] = SimpleQueue()
        schedule = self._schedule([Asked("", prompt, "")])
        text = yielded = ""
        results: Batch = []
        with self._requests() as begin:
            while not schedule.is_empty:
                begun = schedule.due(0)
                for pending in begun:
                    show = pieces.put if pending.position == 0 else None
                    future = begin(self._attempt, pending.prompt.text, show)
                    future.add_done_callback(lambda _: pieces.put(None))
                    while (piece := pieces.get()) is not None:
                        text += piece
                        if pieces.empty():
                            yielded = text
                            yield Response(text, unfinished=True)
                    if text != yielded:
                        yield Response(text, unfinished=True)
                    result, seconds = future.result()
                    if isinstance(result, Refusal) and result.arrived is not None:
                        raise self._error(result, 1)
                    results += schedule.take(pending, result, seconds)
                if not begun:
                    pause = min(schedule.seconds_left(), BEAT)
                    time.sleep(pause)
                    if pause == BEAT:
                        yield Response("", unfinished=True)
        self._answered = schedule.answered
        if schedule.failure is not None:
            raise schedule.failure
        ((_, response),) = results
        yield response

    @contextmanager
    def _requests(self) -> Generator[Callable[..., Future[Any]]]:
        """A function that begins a request; at the end those under way are given up.

        It takes a coroutine function and that function's arguments after the client.
        The requests share an event loop in one thread, rather than having a thread
        each: one can be given up at once, and none outlives this.
        """
        client = self._openai.AsyncOpenAI(
            api_key=self._endpoint.key or NO_KEY,
            base_url=self._endpoint.url,
            # Its own retries know nothing of bodies that are no answer, and its
            # timeout begins anew with every byte of a server that keeps the line warm.
            max_retries=0,
            timeout=self._openai.Timeout(
                None, connect=min(CONNECT_SECONDS, self.timeout)
            ),
            # Whoever was named is asked, and nobody that it would send texts on to.
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

        # A daemon: an iterator that nobody closed must not keep a process alive.
        thread = Thread(target=serve, name="chat-requests", daemon=True)
        thread.start()
        try:
            yield begin
        finally:
            loop.call_soon_threadsafe(closing.set)
            thread.join()

    async def _listing(
        self, client: AsyncOpenAI, base_url: str
    ) -> list[dict[str, Any]]:
        models = client.with_options(base_url=base_url).models
        received = bytearray()
        try:
            async with (
                asyncio.timeout(min(CONNECT_SECONDS, self.timeout)),
                models.with_streaming_response.list() as answer,
            ):
                async for part in answer.iter_bytes():
                    received += part
                    if len(received) > LONGEST_EVENT:
                        return []
            rows = json.loads(received)["data"]
        # It is asked for only where something else has failed, or beside an answer.
        except Exception:
            return []
        rows = rows if isinstance(rows, list) else []
        return [row for row in rows if isinstance(row, dict)]

    async def _attempt(
        self, client: AsyncOpenAI, prompt: str, show: Show | None = None
    ) -> Attempt:
        """Result of one request, in the form that the server takes."""
        limit_name, in_pieces = self._limit_name, self._stream_fields
        refused_limit: Refusal | None = None
        while True:
            request = self._request(prompt, limit_name) | in_pieces
            result, seconds = await self._result(client, request, show)
            if isinstance(result, Response):
                self._limit_name, self._stream_fields = limit_name, in_pieces
                return result, seconds
            if "stream_options" in in_pieces and (
                result.is_about("stream_options") or result.is_about("include_usage")
            ):
                in_pieces = {"stream": True}
            elif in_pieces and result.is_about("stream"):
                in_pieces = {}
            elif result.is_about(limit_name) and refused_limit is None:
                refused_limit = result
                (limit_name,) = set(_LIMIT_NAMES) - {limit_name}
            elif result.is_about(limit_name):
                # Both names refused: it is the limit, and the first says why.
                return refused_limit or result, seconds
            else:
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
        }
        return {name: value for name, value in request.items() if value is not None}

    async def _result(
        self, client: AsyncOpenAI, request: dict[str, Any], show: Show | None
    ) -> Attempt:
        """Result of one request within the time-out, and when it began to come.

        Of a stream there are at most so many seconds between two events, and
        ``WHOLE_STREAM`` times as many in all. What goes wrong after the text has ended
        is of no concern.
        """
        openai, now = self._openai, asyncio.get_running_loop().time
        is_stream = "stream" in request
        timeout = self.timeout if show else self._pace.timeout
        longest = timeout * (WHOLE_STREAM if is_stream else 1)
        begin = now()
        end, first = begin + longest, math.inf
        growing = Growing(show or (lambda piece: None))
        ask = client.chat.completions.with_streaming_response.create
        try:
            async with asyncio.timeout(timeout) as limit, ask(**request) as answer:
                async for received in answer.iter_bytes():
                    if growing.feed(received):
                        first = min(first, now())
                        wait = USAGE_SECONDS if growing.is_whole else timeout
                        limit.reschedule(min(now() + min(wait, timeout), end))
                    if growing.result is not None:
                        break
            result = growing.end()
            if isinstance(result, Response) and result.unfinished:
                fault = f"cut off at the limit of {self.max_answer_tokens:,} tokens"
                result = replace(result, fault=result.fault or fault)
        except (openai.APITimeoutError, TimeoutError):
            what = (
                "sent no part of an answer for"
                if is_stream
                else "gave no answer within"
            )
            what = f"{what} {timeout:g} s"
            result = Refusal(what, way_out=TOO_SLOW, is_timeout=True)
        except openai.APIStatusError as error:
            result = Refusal.by_status(
                error.status_code, error.body, error.response.headers
            )
        except Exception as error:
            # In mid-answer the client hands on what its HTTP library raises.
            is_http = type(error).__module__.startswith("httpx")
            if not is_http and not isinstance(error, openai.APIConnectionError):
                raise
            cause = error if is_http else error.__cause__ or error
            connected = "Connect" not in type(cause).__name__
            result = Refusal(
                "broke off the connection" if connected else "could not be reached",
                str(cause),
                way_out="check that the server runs, and its address",
                cause=cause,
            )
        seconds = min(first, now()) - begin
        if isinstance(result, Response) or not is_stream:
            return result, seconds
        if growing.is_whole:
            return growing.response(), seconds
        if now() >= end:
            what = f"did not end its answer within {longest:g} s"
            # Asked again, it would take as long.
            return replace(result, what=what, arrived=growing.length), seconds
        if show is None:  # nobody has seen the part that came
            return result, seconds
        return replace(result, arrived=growing.length or None), seconds

    def _words(self, refusal: Refusal, attempts: int = 1) -> str:
        """Description of a refusal, with the server's own words."""
        what = refusal.what
        if attempts > 1:
            what += f", {attempts} times"
        words = message(refusal.body, self._endpoint.key)
        return f"{what} ({words})" if words else what

    def _error(self, refusal: Refusal, attempts: int) -> EndpointError:
        way_out = refusal.way_out
        if self.temperature is not None and refusal.is_about("temperature"):
            way_out = (
                f"it does not take temperature {self.temperature:g}; use another "
                "model, or this one without a temperature (temperature=None), where "
                "answers may differ from one asking to the next"
            )
        elif self.seed is not None and refusal.is_about("seed"):
            way_out = "it takes no seed; ask without one"
        where = f"Model '{self.model}' at {self._endpoint.host}"
        if not refusal.arrived:
            return EndpointError(f"{where} {self._words(refusal, attempts)}: {way_out}")
        what = replace(
            refusal,
            what=f"{refusal.what} after {refusal.arrived} characters of its answer",
        )
        return BrokenStreamError(
            f"{where} {self._words(what, attempts)}: ask again for a whole one"
        )
