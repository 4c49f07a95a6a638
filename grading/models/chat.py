"""Chat models behind an OpenAI-compatible endpoint: OpenAI's own, vLLM, Ollama, ….

Importing this module loads nothing heavy: ``openai`` comes in with the first
``ChatModel``. Texts are sent to whoever runs the endpoint.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import KW_ONLY, InitVar, dataclass, field, replace
from itertools import islice
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any

from grading.errors import BrokenStreamError, EndpointError, MissingModelError
from grading.models import endpoint
from grading.models.protocol import Asked, Batch, Response, encodable
from grading.models.replies import LONGEST_WAIT, Growing, Refusal, message

if TYPE_CHECKING:
    from openai import AsyncOpenAI

ANSWER_TOKENS = 128  # a rating, or an answer of a few lines
REQUEST_VERSION = "one user message/1"  # bump when a prompt would be sent otherwise

CONNECT_SECONDS = 10.0  # a host that is not there is not waited for any longer
LONGEST_PAUSE = 8.0  # seconds between retries where the server names none
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
        "max answer tokens": str(max_answer_tokens),
        "request": REQUEST_VERSION,
        "temperature": own if temperature is None else str(float(temperature)),
        "system": system,
        "seed": None if seed is None else str(seed),
    }
    return tuple((name, value) for name, value in options.items() if value is not None)


Show = Callable[[str], None]
"""Given each piece of an answer's text, in order."""


@dataclass(repr=False, eq=False)
class ChatModel:
    """One model at an OpenAI-compatible endpoint.

    ``base_url`` is the endpoint's address, else OPENAI_BASE_URL, else OpenAI's. The
    key is ``api_key``, else OPENAI_API_KEY; only OpenAI itself cannot do without.
    ``concurrency`` is how many requests of one ``ask`` are under way at most.
    ``timeout`` is in seconds and for one request from its beginning to its last byte;
    where it is streamed, to its next event. The environment says both where they are
    not given (see ``endpoint``). What passes (rate limits, errors inside the server,
    lost connections, answers that are none) is retried ``retries`` times: after
    ``backoff`` seconds, twice as many each time up to ``LONGEST_PAUSE``, or after as
    many as the server asks for.

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
        self._limit_name = _LIMIT_NAMES[0 if self._endpoint.is_openai else 1]
        self._stream_fields = _IN_PIECES

    def __repr__(self) -> str:
        return f"ChatModel({self.model!r} at {self._endpoint.host})"

    def ask(self, prompts: Sequence[Asked]) -> Generator[Batch, None, None]:
        """Each prompt's response once, in batches of what is ready.

        Nothing new is asked while a batch is in the caller's hands, so what a caller
        can lose is what is under way. Closing the iterator gives that up as well.

        After a failure no other request begins; those under way have ``timeout`` more
        seconds, and what they bring is yielded before EndpointError is raised, in one
        line. An answer without words, such as a filtered one, is the response "".
        """
        if not prompts:
            return
        to_ask = enumerate(prompts)
        positions: dict[Future[Response], int] = {}
        failure: BaseException | None = None
        deadline = 0.0
        with self._requests() as start:
            while True:
                if failure is None:
                    for at, prompt in islice(to_ask, self.concurrency - len(positions)):
                        positions[start(prompt.text, None)] = at
                left = None if failure is None else max(0, deadline - time.monotonic())
                done, _ = wait(positions, left, return_when=FIRST_COMPLETED)
                if not done:
                    break  # all are answered, or had their time
                batch: Batch = []
                for answered in done:
                    position = positions.pop(answered)
                    error = answered.exception()
                    if error is None:
                        batch.append((position, answered.result()))
                    elif failure is None:
                        failure = error
                        deadline = time.monotonic() + self.timeout
                if batch:
                    yield batch
        if failure is not None:
            raise failure

    def stream(self, prompt: str) -> Generator[Response, None, None]:
        """The response as it grows: each yield is all that has arrived, the last is
        whole.

        All but the last are ``unfinished`` and without token counts; the last may say
        no more than the one before it. It is the only one where the server sends its
        answer as one, or an answer without words, which is "". Of a server that never
        ends, ``LONGEST_TEXT`` characters are taken. What arrives while the caller is
        busy is one step, so nobody falls behind.

        What passes is retried as in ``ask`` until there is text. From then on nothing
        is asked again: BrokenStreamError says in one line what went wrong, and what was
        yielded stands. Closing the iterator gives the request up.

        ``timeout`` is for the silence before each event, be it text or the thoughts of
        a model that thinks first; one request may take ``WHOLE_STREAM`` times as long.
        """
        pieces: SimpleQueue[str | None] = SimpleQueue()
        text = yielded = ""
        with self._requests() as start:
            answered = start(prompt, pieces.put)
            answered.add_done_callback(lambda _: pieces.put(None))
            while (piece := pieces.get()) is not None:
                text += piece
                if pieces.empty():
                    yielded = text
                    yield Response(text, unfinished=True)
            if text != yielded:
                yield Response(text, unfinished=True)
            failure = answered.exception()
        if failure is not None:
            raise failure
        yield answered.result()

    @contextmanager
    def _requests(self) -> Generator[Callable[[str, Show | None], Future[Response]]]:
        """What starts a request; at the end those under way are given up.

        They share an event loop in a thread of its own, rather than having a thread
        each: a request can be given up at once, wherever it is, and none outlives this.
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

        def start(prompt: str, show: Show | None) -> Future[Response]:
            answer = self._answer(client, prompt, show)
            return asyncio.run_coroutine_threadsafe(answer, loop)

        # A daemon: an iterator that nobody closed must not keep a process alive.
        thread = Thread(target=serve, name="chat-requests", daemon=True)
        thread.start()
        try:
            yield start
        finally:
            loop.call_soon_threadsafe(closing.set)
            thread.join()

    async def _answer(
        self, client: AsyncOpenAI, prompt: str, show: Show | None
    ) -> Response:
        """The response to one prompt, after as many retries as it takes or may take.

        With ``show`` as a stream, if the server sends streams.
        """
        limit_name = self._limit_name
        in_pieces = self._stream_fields if show else {}
        refused_limit: Refusal | None = None
        attempts = 0
        while True:
            request = self._request(prompt, limit_name) | in_pieces
            result = await self._result(client, request, show or (lambda piece: None))
            if isinstance(result, Response):
                self._limit_name = limit_name
                if show:
                    self._stream_fields = in_pieces
                return result
            if result.is_filter:
                return Response("")
            if "stream_options" in in_pieces and (
                result.is_about("stream_options") or result.is_about("include_usage")
            ):
                in_pieces = {"stream": True}
                continue
            if in_pieces and result.is_about("stream"):
                in_pieces = {}
                continue
            if result.is_about(limit_name):
                if refused_limit is None:
                    refused_limit = result
                    (limit_name,) = set(_LIMIT_NAMES) - {limit_name}
                    continue
                # Both names refused: it is the limit, and the first says why.
                result = refused_limit
            attempts += 1
            if not result.is_passing or attempts > self.retries:
                raise self._error(result, attempts)
            pause = min(self.backoff * 2.0 ** (attempts - 1), LONGEST_PAUSE)
            # Requests that failed together do not come back together.
            scattered = pause * (1 - random.random() / 4)
            await asyncio.sleep(result.wait or scattered)

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
        self, client: AsyncOpenAI, request: dict[str, Any], show: Show
    ) -> Response | Refusal:
        """What one request brings within ``timeout``, to its last byte.

        Of a stream there are at most ``timeout`` seconds between two events, and
        ``WHOLE_STREAM`` times as many in all. What goes wrong after the text has ended
        is of no concern.
        """
        openai, now = self._openai, asyncio.get_running_loop().time
        is_stream = "stream" in request
        whole = self.timeout * (WHOLE_STREAM if is_stream else 1)
        end = now() + whole
        growing = Growing(show)
        ask = client.chat.completions.with_streaming_response.create
        try:
            async with asyncio.timeout(self.timeout) as limit, ask(**request) as answer:
                async for received in answer.iter_bytes():
                    if growing.feed(received):
                        wait = USAGE_SECONDS if growing.is_whole else self.timeout
                        limit.reschedule(min(now() + min(wait, self.timeout), end))
                    if growing.result is not None:
                        break
            result = growing.end()
        except (openai.APITimeoutError, TimeoutError):
            what = (
                "sent no part of an answer for"
                if is_stream
                else "gave no answer within"
            )
            result = Refusal(f"{what} {self.timeout:g} s", way_out=TOO_SLOW)
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
            )
        if isinstance(result, Response) or not is_stream:
            return result
        if growing.is_whole:
            return growing.response()
        if now() >= end:
            what = f"did not end its answer within {whole:g} s"
            return replace(result, what=what, arrived=growing.length)
        return replace(result, arrived=growing.length or None)

    def _error(self, refusal: Refusal, attempts: int) -> EndpointError:
        what = refusal.what
        if attempts > 1:
            what += f", {attempts} times"
        if refusal.wait > LONGEST_WAIT:
            what += f", and asks to wait {refusal.wait:.0f} s"
        words = message(refusal.body, self._endpoint.key)
        quoted = f" ({words})" if words else ""
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
            return EndpointError(f"{where} {what}{quoted}: {way_out}")
        return BrokenStreamError(
            f"{where} {what} after {refusal.arrived} characters of its answer{quoted}: "
            "ask again for a whole one"
        )
