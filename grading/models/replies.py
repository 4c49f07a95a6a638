"""Parse replies of chat endpoints: complete or streamed responses, and refusals.

Servers with OpenAI's protocol agree more on answers than on errors, so refusals are
searched for known fields and words. Their streams have little more in common than
"data: " and "[DONE]": some send comments to keep the connection alive, some send
thoughts first, some omit the end, and some ignore ``stream`` and send one completion.
Nothing here waits or connects.
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

LONGEST_TEXT = 200_000  # characters; the rest of a longer answer is not read
LONGEST_EVENT = 4_000_000  # bytes; also of a body without events
LONGEST_MESSAGE = 200  # characters of the server's message
NO_ENDING = "no finish reason"  # of a stream that ended without "[DONE]" either

# A retry may succeed. 409 is a lock that timed out.
_TEMPORARY = frozenset({408, 409, 425})
_RATE_LIMITED = frozenset({429, 503, 529})  # the last two only with a wait time
# Messages about the account, for which neither other prompts nor waiting help.
_ACCOUNT = re.compile(
    r"billing|current[ _]quota|credit balance|arrears|"
    r"insufficient[ _](?:quota|balance|funds|credit)",
    re.IGNORECASE,
)
_NAMES_TIME = re.compile(r"\b(?:again|retry) (?:in|after)\b", re.IGNORECASE)
# Errors in a stream that a retry would repeat.
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

# Finish reasons in lower case, of OpenAI, Anthropic, Gemini, Mistral, Cohere,
# OpenRouter, SGLang and others. An answer with any other reason has a fault.
_COMPLETE = frozenset(
    {"stop", "end_turn", "eos", "eos_token", "stop_sequence", "none", ""}
    | {"complete", "completed", "finish", "finished", "done"}
)
_CUT_OFF = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
_FAILED = frozenset(
    {"error", "abort", "aborted", "cancelled", "canceled", "network_error", "timeout"}
    | {"insufficient_system_resource", "malformed_function_call"}
)

_KEY_PART = 6  # consecutive characters that reveal a key
_KEY_END = 4  # characters that servers leave at the end of a masked key
_MASK = "***"
_LONGEST_READ = 20_000  # characters of an error page

# A carriage return at the end of the data may be the first half of a line end.
_LINE_END = re.compile(rb"\r\n|\n|\r(?!\n|\Z)")
# Field names of lines; "" is a comment. llama.cpp's server adds "error".
_FIELDS = frozenset({b"data", b"event", b"id", b"retry", b"error", b""})
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Refusal:
    """Outcome of a request without an answer.

    ``what`` is what happened ("answered 429"), ``body`` what the server sent, decoded
    as far as possible; it may contain the key (see ``message``). ``status`` is None if
    no reply arrived; ``is_timeout`` is True if the server was silent for too long;
    ``cause`` is the connection error. ``wait`` is the number of seconds that the server
    asks to wait, ``location`` the target of a redirect, ``hint`` what the user can do.
    ``arrived`` is the number of characters of the answer already shown, None if the
    request may be repeated.
    """

    what: str
    body: object = None
    status: int | None = None
    code: str = ""
    kind: str = ""
    parameter: str = ""
    wait: float = 0.0
    hint: str = ""
    arrived: int | None = None
    is_timeout: bool = False
    location: str = ""
    cause: BaseException | None = None

    @classmethod
    def by_status(cls, status: int, body: object, headers: Mapping[str, str]) -> Self:
        """Return the refusal for a reply with an error status."""
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
        return replace(refusal, hint=_hint(refusal))

    @classmethod
    def from_stream_error(cls, error: object) -> Self:
        """Return the refusal for an error event in a stream.

        The status of the reply is 200 then; some servers put another one into the
        error, else 500 is assumed.
        """
        code = str(error.get("code")) if isinstance(error, dict) else ""
        status = int(code) if re.fullmatch(r"[45]\d\d", code) else 500
        refusal = cls.by_status(status, error, {})
        if status == 500 and _FILTERED.search(refusal.description):
            refusal = cls.by_status(400, error, {})
        return replace(refusal, what="sent an error")

    @classmethod
    def no_completion(cls, body: object) -> Self:
        """Return the refusal for a reply that is neither a completion nor an error."""
        return cls(
            "sent an invalid chat completion",
            body.decode("utf-8", "replace") if isinstance(body, bytes) else body,
            200,
            hint="check the endpoint's address; most end in /v1",
        )

    @property
    def is_temporary(self) -> bool:
        """Return True if a retry of the same request may succeed."""
        if self.arrived is not None or self.is_fatal or self.is_too_long:
            return False
        if self.status is None or self.status >= 500 or self.status in _TEMPORARY:
            return True
        return self.status == 200  # a reply without a completion

    @property
    def description(self) -> str:
        """The server's codes and message, by which errors are recognised."""
        return f"{self.code} {self.kind} {message(self.body)}"

    @property
    def is_rate_limit(self) -> bool:
        """Return True if the server asks for fewer requests."""
        asks = self.status == 429 or (self.status in _RATE_LIMITED and self.wait > 0)
        is_another = self.is_fatal or self.is_too_long
        return asks and self.arrived is None and not is_another

    @property
    def is_fatal(self) -> bool:
        """Return True if no prompt would be answered, without a valid key or credit.

        Any other refusal may concern one prompt only: see ``schedule``.
        """
        return self.status == 401 or self.wants_credit

    @property
    def wants_key(self) -> bool:
        """Return True if the key is rejected or lacks permission."""
        return self.status in (401, 403) or "api key" in self.description.lower()

    @property
    def wants_credit(self) -> bool:
        """Return True if the account has no credit."""
        words = f"{self.code} {self.kind}"
        if self.status == 429 and not (
            self.wait or _NAMES_TIME.search(self.description)
        ):
            words = self.description
        return self.status == 402 or bool(_ACCOUNT.search(words))

    @property
    def is_too_long(self) -> bool:
        """Return True if the prompt has too many tokens for the model."""
        can_be = self.status in (400, 413, 422, 429, 500) and self.arrived is None
        if self.status == 429:  # mostly about the requests of a minute
            return can_be and bool(
                re.search(_TOO_LARGE, self.description, re.IGNORECASE)
            )
        return can_be and (
            self.status == 413 or bool(TOO_LONG.search(self.description))
        )

    def is_about(self, parameter: str) -> bool:
        """Return True if the server refuses this parameter of the request."""
        names = re.findall(r"\w+", self.parameter or message(self.body))
        is_refused = self.status in (400, 422) and self.arrived is None
        return is_refused and parameter in names and not self.is_too_long


class StreamedResponse:
    """Collects a streamed response.

    ``show`` is called with each piece of text, in order; not for a reply without
    events. ``length`` is the number of characters received. ``result`` is None until
    the stream has ended.
    """

    def __init__(self, show: Callable[[str], None]) -> None:
        self.length = 0
        self.result: Response | Refusal | None = None
        self._show = show
        self._events = EventParser()
        self._pieces: list[str] = []
        # Keeps half a surrogate pair until the other half arrives.
        self._decoder = getincrementaldecoder("utf-16-le")("surrogatepass")
        self._is_full = False
        self._is_answer = False
        self._finish = ""
        self._has_call = False
        self._refusal: list[str] = []
        self._usage: object = None

    @property
    def is_complete(self) -> bool:
        """Return True if the text has ended; token counts may still follow."""
        return bool(self._finish)

    def feed(self, received: bytes) -> bool:
        """Parse the next bytes; return True if they completed an event."""
        events = self._events.feed(received)
        for data in events:
            self._handle_event(data)
        if self._events.too_long and self.result is None:
            self.result = Refusal.no_completion(bytes(self._events.plain))
        return bool(events)

    def end(self) -> Response | Refusal:
        """Return the result at the end of the connection."""
        for data in self._events.feed(b"\n\n"):  # an event without its end
            self._handle_event(data)
        if self.result is not None:
            return self.result
        if self._is_answer:
            return self.response()
        if self._events.is_stream:
            return Refusal.no_completion("")
        return read_completion(bytes(self._events.plain))

    def response(self) -> Response:
        """Return the text received so far as the answer."""
        self._add("", is_last=True)
        return response(
            "".join(self._pieces),
            self._usage,
            unfinished=self._is_full,
            ending=self._finish or NO_ENDING,
            refusal="".join(self._refusal),
            has_call=self._has_call,
        )

    def _handle_event(self, data: str) -> None:
        if not data or self.result is not None:
            return
        if data.startswith("[DONE]"):
            self._finish = self._finish or "stop"
            self.result = self.response()
            return
        try:
            body = json.loads(data)
            if body.get("error"):
                self.result = Refusal.from_stream_error(body["error"])
                return
            self._usage = body.get("usage") or self._usage
            for choice in body.get("choices") or ():
                self._is_answer = True
                if choice.get("index"):
                    continue  # only one choice was requested
                if (failure := failure_in(choice)) is not None:
                    self.result = failure
                    return
                # Some servers repeat the whole message at the end.
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


class EventParser:
    """Splits a body into the data of server-sent events.

    The first non-empty line decides whether it has events, since declared content
    types are unreliable. ``plain`` is a body without events.
    """

    def __init__(self) -> None:
        self.is_stream: bool | None = None  # unknown before the first line
        self.plain = bytearray()
        self._line = b""  # incomplete
        self._data: list[bytes] = []
        self._name = b""  # of the event
        self._length = 0  # of the data

    @property
    def too_long(self) -> bool:
        """Return True if an event or a body has more than ``LONGEST_EVENT`` bytes."""
        pending = self._length + len(self._line)
        return max(pending, len(self.plain)) > LONGEST_EVENT

    def feed(self, received: bytes) -> list[str]:
        """Return the data of each event that these bytes complete."""
        if not self.is_stream:
            self.plain += received
        if self.is_stream is False:
            return []
        *lines, self._line = _LINE_END.split(self._line + received)
        complete = []
        for line in lines:
            name, _, value = line.removeprefix(_BYTE_ORDER_MARK).partition(b":")
            if line and self.is_stream is None:
                self.is_stream = name in _FIELDS
                if self.is_stream:
                    self.plain.clear()
            if not self.is_stream:
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
    """Return the response in a chat completion, or a refusal for any other body."""
    try:
        completion = json.loads(body)
    except (ValueError, RecursionError):
        return Refusal.no_completion(body)
    try:
        if completion.get("error"):
            return Refusal.from_stream_error(completion["error"])
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
    # Escapes in JSON can produce lone surrogates, which no file can store.
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
    """Return (text, refusal) of a message or a stream's delta, "" if there is none.

    Only text chunks of a list of chunks count: thoughts are not part of the answer.
    Raises TypeError for any other content.
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
    """Return True if a message or a stream's delta calls a tool."""
    return bool(message.get("tool_calls") or message.get("function_call"))


def ending_of(choice: Mapping[str, Any], before: str = "") -> str:
    """Return the finish reason of a choice, else ``before``; "" if there is none.

    A provider may send its own reason, too; one of an incomplete answer wins.
    """
    native = choice.get("native_finish_reason")
    reasons = [before, choice.get("finish_reason"), native]
    endings = [str(reason) for reason in reasons if reason]
    faulty = (ending for ending in endings if ending.lower() not in _COMPLETE)
    return next(faulty, endings[0] if endings else "")


def failure_in(choice: Mapping[str, Any]) -> Refusal | None:
    """Return the provider's error in place of an answer, if there is one."""
    finish = choice.get("finish_reason")
    if choice.get("error"):
        return Refusal.from_stream_error(choice["error"])
    if str(finish).lower() in _FAILED:
        return Refusal.from_stream_error(
            {"message": f"the answer ended with '{finish}'"}
        )
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
    """Build the response, with the server's token counts if there are any.

    ``ending`` is the finish reason, ``refusal`` the model's text if it refused, else
    "". ``has_call``: it calls a tool.
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
    elif not unfinished and ending.lower() not in _COMPLETE:
        fault = f"the answer ended with {message(ending)}"
    return Response(
        text,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        unfinished=unfinished,
        fault=fault,
    )


def message(body: object, key: str = "") -> str:
    """Return the server's message in one line of at most ``LONGEST_MESSAGE`` letters.

    Words with a part of ``key`` are masked, since a server may repeat the request.
    """
    part: Any = body
    for field in ("error", "message", "detail"):
        if isinstance(part, dict) and part.get(field):
            part = part[field]
    text = "" if part is None else str(part)[:_LONGEST_READ]
    printable = "".join(c if c.isprintable() else " " for c in text)
    # Mask before cutting: half a key would not be recognised.
    line = " ".join(_masked(printable.split(), key))
    if len(line) <= LONGEST_MESSAGE:
        return line
    return line[: LONGEST_MESSAGE - 1].rstrip() + "…"


def retry_after(headers: Mapping[str, str]) -> float:
    """Return the seconds that the server asks to wait, 0 if it gives no valid time.

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
    """Replace words with a part of ``key``, and masks of it, by "[key]"."""
    parts = {key[n : n + _KEY_PART] for n in range(len(key) - _KEY_PART + 1)}
    parts.add(_MASK)  # a shorter key, such as "x", would mask most words
    end = key[-_KEY_END:] if len(key) > _KEY_PART else _MASK

    def is_secret(word: str) -> bool:
        stripped = word.rstrip(".,;:'\")]}")
        return stripped.endswith(end) or any(part in word for part in parts)

    return ["[key]" if is_secret(word) else word for word in words]


def _hint(refusal: Refusal) -> str:
    status = refusal.status or 0
    if status == 402 or _ACCOUNT.search(refusal.description):
        return "the account has no credit left: top it up, or use another endpoint"
    if status in range(300, 400):  # not followed: texts would go to another server
        return "it redirects to another address: give that one, if you trust it"
    if refusal.wants_key:
        return "check OPENAI_API_KEY and its permissions there"
    if status == 404:
        return "check the model's name and the endpoint's address"
    if status == 429:
        return "try again later, or with fewer requests at once"
    if status >= 500 or status in _TEMPORARY:
        return "try again later"
    return "the endpoint does not take this request: check the model's name and limits"
