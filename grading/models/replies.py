"""What a chat endpoint sends back: a response, or why there is none.

Servers that speak OpenAI's protocol agree on answers far more than on errors, so what
is read of a refusal is whatever can be found in it.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from time import time
from typing import Any, Self

from grading.models.protocol import Response

LONGEST_MESSAGE = 200  # characters of the server's own words
LONGEST_WAIT = 120.0  # seconds; a server that asks for more is not waited for

# What the server did not do now, it may do later. 409 is a lock that timed out.
_PASSING = frozenset({408, 409, 429})
_NO_CREDIT = "insufficient_quota"  # a 429 that no waiting cures
# The prompt was read and turned down: that is the model's answer to it, and an empty
# one, as where the filter strikes after the model has begun.
_FILTERED = frozenset({"content_filter", "invalid_prompt"})

_KEY_PART = 6  # characters in a row that give a key away
_KEY_END = 4  # what servers leave standing of a key that they mask
_MASK = "***"
_LONGEST_READ = 20_000  # characters of an error page


@dataclass(frozen=True)
class Refusal:
    """One request without an answer.

    ``what`` says what happened ("answered 429"), ``said`` is the server's own message
    in one short line without the key. ``status`` is None where no answer arrived.
    ``wait`` is how many seconds the server asks to be left alone, 0 where it does not.
    ``arrived`` is how many characters of an answer had come before, None where it may
    be asked for again as if nothing had happened.
    """

    what: str
    said: str = ""
    status: int | None = None
    code: str = ""
    parameter: str = ""
    wait: float = 0.0
    way_out: str = ""
    arrived: int | None = None

    @classmethod
    def by_status(
        cls, status: int, body: object, headers: Mapping[str, str], key: str
    ) -> Self:
        """The refusal that an answer with an error's status is."""
        said = message(body, key)
        fields = body if isinstance(body, dict) else {}
        code = str(fields.get("code") or "")
        return cls(
            f"answered {status}",
            said,
            status,
            code,
            str(fields.get("param") or ""),
            retry_after(headers),
            _way_out(status, code),
        )

    @classmethod
    def in_stream(cls, error: object, key: str) -> Self:
        """The refusal that an error among a stream's events is.

        By then the answer's status is 200; some servers say in the error which it
        would have been, and the others' is that of an error inside the server.
        """
        code = error.get("code") if isinstance(error, dict) else None
        status = code if isinstance(code, int) and 400 <= code < 600 else 500
        if str(code) in _FILTERED:
            status = 400
        refusal = cls.by_status(status, error, {}, key)
        return replace(refusal, what="sent an error")

    @property
    def is_passing(self) -> bool:
        """Whether the same request may be answered a little later."""
        if self.arrived is not None:
            return False
        if self.status is None or self.status >= 500 or self.status in _PASSING:
            return self.code != _NO_CREDIT and self.wait <= LONGEST_WAIT
        return self.status == 200  # an answer, but not one to the question

    @property
    def is_filter(self) -> bool:
        """Whether a filter on the server turned this very prompt down."""
        return self.status == 400 and self.code in _FILTERED and self.arrived is None

    def is_about(self, parameter: str) -> bool:
        """Whether the server does not take this parameter of the request."""
        names = re.findall(r"\w+", self.parameter or self.said)
        is_refused = self.status in (400, 422) and self.arrived is None
        return is_refused and parameter in names


def read_completion(body: bytes, key: str) -> Response | Refusal:
    """The response in a chat completion, or the refusal that any other body is."""
    try:
        completion = json.loads(body)
    except (ValueError, RecursionError):
        return no_completion(body.decode("utf-8", "replace"), key)
    try:
        choices, usage = completion["choices"], completion.get("usage")
        first = choices[0] if choices else {"message": {}}
        content, finish = first["message"].get("content"), first.get("finish_reason")
    except (AttributeError, IndexError, KeyError, TypeError):
        return no_completion(completion, key)
    if not isinstance(choices, list) or not isinstance(content, str | None):
        return no_completion(completion, key)
    return Response(
        # Escapes in JSON can spell half a surrogate pair, which no file can hold.
        encodable(content or ""),
        tokens_in=token_count(usage, "prompt_tokens"),
        tokens_out=token_count(usage, "completion_tokens"),
        unfinished=finish == "length",
    )


def no_completion(body: object, key: str) -> Refusal:
    """The refusal that an answer is which is neither a completion nor an error."""
    return Refusal(
        "sent something that is no chat completion",
        message(body, key),
        status=200,
        way_out="check the endpoint's address; most end in /v1",
    )


def token_count(usage: object, field: str) -> int:
    """What the server counted, 0 where it did not."""
    count = usage.get(field) if isinstance(usage, dict) else None
    return count if isinstance(count, int) and count > 0 else 0


def encodable(text: str) -> str:
    """``text`` with "?" for half a surrogate pair, which UTF-8 does not have."""
    return text.encode("utf-8", "replace").decode()


def message(body: object, key: str) -> str:
    """The server's own words, in one line of at most ``LONGEST_MESSAGE`` characters.

    ``body`` is what it sent, decoded as far as it could be. Words that hold a part of
    ``key`` are masked: a server may repeat what it was sent.
    """
    said: Any = body
    for field in ("error", "message", "detail"):
        if isinstance(said, dict) and said.get(field):
            said = said[field]
    text = "" if said is None else str(said)[:_LONGEST_READ]
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


def _way_out(status: int, code: str) -> str:
    if code == _NO_CREDIT:
        return "the account has no credit left: top it up, or use another endpoint"
    if status in (401, 403):
        return "check OPENAI_API_KEY and what it may use there"
    if status == 404:
        return "check the model's name and the endpoint's address"
    if status == 429:
        return "try again later, or with fewer requests at once"
    if status >= 500 or status in _PASSING:
        return "try again later"
    return "the endpoint does not take this request: check the model's name and limits"
