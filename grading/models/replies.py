"""Parse replies of chat endpoints: complete or streamed responses, and refusals.

Servers with OpenAI's protocol agree more on answers than on errors, so refusals are
searched for known fields and words. Some servers send thoughts first, some omit the end
of a stream, and some ignore ``stream`` and send one completion. Nothing here waits or
connects.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import time
from typing import Any, Self

from grading.models.protocol import Response, encodable

LONGEST_TEXT = 200_000  # characters; the rest of a longer answer is not read
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
    {"stop", "end_turn", "eos", "eos_token", "stop_sequence", "none"}
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


@dataclass(frozen=True)
class Refusal:
    """Outcome of a request without an answer.

    ``what`` is what happened ("answered 429"), ``body`` what the server sent, decoded
    as far as possible; it may contain the key (see ``message``). ``status`` is None if
    no reply arrived; ``is_timeout`` is True if the server was silent for too long;
    ``cause`` is the connection error. ``wait`` is the number of seconds that the server
    asks to wait, ``location`` the target of a redirect. ``arrived`` is the number of
    characters of the answer already shown, None if the request may be repeated.
    """

    what: str
    body: object = None
    status: int | None = None
    wait: float = 0.0
    arrived: int | None = None
    is_timeout: bool = False
    location: str = ""
    cause: BaseException | None = None

    @classmethod
    def by_status(cls, status: int, body: object, headers: Mapping[str, str]) -> Self:
        """Return the refusal for a reply with an error status."""
        wait, location = retry_after(headers), headers.get("location", "")
        return cls(f"answered {status}", body, status, wait, location=location)

    @classmethod
    def from_stream_error(cls, error: object) -> Self:
        """Return the refusal for an error in place of an answer.

        The status of the reply is 200 then; some servers put another one into the
        error, else 500 is assumed.
        """
        code = str(error.get("code")) if isinstance(error, dict) else ""
        status = int(code) if re.fullmatch(r"[45]\d\d", code) else 500
        refusal = cls("sent an error", error, status)
        if status == 500 and _FILTERED.search(refusal.description):
            return cls("sent an error", error, 400)
        return refusal

    @classmethod
    def no_completion(cls, body: object) -> Self:
        """Return the refusal for a reply that is neither a completion nor an error."""
        return cls("sent an invalid chat completion", body, 200)

    @property
    def hint(self) -> str:
        """Return what the user can do."""
        status = self.status
        if self.is_timeout:
            return "try again later, with fewer requests at once or a longer timeout"
        if status is None:
            return "check that the server runs, and its address"
        if status == 200:
            return "check the endpoint's address; most end in /v1"
        if self.wants_credit:
            return "the account has no credit left: top it up, or use another endpoint"
        if status in range(300, 400):  # not followed: texts would go to another server
            return "it redirects to another address: give that one, if you trust it"
        if self.wants_key:
            return "check OPENAI_API_KEY and its permissions there"
        if status == 404:
            return "check the model's name and the endpoint's address"
        if status == 429:
            return "try again later, or with fewer requests at once"
        if status >= 500 or status in _TEMPORARY:
            return "try again later"
        return (
            "the endpoint does not take this request: check the model's name and limits"
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
        return f"{self._field('code')} {self._field('type')} {message(self.body)}"

    def _field(self, name: str) -> str:
        return str(self.body.get(name) or "") if isinstance(self.body, dict) else ""

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
        words = f"{self._field('code')} {self._field('type')}"
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
        names = re.findall(r"\w+", self._field("param") or message(self.body))
        is_refused = self.status in (400, 422) and self.arrived is None
        return is_refused and parameter in names and not self.is_too_long


class ReplyReader:
    """Reads the lines of a reply: a stream's events, or one completion.

    ``show`` is called with each piece of a stream's text, in order. ``text`` is the
    text so far, ``result`` is None until the reply has ended.
    """

    def __init__(self, show: Callable[[str], None] = lambda piece: None) -> None:
        self.text = ""
        self.result: Response | Refusal | None = None
        self._show = show
        self._plain: list[str] = []  # lines of a reply without events
        self._is_stream = False
        self._event = ""  # name of the event, if it has one
        self._is_answer = False
        self._finish = ""
        self._refusal = ""
        self._usage: object = None

    @property
    def is_complete(self) -> bool:
        """Return True if the text has ended; token counts may still follow."""
        return bool(self._finish)

    def read(self, line: str) -> bool:
        """Read the next line; return True for an event."""
        name, _, value = line.partition(":")
        is_event, value = name in ("data", "error"), value.strip()
        self._is_stream |= is_event
        if name == "event":
            self._event = value
        elif not is_event:
            self._plain.append(line)
        elif value.startswith("[DONE]"):
            self._finish = self._finish or "stop"
            self.result = self.response()
        elif value:
            is_error = "error" in (name, self._event)  # the first is llama.cpp's
            self._read_body(f'{{"error":{value}}}' if is_error else value)
        return is_event

    def end(self) -> Response | Refusal:
        """Return the result at the end of the connection."""
        plain = "\n".join(self._plain)
        if not self._is_stream:
            self._read_body(plain)
            if self.result is None and self._is_answer:
                self._finish = self._finish or "stop"
        if self.result is None and self._is_answer:
            self.result = self.response()
        return self.result or Refusal.no_completion(plain)

    def response(self) -> Response:
        """Return the text received so far as the answer, with its token counts."""
        ending = self._finish or NO_ENDING
        counts = self._usage if isinstance(self._usage, dict) else {}
        tokens_in, tokens_out = (
            count if isinstance(count, int) and count >= 0 else None
            for count in map(counts.get, ("prompt_tokens", "completion_tokens"))
        )
        is_full = len(self.text) > LONGEST_TEXT
        unfinished = is_full or ending.lower() in _CUT_OFF
        fault = ""
        if self._refusal:
            fault = f"refused by the model: {message(self._refusal)}"
        elif not unfinished and ending.lower() not in _COMPLETE:
            fault = f"the answer ended with {message(ending)}"
        text = joined(self.text)[:LONGEST_TEXT]
        return Response(text, False, tokens_in, tokens_out, unfinished, fault)

    def _read_body(self, data: str) -> None:
        try:
            body = json.loads(data)
            if body.get("error"):
                self.result = Refusal.from_stream_error(body["error"])
                return
            self._usage = body.get("usage") or self._usage
            self._is_answer |= "choices" in body and not self._is_stream
            for choice in body.get("choices") or ():
                self._read_choice(choice)
        except (AttributeError, RecursionError, TypeError, ValueError):
            self.result = Refusal.no_completion(data)
        if len(self.text) > LONGEST_TEXT:
            self.result = self.result or self.response()

    def _read_choice(self, choice: Mapping[str, Any]) -> None:
        self._is_answer = True
        finish = str(choice.get("finish_reason") or "")
        if choice.get("error") or finish.lower() in _FAILED:
            error = {"message": f"the answer ended with '{finish}'"}
            self.result = Refusal.from_stream_error(choice.get("error") or error)
        elif not choice.get("index"):  # only one choice was requested
            # Some servers repeat the whole message at the end.
            full_message = None if self.text else choice.get("message")
            content, refusal = content_of(choice.get("delta") or full_message or {})
            self._refusal += refusal
            self._finish = finish or self._finish
            if content:
                self.text += content
                if self._is_stream:
                    self._show(content)


def content_of(message: Mapping[str, Any]) -> tuple[str, str]:
    """Return (text, refusal) of a message or a stream's delta, "" if there is none.

    Only text chunks of a list of chunks count: thoughts are not part of the answer.
    Raises TypeError for any other content.
    """
    content, refusal = message.get("content"), message.get("refusal") or ""
    if isinstance(content, list):
        refusal = refusal or "".join(chunk.get("refusal") or "" for chunk in content)
        is_text = ("text", "output_text", None)
        content = "".join(
            chunk.get("text") or "" for chunk in content if chunk.get("type") in is_text
        )
    if not (isinstance(content, str | None) and isinstance(refusal, str)):
        raise TypeError("content is neither a text nor chunks")
    return content or "", refusal


def joined(text: str) -> str:
    """Join surrogates that arrived in two pieces; replace lone ones by "?"."""
    halves = text.encode("utf-16-le", "surrogatepass")
    return encodable(halves.decode("utf-16-le", "surrogatepass"))


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
