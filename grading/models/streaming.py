"""Answers that arrive in pieces: a response while it grows, event by event.

Servers agree on little here beyond "data: " and "[DONE]". Some keep the line warm with
comments, some think aloud before they answer, some forget the end, and some pass over
``stream`` and send one completion. Values only: nothing here waits or connects.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from queue import SimpleQueue
from typing import Any

from grading.models.events import Events
from grading.models.protocol import Response
from grading.models.replies import (
    Refusal,
    encodable,
    no_completion,
    read_completion,
    token_count,
)

LONGEST_TEXT = 200_000  # characters; a server that keeps no limit is not read further

STREAM_FIELDS: Mapping[str, Any] = {
    "stream": True,
    "stream_options": {"include_usage": True},
}


def stream_fields_left(
    fields: Mapping[str, Any], refusal: Refusal
) -> Mapping[str, Any] | None:
    """The fields that ask for a stream without what the server refuses of them.

    None where it refuses none of them. Without ``stream`` there are no options of it.
    """
    if "stream_options" in fields and (
        refusal.is_about("stream_options") or refusal.is_about("include_usage")
    ):
        return {"stream": True}
    if "stream" in fields and refusal.is_about("stream"):
        return {}
    return None


def text_so_far(pieces: SimpleQueue[str | None]) -> Iterator[str]:
    """All text that has arrived, whenever there is more; None is the end.

    What arrives while the caller is busy is one step, so nobody falls behind.
    """
    text = shown = ""
    while (piece := pieces.get()) is not None:
        text += piece
        if pieces.empty():
            yield (shown := text)
    if text != shown:
        yield text


class Growing:
    """A response while it arrives.

    ``show`` is given each piece of text once, in order; none of an answer that is sent
    as one. ``length`` is how many characters have arrived. ``outcome`` is None as long
    as more may come.
    """

    def __init__(self, key: str, show: Callable[[str], None]) -> None:
        self.length = 0
        self.outcome: Response | Refusal | None = None
        self._key = key
        self._show = show
        self._events = Events()
        self._pieces: list[str] = []
        self._half = ""  # a surrogate whose other half may be in the next piece
        self._is_full = False
        self._is_answer = False
        self._finish: object = None
        self._usage: object = None

    @property
    def is_whole(self) -> bool:
        """Whether the text has ended; token counts may still follow."""
        return bool(self._finish)

    def feed(self, received: bytes) -> bool:
        """Take the next bytes; whether an event was among them."""
        events = self._events.feed(received)
        self._take_all(events)
        if self._events.too_long and self.outcome is None:
            self.outcome = self._unreadable(bytes(self._events.plain))
        return bool(events)

    def end(self) -> Response | Refusal:
        """What came of it, now that no more bytes will come."""
        self._take_all(self._events.end())
        if self.outcome is None:
            if self._is_answer:
                self.outcome = self.response()
            elif self._events.are_events:
                self.outcome = self._unreadable(b"")
            else:
                self.outcome = self._one_completion()
        return self.outcome

    def response(self) -> Response:
        """What has arrived, as the answer."""
        self._add("", is_last=True)
        return Response(
            "".join(self._pieces),
            unfinished=self._is_full or self._finish in (None, "length"),
            tokens_in=token_count(self._usage, "prompt_tokens"),
            tokens_out=token_count(self._usage, "completion_tokens"),
        )

    def _one_completion(self) -> Response | Refusal:
        outcome = read_completion(bytes(self._events.plain), self._key)
        if isinstance(outcome, Refusal) or len(outcome.raw) <= LONGEST_TEXT:
            return outcome
        return replace(outcome, raw=outcome.raw[:LONGEST_TEXT], unfinished=True)

    def _take_all(self, events: list[str]) -> None:
        for data in events:
            if self.outcome is None and data:
                self.outcome = self._taken(data)

    def _taken(self, data: str) -> Response | Refusal | None:
        """Take one event's data; what it makes of the whole, None if more may come."""
        if data.startswith("[DONE]"):
            self._finish = self._finish or "stop"
            return self.response()
        try:
            body = json.loads(data)
            if body.get("error"):
                return Refusal.in_stream(body["error"], self._key)
            self._usage = body.get("usage") or self._usage
            for choice in body.get("choices") or ():
                self._is_answer = True
                if choice.get("index"):
                    continue  # the first is the one that was asked for
                self._add((choice.get("delta") or {}).get("content") or "")
                self._finish = choice.get("finish_reason") or self._finish
        except (AttributeError, RecursionError, TypeError, ValueError):
            return self._unreadable(data.encode())
        return self.response() if self._is_full else None

    def _add(self, content: str, *, is_last: bool = False) -> None:
        # Two halves of a pair are joined, wherever they were torn apart.
        torn = (self._half + content).encode("utf-16-le", "surrogatepass")
        text = torn.decode("utf-16-le", "surrogatepass")
        is_torn = not is_last and "\ud800" <= text[-1:] <= "\udbff"
        self._half = text[-1] if is_torn else ""
        text = encodable(text.removesuffix(self._half))
        room = LONGEST_TEXT - self.length
        self._is_full = len(text) > room
        if text := text[:room]:
            self._pieces.append(text)
            self.length += len(text)
            self._show(text)

    def _unreadable(self, body: bytes) -> Refusal:
        return no_completion(body.decode("utf-8", "replace"), self._key)
