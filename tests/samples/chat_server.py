"""A chat endpoint on this machine that does as it is told.

It speaks OpenAI's protocol over real HTTP on 127.0.0.1, so whatever talks to it is the
real client, in this process or another (``environment``):

    with ChatServer(answer=lambda prompt: "4") as server:
        model = ChatModel("test-model", base_url=server.url)

``answer`` is given the prompt (the last message's text) and says what is sent: a text
or None as a chat completion's content, in pieces where the request has ``stream``; a
``Streamed`` for a say in the pieces; a ``Reply`` of any other kind. ``in_turn`` makes
an answer of several replies:

    ChatServer("Salt dissolves in water.", pace=0.05)  # a word every 50 ms
    ChatServer(Streamed("Salt dissolves in water.", broken_after=2))
    ChatServer(Streamed(["Salt ", KEEP_ALIVE, "dissolves.", failed("no memory")]))
    ChatServer(in_turn(refused(503), Streamed("Salt …", finish="length")))
"""

from __future__ import annotations

import json
import re
import socket
import struct
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import pytest

AT_ONCE = struct.pack("ii", 1, 0)  # how a socket is told to reset when it is closed
A_LOOK = 0.05  # seconds between two looks at whether the server is closing
FOR_EVER = 3600.0  # seconds
MODEL = "test-model"


@dataclass(frozen=True)
class Reply:
    """What is sent for one request, after ``delay`` seconds, streams asked for or not.

    A dict is sent as JSON, a str as it is. ``dropped`` closes the connection instead.
    """

    status: int = 200
    body: Mapping[str, Any] | str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    dropped: bool = False


Piece = str | Mapping[str, Any] | bytes
"""A part of the answer's text, an event's body as it is, or bytes as they are."""


@dataclass(frozen=True)
class Streamed:
    """An answer in pieces, where the request has ``stream``: one event for each.

    ``pieces`` may be one text, which is sent a word at a time, or the pieces
    themselves, among them such as are no text (``thought``, ``failed``,
    ``KEEP_ALIVE``). A piece follows the other after ``pace`` seconds; None is the
    server's own.

    ``broken_after`` so many pieces the connection is reset, ``silent_after`` so many
    nothing more comes. ``finish`` None leaves out the event that says how the answer
    ended, ``done`` False the last one, "[DONE]".

    A request without ``stream`` gets the text as one completion, or what comes nearest
    to a stream that breaks off or falls silent: nothing.
    """

    pieces: str | Sequence[Piece]
    pace: float | None = None
    finish: str | None = "stop"
    done: bool = True
    broken_after: int | None = None
    silent_after: int | None = None

    @property
    def text(self) -> str:
        """The whole answer."""
        return "".join(piece for piece in self.pieces if isinstance(piece, str))

    def events(self) -> Iterator[bytes]:
        """The beginning, then each piece, as server-sent events."""
        yield event(chunk({"role": "assistant", "content": ""}))
        pieces = words(self.pieces) if isinstance(self.pieces, str) else self.pieces
        for piece in pieces:
            if isinstance(piece, str):
                piece = chunk({"content": piece})
            yield piece if isinstance(piece, bytes) else event(piece)

    def end(self, usage: Mapping[str, int] | None) -> bytes:
        """The events that end an answer; with token counts if there are any."""
        last: list[Mapping[str, Any] | str] = []
        if self.finish is not None:
            last.append(chunk({}, finish=self.finish))
        if usage is not None:
            last.append({**chunk({}), "choices": [], "usage": usage})
        if self.done:
            last.append("[DONE]")
        return b"".join(map(event, last))


Said = str | None | Reply | Streamed
Answer = Callable[[str], Said]


def words(text: str) -> list[str]:
    """``text`` in pieces of a word each, long ones in several."""
    return re.findall(r"\S{1,16}\s*|\s+", text)


def event(body: Mapping[str, Any] | str) -> bytes:
    """One server-sent event."""
    return f"data: {body if isinstance(body, str) else json.dumps(body)}\n\n".encode()


def chunk(
    delta: Mapping[str, Any], *, finish: str | None = None, index: int = 0
) -> dict[str, Any]:
    """An event's body: what it adds to the answer."""
    choice = {"index": index, "delta": delta, "finish_reason": finish}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": MODEL,
        "choices": [choice],
    }


def thought(text: str) -> dict[str, Any]:
    """The piece in which a model thinks aloud, which is no part of its answer."""
    return chunk({"content": None, "reasoning_content": text})


def failed(message: str = "failed", **more: Any) -> dict[str, Any]:
    """The piece in which a server says that it cannot go on."""
    return {"error": {"message": message, "type": "server_error", **more}}


def refused(
    status: int,
    message: str = "refused",
    *,
    code: str | None = None,
    parameter: str | None = None,
    retry_after: str | None = None,
) -> Reply:
    """An error as OpenAI's own servers word it."""
    error = {
        "message": message,
        "type": "invalid_request_error",
        "param": parameter,
        "code": code,
    }
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return Reply(status, {"error": error}, headers)


def completion(content: Any, *, finish: str = "stop", **more: Any) -> dict[str, Any]:
    """The body of a chat completion; ``more`` goes beside its choices."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": MODEL,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content},
                "finish_reason": finish,
            }
        ],
        **more,
    }


DROPPED = Reply(dropped=True)
NOT_JSON = Reply(body="<html><body>Welcome to nginx!</body></html>")
NO_CHOICES = Reply(body={"object": "chat.completion"})
KEEP_ALIVE = b": still at it\n\n"


def in_turn(*replies: Said) -> Answer:
    """Each prompt gets the replies one after the other, then the last for ever."""
    seen: Counter[str] = Counter()
    lock = threading.Lock()

    def answer(prompt: str) -> Said:
        with lock:
            turn = seen[prompt]
            seen[prompt] += 1
        return replies[min(turn, len(replies) - 1)]

    return answer


@dataclass(frozen=True)
class Request:
    """One request as it came; names of headers in lower case."""

    prompt: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    at: float


class ChatServer:
    """An endpoint that answers, and remembers what it was asked.

    ``key``: anything else is answered 401. ``models``: any other is answered 404;
    without them every name is a model's, and none is listed at /v1/models.
    ``refuses`` are fields of a request that are answered 400. ``usage``: whether token
    counts come with an answer; a word is a token. ``delay`` is how long every answer
    takes, in seconds, or begins to take where it is streamed; ``pace`` how long it is
    from one piece of it to the next. ``streams``: whether ``stream`` is heeded; else
    every answer is sent as one.

    ``requests`` are in order of arrival; ``asked`` counts them by prompt, ``answered``
    those of them that were answered whole with status 200, ``hung_up`` those whose
    client closed the connection in the middle of a stream. ``most_in_flight`` is how
    many were under way at once.
    """

    def __init__(
        self,
        answer: Answer | Said = "4",
        *,
        key: str | None = None,
        models: Collection[str] | None = None,
        refuses: Collection[str] = (),
        usage: bool = True,
        delay: float = 0.0,
        pace: float = 0.0,
        streams: bool = True,
    ) -> None:
        self.answer = answer if callable(answer) else in_turn(answer)
        self.key = key
        self.models = models
        self.refuses = refuses
        self.usage = usage
        self.delay = delay
        self.pace = pace
        self.streams = streams
        self.requests: list[Request] = []
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.hung_up: Counter[str] = Counter()
        self.in_flight = 0
        self.most_in_flight = 0
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._room = threading.Condition()
        self._left = sys.maxsize
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.chat = self
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.01,), name="chat-server"
        )

    @property
    def host(self) -> str:
        """Address and port."""
        return f"127.0.0.1:{self._server.server_port}"

    @property
    def url(self) -> str:
        """What OPENAI_BASE_URL has to be."""
        return f"http://{self.host}/v1"

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables that lead another process's client here."""
        return {
            "OPENAI_BASE_URL": self.url,
            "OPENAI_API_KEY": self.key or "",
            "NO_PROXY": "127.0.0.1",
        }

    def lead(self, monkeypatch: pytest.MonkeyPatch) -> Self:
        """Have this process's clients led here too."""
        for name, value in self.environment.items():
            monkeypatch.setenv(name, value)
        return self

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self.go()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def reply(
        self, path: str, headers: Mapping[str, str], body: Any
    ) -> Reply | Streamed:
        """What is sent for a request; records it."""
        if path != "/v1/chat/completions":
            return Reply(404, {"detail": "Not Found"})
        prompt = body["messages"][-1]["content"]
        with self._lock:
            self.requests.append(Request(prompt, body, headers, time.monotonic()))
            self.asked[prompt] += 1
        if (
            self.key is not None
            and headers.get("authorization") != f"Bearer {self.key}"
        ):
            return refused(401, "Incorrect API key", code="invalid_api_key")
        if self.models is not None and body["model"] not in self.models:
            wrong = f"The model '{body['model']}' does not exist"
            return refused(404, wrong, code="model_not_found")
        for name in self.refuses:
            if name in body:
                wrong = f"Unsupported parameter: '{name}'"
                return refused(400, wrong, parameter=name)
        self._wait_for_room()
        said = self.answer(prompt)
        if self.streams and body.get("stream") and not isinstance(said, Reply):
            return said if isinstance(said, Streamed) else Streamed(said or "")
        reply = said if isinstance(said, Reply) else self._completion(prompt, said)
        if reply.status == 200 and not reply.dropped:
            self.note(self.answered, prompt)
        return reply

    def hold(self, more: int) -> None:
        """Answer so many more requests, and let all others wait until ``go``."""
        with self._room:
            self._left = more
            self._room.notify_all()

    def go(self) -> None:
        """Answer whatever comes."""
        self.hold(sys.maxsize)

    def _wait_for_room(self) -> None:
        with self._room:
            self._room.wait_for(lambda: self._left or self.closing.is_set())
            self._left -= 1

    def _completion(self, prompt: str, said: str | Streamed | None) -> Reply:
        content, finish = said, "stop"
        if isinstance(said, Streamed):
            if said.broken_after is not None:
                return DROPPED
            if said.silent_after is not None:
                return Reply(delay=FOR_EVER, dropped=True)
            content, finish = said.text, said.finish or finish
        usage = self.tokens(prompt, content)
        more: dict[str, Any] = {} if usage is None else {"usage": usage}
        return Reply(body=completion(content, finish=finish, **more), delay=self.delay)

    def tokens(self, prompt: str, text: str | None) -> dict[str, int] | None:
        """The token counts that go with an answer; None where none are sent."""
        if not self.usage:
            return None
        asked, said = len(prompt.split()), len((text or "").split())
        return {"prompt_tokens": asked, "completion_tokens": said}

    def note(self, counter: Counter[str], prompt: str) -> None:
        with self._lock:
            counter[prompt] += 1

    def count(self, change: int) -> None:
        with self._lock:
            self.in_flight += change
            self.most_in_flight = max(self.most_in_flight, self.in_flight)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    chat: ChatServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A client may hang up whenever it likes; anything else is the test's fault.
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # connections are kept, as real servers keep them
    # Otherwise the end of an answer waits for the client's acknowledgement.
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        models = self.server.chat.models
        if self.path != "/v1/models" or models is None:
            return self._send(Reply(404, {"detail": "Not Found"}))
        return self._send(Reply(body={"data": [{"id": name} for name in models]}))

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        sent = self.rfile.read(length)
        if len(sent) < length:
            return  # the client hung up while it asked
        headers = {name.lower(): value for name, value in self.headers.items()}
        chat = self.server.chat
        body = json.loads(sent)
        chat.count(1)
        try:
            reply = chat.reply(self.path, headers, body)
            if isinstance(reply, Streamed):
                end = self._stream(reply, body)
            else:
                chat.closing.wait(reply.delay)
                end = partial(self._send, reply)
        finally:
            # Before the end is sent: the client may ask anew before we are back.
            chat.count(-1)
        # The client may have gone: it does not wait for ever.
        with suppress(OSError):
            end()

    def _stream(self, reply: Streamed, body: Mapping[str, Any]) -> Callable[[], None]:
        """Send all but the end of a stream, which is returned."""
        chat, prompt = self.server.chat, body["messages"][-1]["content"]
        pace = chat.pace if reply.pace is None else reply.pace
        try:
            self._wait(chat.delay)
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            # The first event is not yet a piece.
            for pieces, sent in enumerate(reply.events()):
                if pieces:
                    self._wait(pace)
                self._write_chunk(sent)
                if pieces == reply.broken_after:
                    return self._reset
                if pieces == reply.silent_after:
                    self._wait(FOR_EVER)
            self._wait(pace)
        except OSError:
            self.close_connection = True
            if not chat.closing.is_set():
                chat.note(chat.hung_up, prompt)
            return lambda: None
        counts = (body.get("stream_options") or {}).get("include_usage")
        usage = chat.tokens(prompt, reply.text) if counts else None
        chat.note(chat.answered, prompt)
        return partial(self._write_last, reply.end(usage))

    def _wait(self, seconds: float) -> None:
        """Raises OSError as soon as the client hangs up, or the server closes."""
        end = time.monotonic() + seconds
        while not self.server.chat.closing.is_set():
            left = max(0.0, end - time.monotonic())
            self.connection.settimeout(min(left, A_LOOK))
            try:
                # It has nothing to say before it is answered.
                self.connection.recv(1, socket.MSG_PEEK)
            except (BlockingIOError, TimeoutError):
                if not left:
                    return
            else:
                break
            finally:
                self.connection.settimeout(None)
        raise ConnectionAbortedError

    def _write_chunk(self, sent: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(sent), sent))

    def _write_last(self, sent: bytes) -> None:
        if sent:
            self._write_chunk(sent)
        self.wfile.write(b"0\r\n\r\n")

    def _reset(self) -> None:
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
        self.rfile.close()  # it holds the connection open
        self.connection.close()

    def _send(self, reply: Reply) -> None:
        if reply.dropped:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        is_text = isinstance(reply.body, str)
        sent = str(reply.body if is_text else json.dumps(reply.body)).encode()
        self.send_response(reply.status)
        self.send_header("Content-Type", "text/html" if is_text else "application/json")
        self.send_header("Content-Length", str(len(sent)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_: object) -> None:
        """Nothing: a test's output is for the test."""
