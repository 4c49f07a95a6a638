"""What a chat endpoint sends back: a response, whole or as it grows, or why none.

Servers that speak OpenAI's protocol agree on answers far more than on errors, so what
is read of a refusal is whatever can be found in it. Of streams they share little beyond
"data: " and "[DONE]": some keep the line warm with comments, some think aloud before
they answer, some forget the end, and some pass over ``stream`` and send one completion.
Values only: nothing here waits or connects.
"""

from __future__ import annotations

import json
import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from time import time
from typing import Any, Self

from grading.models.protocol import Response, encodable

LONGEST_TEXT = 200_000  # characters; a server that keeps no limit is not read further
LONGEST_EVENT = 4_000_000  # bytes, of a body that is no stream too
LONGEST_MESSAGE = 200  # characters of the server's own words
NO_ENDING = "no finish reason"  # of a stream that closed without "[DONE]" either

# What the server did not do now, it may do later. 409 is a lock that timed out.
_PASSING = frozenset({408, 409, 425})
_RATE_LIMITED = frozenset({429, 503, 529})  # the last two only with a time to wait
# Words about the account, which no other prompt and no waiting cures.
_ACCOUNT = re.compile(
    r"billing|current[ _]quota|credit balance|arrears|"
    r"insufficient[ _](?:quota|balance|funds|credit)",
    re.IGNORECASE,
)
_NAMES_TIME = re.compile(r"\b(?:again|retry) (?:in|after)\b", re.IGNORECASE)
# Words for an error in a stream that would only be repeated.
_FILTERED = re.compile(r"filter|moderation|safety|policy|sensitive", re.IGNORECASE)
_TOO_LARGE = r"\btoo (?:long|large)\b"
TOO_LONG = re.compile(
    r"context[ _-]?(?:length|size|window|limit)|maximum (?:model|sequence) length|"
    r"\b(?:prompt|input|request|message)s?\b.{0,80}?"
    rf"(?:{_TOO_LARGE}|\b(?:exceed|longer than|(?:less|fewer) than))|"
    r"exceed.{0,60}\b(?:context|tokens?)\b|too many (?:input )?tokens|"
    r"reduce the length|string_above_max_length|\bn_ctx\b|\bmax_seq_len\b|"
    r"\btokens\b.{0,40}\bmust be <",
    re.IGNORECASE | re.DOTALL,
)

# How an answer ended, in lower case, by the finish reasons of OpenAI, Anthropic,
# Gemini, Mistral, Cohere, OpenRouter, SGLang and others. With any other it has a fault.
_WHOLE = frozenset(
    {"stop", "end_turn", "eos", "eos_token", "stop_sequence", "none", ""}
    | {"complete", "completed", "finish", "finished", "done"}
)
_CUT_OFF = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
_FAILED = frozenset(
    {"error", "abort", "aborted", "cancelled", "canceled", "network_error", "timeout"}
    | {"insufficient_system_resource", "malformed_function_call"}
)

_KEY_PART = 6  # characters in a row that give a key away
_KEY_END = 4  # what servers leave standing of a key that they mask
_MASK = "***"
_LONGEST_READ = 20_000  # characters of an error page

# A return at the end of what has come may be the first half of a line's end.
_LINE_END = re.compile(rb"\r\n|\n|\r(?!\n|\Z)")
# What a line may begin with; "" is a comment's. llama.cpp's server adds "error".
_FIELDS = frozenset({b"data", b"event", b"id", b"retry", b"error", b""})
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Refusal:
    """One request without an answer.

    ``what`` says what happened ("answered 429"), ``body`` is what the server sent,
    decoded as far as it could be; the key may stand in it (see ``message``). ``status``
    is None where no answer arrived, ``is_timeout`` where the server was silent for too
    long, and ``cause`` is what broke the connection. ``wait`` is how many seconds the
    server asks to be left alone, ``location`` where it sends the request on to.
    ``arrived`` is how many characters of an answer had come before, None where it may
    be asked for again as if nothing had happened.
    """

    what: str
    body: object = None
    status: int | None = None
    code: str = ""
    kind: str = ""
    parameter: str = ""
    wait: float = 0.0
    way_out: str = ""
    arrived: int | None = None
    is_timeout: bool = False
    location: str = ""
    cause: BaseException | None = None

    @classmethod
    def by_status(cls, status: int, body: object, headers: Mapping[str, str]) -> Self:
        """The refusal that an answer with an error's status is."""
        fields = body if isinstance(body, dict) else {}
        refusal = cls(
            f"answered {status}",
            body,
            status,
            str(fields.get("code") or ""),
            str(fields.get("type") or ""),
            str(fields.get("param") or ""),
            retry_after(headers),
            location=headers.get("location", ""),
        )
        return replace(refusal, way_out=_way_out(refusal))

    @classmethod
    def in_stream(cls, error: object) -> Self:
        """The refusal that an error among a stream's events is.

        By then the answer's status is 200; some servers say in the error which it
        would have been, and the others' is that of an error inside the server.
        """
        code = str(error.get("code")) if isinstance(error, dict) else ""
        status = int(code) if re.fullmatch(r"[45]\d\d", code) else 500
        refusal = cls.by_status(status, error, {})
        if status == 500 and _FILTERED.search(refusal.words):
            refusal = cls.by_status(400, error, {})
        return replace(refusal, what="sent an error")

    @classmethod
    def no_completion(cls, body: object) -> Self:
        """The refusal that an answer is which is neither a completion nor an error."""
        return cls(
            "sent something that is no chat completion",
            body.decode("utf-8", "replace") if isinstance(body, bytes) else body,
            200,
            way_out="check the endpoint's address; most end in /v1",
        )

    @property
    def is_passing(self) -> bool:
        """True where the same request may be answered a little later."""
        if self.arrived is not None or self.is_fatal or self.is_too_long:
            return False
        if self.status is None or self.status >= 500 or self.status in _PASSING:
            return True
        return self.status == 200  # an answer, but not one to the question

    @property
    def words(self) -> str:
        """The server's codes and its own words, in which kinds of errors are found."""
        return f"{self.code} {self.kind} {message(self.body)}"

    @property
    def is_rate_limit(self) -> bool:
        """True where the server asks for fewer requests, not for another one."""
        asks = self.status == 429 or (self.status in _RATE_LIMITED and self.wait > 0)
        is_another = self.is_fatal or self.is_too_long
        return asks and self.arrived is None and not is_another

    @property
    def is_fatal(self) -> bool:
        """True where no prompt would be answered, for want of a key or of credit.

        All else that a server refuses may be about one prompt: see ``schedule``.
        """
        return self.status == 401 or self.wants_credit

    @property
    def wants_key(self) -> bool:
        """True where the key is not accepted, or may not do this."""
        return self.status in (401, 403) or "api key" in self.words.lower()

    @property
    def wants_credit(self) -> bool:
        """True where the account has to be paid first."""
        words = f"{self.code} {self.kind}"
        if self.status == 429 and not (self.wait or _NAMES_TIME.search(self.words)):
            words = self.words
        return self.status == 402 or bool(_ACCOUNT.search(words))

    @property
    def is_too_long(self) -> bool:
        """True where the prompt has more tokens than the model takes."""
        can_be = self.status in (400, 413, 422, 429, 500) and self.arrived is None
        if self.status == 429:  # mostly about the requests of a minute
            return can_be and bool(re.search(_TOO_LARGE, self.words, re.IGNORECASE))
        return can_be and (self.status == 413 or bool(TOO_LONG.search(self.words)))

    def is_about(self, parameter: str) -> bool:
        """True where the server does not take this parameter of the request."""
        names = re.findall(r"\w+", self.parameter or message(self.body))
        is_refused = self.status in (400, 422) and self.arrived is None
        return is_refused and parameter in names and not self.is_too_long


class Growing:
    """A response while it arrives.

    ``show`` is given each piece of text once, in order; none of an answer that is sent
    as one. ``length`` is how many characters have arrived. ``result`` is None as long
    as more may come.
    """

    def __init__(self, show: Callable[[str], None]) -> None:
        self.length = 0
        self.result: Response | Refusal | None = None
        self._show = show
        self._events = Events()
        self._pieces: list[str] = []
        # Keeps half a surrogate pair until the piece with its other half.
        self._decoder = getincrementaldecoder("utf-16-le")("surrogatepass")
        self._is_full = False
        self._is_answer = False
        self._finish = ""
        self._has_call = False
        self._refusal: list[str] = []
        self._usage: object = None

    @property
    def is_whole(self) -> bool:
        """Whether the text has ended; token counts may still follow."""
        return bool(self._finish)

    def feed(self, received: bytes) -> bool:
        """Take the next bytes; whether an event was among them."""
        events = self._events.feed(received)
        for data in events:
            self._take(data)
        if self._events.too_long and self.result is None:
            self.result = Refusal.no_completion(bytes(self._events.plain))
        return bool(events)

    def end(self) -> Response | Refusal:
        """What came of it, now that no more bytes will come."""
        for data in self._events.feed(b"\n\n"):  # an event whose end was not sent
            self._take(data)
        if self.result is not None:
            return self.result
        if self._is_answer:
            return self.response()
        if self._events.are_events:
            return Refusal.no_completion("")
        return read_completion(bytes(self._events.plain))

    def response(self) -> Response:
        """What has arrived, as the answer."""
        self._add("", is_last=True)
        return response(
            "".join(self._pieces),
            self._usage,
            unfinished=self._is_full,
            ending=self._finish or NO_ENDING,
            refusal="".join(self._refusal),
            has_call=self._has_call,
        )

    def _take(self, data: str) -> None:
        if not data or self.result is not None:
            return
        if data.startswith("[DONE]"):
            self._finish = self._finish or "stop"
            self.result = self.response()
            return
        try:
            body = json.loads(data)
            if body.get("error"):
                self.result = Refusal.in_stream(body["error"])
                return
            self._usage = body.get("usage") or self._usage
            for choice in body.get("choices") or ():
                self._is_answer = True
                if choice.get("index"):
                    continue  # the first is the one that was asked for
                if (failure := failure_in(choice)) is not None:
                    self.result = failure
                    return
                # Some repeat the whole message at the end.
                message_sent = None if self.length else choice.get("message")
                delta = choice.get("delta") or message_sent or {}
                content, refusal = content_of(delta)
                self._refusal.append(refusal)
                self._add(content)
                self._has_call |= calls_tool(delta)
                self._finish = ending_of(choice, self._finish)
        except (AttributeError, RecursionError, TypeError, ValueError):
            self.result = Refusal.no_completion(data)
        else:
            self.result = self.response() if self._is_full else None

    def _add(self, content: str, *, is_last: bool = False) -> None:
        halves = content.encode("utf-16-le", "surrogatepass")
        text = encodable(self._decoder.decode(halves, is_last))
        room = LONGEST_TEXT - self.length
        self._is_full |= len(text) > room
        if text := text[:room]:
            self._pieces.append(text)
            self.length += len(text)
            self._show(text)


class Events:
    """The data of server-sent events, or the body where it is something else.

    The first line that is not empty decides: servers are careless with the type that
    they declare. ``plain`` is the body as far as it is not made of events.
    """

    def __init__(self) -> None:
        self.are_events: bool | None = None  # before the first line
        self.plain = bytearray()
        self._line = b""  # the beginning of one that goes on
        self._data: list[bytes] = []
        self._name = b""  # of the event, where it has one
        self._length = 0  # of the data

    @property
    def too_long(self) -> bool:
        """Whether more than ``LONGEST_EVENT`` bytes wait for their end to be read."""
        pending = self._length + len(self._line)
        return max(pending, len(self.plain)) > LONGEST_EVENT

    def feed(self, received: bytes) -> list[str]:
        """The data of each event that these bytes complete; comments have none."""
        if not self.are_events:
            self.plain += received
        if self.are_events is False:
            return []
        *lines, self._line = _LINE_END.split(self._line + received)
        complete = []
        for line in lines:
            name, _, value = line.removeprefix(_BYTE_ORDER_MARK).partition(b":")
            if line and self.are_events is None:
                self.are_events = name in _FIELDS
                if self.are_events:
                    self.plain.clear()
            if not self.are_events:
                continue
            if name == b"data":
                self._data.append(value.removeprefix(b" "))
                self._length += len(line)
            if name == b"event":
                self._name = value.strip()
            if name == b"error":
                complete.append(b'{"error":%b}' % value)
            elif not line and self._data:
                data = b"\n".join(self._data)
                is_error = self._name == b"error"
                complete.append(b'{"error":%b}' % data if is_error else data)
                self._data, self._length, self._name = [], 0, b""
        return [data.decode("utf-8", "replace") for data in complete]


def read_completion(body: bytes) -> Response | Refusal:
    """The response in a chat completion, or the refusal that any other body is."""
    try:
        completion = json.loads(body)
    except (ValueError, RecursionError):
        return Refusal.no_completion(body)
    try:
        if completion.get("error"):
            return Refusal.in_stream(completion["error"])
        choices, usage = completion["choices"], completion.get("usage")
        first = choices[0] if choices else {"message": {}}
        if (failure := failure_in(first)) is not None:
            return failure
        content, refusal = content_of(first["message"])
        has_call = calls_tool(first["message"])
        ending = ending_of(first)
    except (AttributeError, IndexError, KeyError, TypeError):
        return Refusal.no_completion(completion)
    if not isinstance(choices, list):
        return Refusal.no_completion(completion)
    # Escapes in JSON can spell half a surrogate pair, which no file can hold.
    text = encodable(content)
    return response(
        text[:LONGEST_TEXT],
        usage,
        unfinished=len(text) > LONGEST_TEXT,
        ending=ending,
        refusal=refusal,
        has_call=has_call,
    )


def content_of(message: Mapping[str, Any]) -> tuple[str, str]:
    """(text, refusal) of a message or of a part of a stream, "" where there is none.

    Of a list of chunks the text is that of the text chunks: thoughts and what else
    there may be are no part of the answer. Raises TypeError for another content.
    """
    content, refusal = message.get("content"), message.get("refusal") or ""
    if isinstance(content, dict):
        content = [content]
    if isinstance(content, list):
        chunks = [{"text": c} if isinstance(c, str) else c or {} for c in content]
        refusal = refusal or "".join(chunk.get("refusal") or "" for chunk in chunks)
        is_text = ("text", "output_text", None)
        texts = [chunk.get("text") for chunk in chunks if chunk.get("type") in is_text]
        content = "".join(
            (text.get("value") if isinstance(text, dict) else text) or ""
            for text in texts
        )
    if not (isinstance(content, str | None) and isinstance(refusal, str)):
        raise TypeError("content is neither a text nor chunks")
    return content or "", refusal


def calls_tool(message: Mapping[str, Any]) -> bool:
    """Return True where a message, or a part of a stream, calls a tool."""
    return bool(message.get("tool_calls") or message.get("function_call"))


def ending_of(choice: Mapping[str, Any], before: str = "") -> str:
    """Finish reason of a choice, or of the part ``before``; "" where it has none.

    A provider may send its own as well; that of no whole answer comes first.
    """
    native = choice.get("native_finish_reason")
    reasons = [before, choice.get("finish_reason"), native]
    endings = [str(reason) for reason in reasons if reason]
    faulty = (ending for ending in endings if ending.lower() not in _WHOLE)
    return next(faulty, endings[0] if endings else "")


def failure_in(choice: Mapping[str, Any]) -> Refusal | None:
    """The provider's error in place of an answer, if there is one."""
    finish = choice.get("finish_reason")
    if choice.get("error"):
        return Refusal.in_stream(choice["error"])
    if str(finish).lower() in _FAILED:
        return Refusal.in_stream({"message": f"the answer ended with '{finish}'"})
    return None


def response(
    text: str,
    usage: object,
    *,
    unfinished: bool,
    ending: str,
    refusal: str,
    has_call: bool,
) -> Response:
    """Response of this text, with the server's count of tokens, if it has one.

    ``ending`` is the server's word for how the answer ended, ``refusal`` the model's
    words where it refused, else "". ``has_call``: it calls a tool.
    """
    counts = usage if isinstance(usage, dict) else {}
    tokens_in, tokens_out = (
        count if isinstance(count, int) and count >= 0 else None
        for count in map(counts.get, ("prompt_tokens", "completion_tokens"))
    )
    unfinished = unfinished or ending.lower() in _CUT_OFF
    fault = ""
    if refusal:
        fault = f"refused by the model: {message(refusal)}"
    elif has_call:
        fault = "a call of a tool in place of an answer"
    elif not unfinished and ending.lower() not in _WHOLE:
        fault = f"the answer ended with {message(ending)}"
    return Response(
        text,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        unfinished=unfinished,
        fault=fault,
    )


def message(body: object, key: str = "") -> str:
    """The server's own words, in one line of at most ``LONGEST_MESSAGE`` characters.

    Words that hold a part of ``key`` are masked: a server may repeat what it was sent.
    """
    part: Any = body
    for field in ("error", "message", "detail"):
        if isinstance(part, dict) and part.get(field):
            part = part[field]
    text = "" if part is None else str(part)[:_LONGEST_READ]
    printable = "".join(c if c.isprintable() else " " for c in text)
    # Masked before it is cut: half a key is a part of a key.
    line = " ".join(_masked(printable.split(), key))
    if len(line) <= LONGEST_MESSAGE:
        return line
    return line[: LONGEST_MESSAGE - 1].rstrip() + "…"


def retry_after(headers: Mapping[str, str]) -> float:
    """Seconds that the server asks to wait; 0 where it says nothing that can be read.

    ``Retry-After`` holds seconds or a date, ``Retry-After-Ms`` milliseconds.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * unit)
        except (KeyError, ValueError):
            continue
    try:
        until = parsedate_to_datetime(headers["retry-after"]).timestamp()
    except (KeyError, ValueError, OverflowError):
        return 0.0
    return max(0.0, until - time())


def _masked(words: list[str], key: str) -> list[str]:
    """``words``, "[key]" for each that shows a part of ``key`` or is a mask itself."""
    parts = {key[n : n + _KEY_PART] for n in range(len(key) - _KEY_PART + 1)}
    parts.add(_MASK)  # a shorter key, such as "x", hides nothing and is in most words
    end = key[-_KEY_END:] if len(key) > _KEY_PART else _MASK
    return [
        "[key]"
        if any(part in word for part in parts)
        or word.rstrip(".,;:'\")]}").endswith(end)
        else word
        for word in words
    ]


def _way_out(refusal: Refusal) -> str:
    status = refusal.status or 0
    if status == 402 or _ACCOUNT.search(refusal.words):
        return "the account has no credit left: top it up, or use another endpoint"
    if status in range(300, 400):  # followed, it would take texts to whoever it names
        return "it sends requests on to another address: give that one, if it is meant"
    if refusal.wants_key:
        return "check OPENAI_API_KEY and what it may use there"
    if status == 404:
        return "check the model's name and the endpoint's address"
    if status == 429:
        return "try again later, or with fewer requests at once"
    if status >= 500 or status in _PASSING:
        return "try again later"
    return "the endpoint does not take this request: check the model's name and limits"
