"""What a chat endpoint on this machine sends: completions, streams and misbehaviour."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MODEL = "test-model"


@dataclass(frozen=True)
class Reply:
    """What is sent for one request, after ``delay`` seconds, streams asked for or not.

    A dict is sent as JSON, a str as it is. ``dropped`` closes the connection instead;
    ``drip`` sends a byte every so many seconds, for ever.
    """

    status: int = 200
    body: Mapping[str, Any] | str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    dropped: bool = False
    drip: float = 0.0


Piece = str | Mapping[str, Any] | bytes
"""A part of the answer's text, an event's body as it is, or bytes as they are."""


@dataclass(frozen=True)
class Streamed:
    """An answer in pieces, where the request has ``stream``: one event for each.

    ``pieces`` may be one text, which is sent a word at a time, or the pieces
    themselves, among them such as are no text (``thought``, ``failed``,
    ``KEEP_ALIVE``). The first event begins after ``delay`` seconds, a piece follows
    the other after ``pace``; None is the server's own.

    ``broken_after`` so many pieces the connection is reset, ``silent_after`` so many
    nothing more comes. ``finish`` None leaves out the event that says how the answer
    ended, ``done`` False the last one, "[DONE]".

    A request without ``stream`` gets the text as one completion, or what comes nearest
    to a stream that breaks off or falls silent: nothing.
    """

    pieces: str | Sequence[Piece]
    pace: float | None = None
    delay: float | None = None
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
