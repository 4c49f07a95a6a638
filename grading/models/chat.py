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
from itertools import islice
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from grading.errors import BrokenStreamError, EndpointError, MissingModelError
from grading.models.endpoint import Endpoint
from grading.models.exchange import CONNECT_SECONDS, Exchange
from grading.models.line import Line
from grading.models.protocol import Asked, Batch, Response
from grading.models.replies import LONGEST_WAIT, Refusal, encodable
from grading.models.streaming import STREAM_FIELDS, stream_fields_left, text_so_far

if TYPE_CHECKING:
    from openai import AsyncOpenAI

ANSWER_TOKENS = 128  # a rating, or an answer of a few lines
REQUEST_VERSION = "one user message/1"  # bump when a prompt would be sent otherwise

LONGEST_PAUSE = 8.0  # seconds between retries where the server names none
NO_KEY = "no-key"  # the client insists on one; servers without keys ignore it

# The same limit under its new and its old name. OpenAI's newer models refuse the old
# one; other servers refuse the new one or, worse, pass over it and answer at length.
_LIMIT_NAMES = ("max_completion_tokens", "max_tokens")


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
    options = [
        ("max answer tokens", str(max_answer_tokens)),
        ("request", REQUEST_VERSION),
        (
            "temperature",
            "the model's own" if temperature is None else str(float(temperature)),
        ),
    ]
    if system is not None:
        options.append(("system", system))
    if seed is not None:
        options.append(("seed", str(seed)))
    return tuple(options)


class ChatModel:
    """A line to one model at an OpenAI-compatible endpoint.

    ``base_url`` is the endpoint's address, else OPENAI_BASE_URL, else OpenAI's. The
    key is ``api_key``, else OPENAI_API_KEY; only OpenAI itself cannot do without.
    ``concurrency`` is how many requests of one ``ask`` are under way at most.
    ``timeout`` is in seconds and for one request from its beginning to its last byte;
    where it is streamed, to its next event. What passes (rate limits, errors inside
    the server, lost connections, answers that are none) is retried ``retries`` times:
    after ``backoff`` seconds, twice as many each time up to ``LONGEST_PAUSE``, or after
    as many as the server asks for.

    The other options are ``decoding_options``'. ``temperature`` None is for models that
    refuse 0: their answers may differ from one asking to the next, and they are another
    responder. No seed is sent unless one is given, for at temperature 0 it decides
    nothing and some servers refuse it.

    Raises MissingModelError where ``openai`` is not installed, and EndpointError for an
    address or a key that cannot be one.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        concurrency: int = 8,
        timeout: float = 60.0,
        retries: int = 5,
        max_answer_tokens: int = ANSWER_TOKENS,
        system: str | None = None,
        temperature: float | None = 0.0,
        seed: int | None = None,
        backoff: float = 0.5,
    ) -> None:
        if concurrency < 1:
            raise ValueError(f"concurrency is {concurrency}; one request is the least")
        try:
            import openai
        except ImportError:
            raise MissingModelError(
                'Chat models need the openai package: pip install "exam-curator[chat]"'
            ) from None
        self._openai = openai
        self._model = encodable(model)
        self._endpoint = Endpoint.given(base_url, api_key)
        self._concurrency = concurrency
        self._timeout = timeout
        self._retries = retries
        self._backoff = backoff
        self._system = system
        self._temperature = temperature
        self._seed = seed
        self._max_answer_tokens = max_answer_tokens
        self._limit_name = _LIMIT_NAMES[0 if self._endpoint.is_openai else 1]
        self._stream_fields = STREAM_FIELDS
        self._exchange = Exchange(openai, self._endpoint.key, timeout)

    def __repr__(self) -> str:
        return f"ChatModel({self._model!r} at {self._endpoint.host})"

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
        with Line(self._client()) as line:
            while True:
                if failure is None:
                    free = self._concurrency - len(positions)
                    for position, prompt in islice(to_ask, free):
                        answer = self._answer(line.client, prompt.text)
                        positions[line.run(answer)] = position
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
                        deadline = time.monotonic() + self._timeout
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
        ends, ``LONGEST_TEXT`` characters are taken.

        What passes is retried as in ``ask`` until there is text. From then on nothing
        is asked again: BrokenStreamError says in one line what went wrong, and what was
        yielded stands. Closing the iterator gives the request up.

        ``timeout`` is for the silence before each event, be it text or the thoughts of
        a model that thinks first; one request may take ``WHOLE_STREAM`` times as long.
        """
        pieces: SimpleQueue[str | None] = SimpleQueue()
        with Line(self._client()) as line:
            answered = line.run(self._answer(line.client, prompt, pieces.put))
            answered.add_done_callback(lambda _: pieces.put(None))
            for text in text_so_far(pieces):
                yield Response(text, unfinished=True)
            failure = answered.exception()
        if failure is not None:
            raise failure
        yield answered.result()

    def _client(self) -> AsyncOpenAI:
        return self._openai.AsyncOpenAI(
            api_key=self._endpoint.key or NO_KEY,
            base_url=self._endpoint.url,
            timeout=self._openai.Timeout(
                self._timeout, connect=min(CONNECT_SECONDS, self._timeout)
            ),
            # Its own retries know nothing of bodies that are no answer, and its
            # timeout begins anew with every byte of a server that keeps the line warm.
            max_retries=0,
        )

    async def _answer(
        self,
        client: AsyncOpenAI,
        prompt: str,
        show: Callable[[str], None] | None = None,
    ) -> Response:
        """The response to one prompt, after as many retries as it takes or may take.

        With ``show`` as a stream, if the server sends streams.
        """
        limit_name = self._limit_name
        stream_fields = self._stream_fields if show else {}
        refused_limit: Refusal | None = None
        attempts = 0
        while True:
            request = {**self._request(prompt, limit_name), **stream_fields}
            if show and stream_fields:
                outcome = await self._exchange.in_pieces(client, request, show)
            else:
                outcome = await self._exchange.whole(client, request)
            if isinstance(outcome, Response):
                self._limit_name = limit_name
                if show:
                    self._stream_fields = stream_fields
                return outcome
            if outcome.is_filter:
                return Response("")
            fields_left = stream_fields_left(stream_fields, outcome)
            if fields_left is not None:
                stream_fields = fields_left
                continue
            if outcome.is_about(limit_name):
                if refused_limit is None:
                    refused_limit = outcome
                    (limit_name,) = set(_LIMIT_NAMES) - {limit_name}
                    continue
                # Both names refused: it is the limit, and the first says why.
                outcome = refused_limit
            attempts += 1
            if not outcome.is_passing or attempts > self._retries:
                raise self._error(outcome, attempts)
            await asyncio.sleep(outcome.wait or self._pause(attempts))

    def _request(self, prompt: str, limit_name: str) -> dict[str, Any]:
        messages = [{"role": "user", "content": encodable(prompt)}]
        if self._system is not None:
            messages.insert(0, {"role": "system", "content": encodable(self._system)})
        request = {
            "model": self._model,
            "messages": messages,
            limit_name: self._max_answer_tokens,
        }
        if self._temperature is not None:
            request["temperature"] = self._temperature
        if self._seed is not None:
            request["seed"] = self._seed
        return request

    def _pause(self, attempts: int) -> float:
        """Seconds before the next attempt; up to a quarter less, so that requests
        that failed together do not come back together."""
        pause = min(self._backoff * 2.0 ** (attempts - 1), LONGEST_PAUSE)
        return pause * (1 - random.random() / 4)

    def _error(self, refusal: Refusal, attempts: int) -> EndpointError:
        what = refusal.what
        if attempts > 1:
            what += f", {attempts} times"
        if refusal.wait > LONGEST_WAIT:
            what += f", and asks to wait {refusal.wait:.0f} s"
        said = f" ({refusal.said})" if refusal.said else ""
        way_out = refusal.way_out
        if self._temperature is not None and refusal.is_about("temperature"):
            way_out = (
                f"it does not take temperature {self._temperature:g}; use another "
                "model, or this one without a temperature (temperature=None), where "
                "answers may differ from one asking to the next"
            )
        elif self._seed is not None and refusal.is_about("seed"):
            way_out = "it takes no seed; ask without one"
        where = f"Model '{self._model}' at {self._endpoint.host}"
        if not refusal.arrived:
            return EndpointError(f"{where} {what}{said}: {way_out}")
        return BrokenStreamError(
            f"{where} {what} after {refusal.arrived} characters of its answer{said}: "
            "ask again for a whole one"
        )
