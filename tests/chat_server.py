"""A chat endpoint on this machine that does as it is told.

It speaks OpenAI's protocol over real HTTP on 127.0.0.1, so whatever talks to it is the
real client, in this process or another (``environment``):

    with ChatServer(answer=lambda prompt: "4") as server:
        model = ChatModel("test-model", base_url=server.url)

``answer`` is given the prompt (the last message's text) and says what is sent: a text
or None as a chat completion's content, or a ``Reply`` of any other kind. ``in_turn``
makes an answer of several replies.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

MODEL = "test-model"


@dataclass(frozen=True)
class Reply:
    """What is sent for one request, after ``delay`` seconds.

    A dict is sent as JSON, a str as it is. ``dropped`` closes the connection instead;
    ``drip`` sends a byte every so many seconds, for ever.
    """

    status: int = 200
    body: Mapping[str, Any] | str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    dropped: bool = False
    drip: float = 0.0


Said = str | None | Reply
Answer = Callable[[str], Said]


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
    without them every name is a model's.
    ``refuses`` are fields of a request that are answered 400. ``usage``: whether token
    counts come with an answer; a word is a token. ``delay`` is how long every answer
    takes, in seconds.

    ``requests`` are in order of arrival; ``asked`` counts them by prompt, ``answered``
    those of them that were answered with status 200. ``most_in_flight`` is how many
    were under way at once.
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
    ) -> None:
        self.answer = answer if callable(answer) else in_turn(answer)
        self.key = key
        self.models = models
        self.refuses = refuses
        self.usage = usage
        self.delay = delay
        self.requests: list[Request] = []
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.in_flight = 0
        self.most_in_flight = 0
        self.closing = threading.Event()
        self._lock = threading.Lock()
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

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def reply(self, path: str, headers: Mapping[str, str], body: Any) -> Reply:
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
        said = self.answer(prompt)
        reply = said if isinstance(said, Reply) else self._completion(prompt, said)
        if reply.status == 200:
            with self._lock:
                self.answered[prompt] += 1
        return reply

    def _completion(self, prompt: str, content: str | None) -> Reply:
        words = len(prompt.split()), len((content or "").split())
        usage = {"prompt_tokens": words[0], "completion_tokens": words[1]}
        more: dict[str, Any] = {"usage": usage} if self.usage else {}
        return Reply(body=completion(content, **more), delay=self.delay)

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

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        sent = self.rfile.read(length)
        if len(sent) < length:
            return  # the client hung up while it asked
        headers = {name.lower(): value for name, value in self.headers.items()}
        chat = self.server.chat
        chat.count(1)
        try:
            reply = chat.reply(self.path, headers, json.loads(sent))
            chat.closing.wait(reply.delay)
        finally:
            # Before it is sent: the client may ask anew before we come back from it.
            chat.count(-1)
        # The client may have gone: it does not wait for ever.
        with suppress(OSError):
            self._send(reply)

    def _send(self, reply: Reply) -> None:
        if reply.dropped:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        is_text = isinstance(reply.body, str)
        sent = str(reply.body if is_text else json.dumps(reply.body)).encode()
        if reply.drip:
            sent = b" " * 1_000_000
        self.send_response(reply.status)
        self.send_header("Content-Type", "text/html" if is_text else "application/json")
        self.send_header("Content-Length", str(len(sent)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if not reply.drip:
            self.wfile.write(sent)
            return
        self.close_connection = True
        while not self.server.chat.closing.wait(reply.drip):
            self.wfile.write(b" ")

    def log_message(self, *_: object) -> None:
        """Nothing: a test's output is for the test."""
