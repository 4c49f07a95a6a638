"""Test of a chat endpoint: one prompt, and what is wrong where it is not answered.

The prompt is the self-rating prompt about a made-up question and passage. Further
requests are sent only after a failure, to find its cause, and to the same server.
"""

from __future__ import annotations

import json
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

import httpx

from grading.graders.text import REASONING, TextGrader, parsed
from grading.items import Item
from grading.models.chat import NO_KEY
from grading.models.endpoint import (
    Endpoint,
    EndpointCheck,
    is_proxied,
    key_for,
    key_is_there,
    resolved,
)
from grading.models.protocol import Response
from grading.models.replies import (
    LONGEST_EVENT,
    TOO_LONG,
    message,
    read_completion,
)
from grading.ratings import UNREADABLE
from grading.registry import open_grader

QUESTION = "Why do leaves turn yellow in autumn?"
PASSAGE = (
    "In autumn trees stop making chlorophyll, the pigment that colours leaves green. "
    "As it breaks down, yellow pigments that were there all summer become visible."
)
CONNECT_SECONDS = 10.0
SHORT_CONTEXT = 2_000  # tokens; a prompt with a long passage has as many
MOST_MODELS = 1_000
LONGEST_TEXT = 200  # characters of an answer, a model's name or an address

PATHS = ("/chat/completions", "/completions", "/responses", "/embeddings", "/models")
BASES = ("/v1", "/api/v1", "/openai/v1")  # of OpenAI and most, OpenRouter, Azure
BY_PROXY = (403, 407, 502, 503, 504)
CONTEXT_FIELDS = ("max_model_len", "context_length", "context_window")  # vLLM's first


def check_endpoint(
    model: str = "", url: str = "", *, timeout: float = 60.0
) -> EndpointCheck:
    """Send one prompt to the model at this address, else at the environment's.

    ``model`` is named as after ``chat:`` in a grader's name; without one it is the only
    model that the server lists. Raises EndpointError for what is no address or no key,
    UnknownGraderError for options that do not go together.
    """
    is_named, url = bool(url), resolved(url).rstrip("/")
    key = key_for(url)
    # Only OpenAI's own is refused without a key, in words of the environment.
    endpoint = Endpoint.given(url, key or NO_KEY)
    check = EndpointCheck(endpoint.host, model)
    for path in PATHS:
        if url.endswith(path):
            check = replace(check, problem="whole path", address=url.removesuffix(path))
            break
    else:
        # Redirects are refused, as everywhere: texts go to the host that was named.
        with httpx.Client(follow_redirects=False) as client:
            check = _Test(client, url, key, timeout, endpoint.is_openai).run(check)
    # The environment's address is for nobody else to read.
    return check if is_named else replace(check, address=_masked(check.address))


@dataclass
class _Test:
    client: httpx.Client
    url: str
    key: str
    timeout: float
    is_openai: bool

    def run(self, check: EndpointCheck) -> EndpointCheck:
        try:
            if self.is_openai and not self.key:
                return replace(check, **self.key_problem())
            if not check.model:
                models = self.models(self.url)
                if not models and (base := self.other_base()):
                    return replace(check, problem="base", address=base)
                check = replace(check, models=models)
                if len(models) != 1:
                    return replace(check, problem="no model")
                check = replace(check, model=models[0])
            return self.ask(check)
        except httpx.HTTPError as error:
            return replace(check, **self.connection_problem(error))

    def ask(self, check: EndpointCheck) -> EndpointCheck:
        """Ask as a grader does, without what the server does not take."""
        named = parsed(f"chat:{check.model}", None)
        ways = f"/{REASONING}" if REASONING in named.ways else ""
        grader = open_grader(f"{named.model}{ways}")
        assert isinstance(grader, TextGrader)
        check = replace(check, model=grader.spec.responder.model)
        item = Item("question", QUESTION)
        limit_names = ["max_completion_tokens", "max_tokens"]
        limit_name = limit_names.pop(0 if self.is_openai else 1)
        request: dict[str, Any] = {
            "model": check.model,
            "messages": [{"role": "user", "content": grader.asked(item, PASSAGE).text}],
            limit_name: grader.spec.responder.answer_limit,
        }
        if not ways:
            request["temperature"] = 0.0
        while True:
            began = time.monotonic()
            address = f"{self.url}/chat/completions"
            status, headers, body = self.send("POST", address, request)
            seconds = time.monotonic() - began
            result = read_completion(body) if status == 200 else None
            if isinstance(result, Response):
                break
            words = message(_json(body) or body.decode("utf-8", "replace"), self.key)
            # The full text is searched: what is shown may be cut before the name.
            refused = body.decode("utf-8", "replace") if status in (400, 422) else ""
            if "temperature" in refused and "temperature" in request:
                del request["temperature"]
                check = replace(check, problem="temperature", detail=words)
            elif limit_name in refused and limit_names:
                limit = request.pop(limit_name)
                limit_name = limit_names.pop()
                request[limit_name] = limit
            else:
                problem = self.status_problem(status, headers, body, request)
                return replace(check, **{"detail": words, **problem})
        rating: int | None = grader.read(result.stored, (), item)
        check = replace(
            check,
            answer=_one_line_of(result.raw),
            rating=None if rating == UNREADABLE else rating,
            tokens_in=result.tokens_in,
            tokens_out=result.tokens_out,
            seconds=seconds,
        )
        if check.problem:
            return check
        if rating == UNREADABLE:
            cut = result.unfinished and not ways
            return replace(check, problem="limit" if cut else "unreadable")
        with suppress(httpx.HTTPError):  # what is listed is told, and no more
            return replace(check, **self.listing_problem(check.model))
        return check

    def listing_problem(self, model: str) -> dict[str, Any]:
        """Return what the list of models says against one that has answered."""
        rows = self.listing(self.url)
        models = tuple(_one_line_of(str(row.get("id"))) for row in rows)
        if len(models) == 1 and model not in models:
            return {"problem": "other model", "models": models}
        for row in rows:
            for name in CONTEXT_FIELDS if row.get("id") == model else ():
                context = row.get(name)
                if isinstance(context, int) and 0 < context < SHORT_CONTEXT:
                    return {"problem": "context", "detail": f"{context:,} tokens"}
        return {}

    def send(
        self, method: str, url: str, body: object = None, timeout: float = 0.0
    ) -> tuple[int, Any, bytes]:
        """Return status, headers and body, of which no more than is ever read."""
        timeout = min(timeout or self.timeout, self.timeout)
        end = time.monotonic() + timeout
        received = bytearray()
        with self.client.stream(
            method,
            url,
            json=body,
            headers={"Authorization": f"Bearer {self.key or NO_KEY}"},
            timeout=httpx.Timeout(timeout, connect=min(CONNECT_SECONDS, timeout)),
        ) as answer:
            for part in answer.iter_bytes():
                received += part
                if time.monotonic() > end:
                    raise httpx.ReadTimeout("the answer does not end")
                if len(received) > LONGEST_EVENT:
                    break
        return answer.status_code, answer.headers, bytes(received)

    def listing(self, base: str) -> list[dict[str, Any]]:
        """Return the models that a base address lists, [] where it lists none."""
        url = f"{base}/models"
        status, _, body = self.send("GET", url, timeout=CONNECT_SECONDS)
        value = _json(body)
        rows = value.get("data") if isinstance(value, dict) else None
        if status != 200 or not isinstance(rows, list):
            return []
        return [row for row in rows[:MOST_MODELS] if isinstance(row, dict)]

    def models(self, base: str) -> tuple[str, ...]:
        names = (_one_line_of(str(row.get("id", ""))) for row in self.listing(base))
        return tuple(filter(None, names))

    def status_problem(
        self, status: int, headers: Any, body: bytes, request: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the problem behind an answer that is no completion."""
        text, value = body.decode("utf-8", "replace"), _json(body)
        is_json = value is not None
        error = value.get("error") if isinstance(value, dict) else None
        if status == 200 and isinstance(error, dict):  # as OpenRouter sends errors
            code = error.get("code")
            status = code if isinstance(code, int) and 400 <= code < 600 else status
        if is_proxied(self.url) and not is_json and status in BY_PROXY:
            return {"problem": "proxy"}
        scheme, _, place = self.url.partition("://")
        if scheme == "http" and status == 400 and not is_json and "HTTPS" in text:
            return {"problem": "wants https", "address": f"https://{place}"}
        if 300 <= status < 400:
            return {"problem": "redirect", "address": _target(headers)}
        if status == 402 or (status == 429 and "insufficient_quota" in text):
            return {"problem": "credit"}
        if status in (401, 403):
            return self.key_problem()
        if status == 429:
            return {"problem": "busy"}
        if status >= 500:
            return {"problem": "server"}
        if status in (400, 413, 422) and TOO_LONG.search(text):
            return {"problem": "context"}
        models = self.models(self.url)
        if models and request["model"] not in models:
            return {"problem": "model", "models": models}
        if not models and (base := self.other_base(request)):
            return {"problem": "base", "address": base}
        if status == 404:
            return {"problem": "not found", "models": models}
        return {"problem": "no completion" if status == 200 else "request"}

    def key_problem(self) -> dict[str, Any]:
        other = not self.key and key_is_there()
        return {"problem": "other key" if other else "key", "address": self.url}

    def other_base(self, request: dict[str, Any] | None = None) -> str:
        """Return an address of the same server where models are found, or ""."""
        parts = urlsplit(self.url)
        bases = [f"{parts.scheme}://{parts.netloc}{path}" for path in BASES]
        if not self.url.endswith("/v1"):
            bases.insert(0, f"{self.url}/v1")
        bases = [base for base in dict.fromkeys(bases) if base != self.url]
        for base in bases:
            if self.listing(base):
                return base
        if request is None:
            return ""
        # Some servers list nothing.
        status, _, body = self.send("POST", f"{bases[0]}/chat/completions", request)
        return bases[0] if status not in (404, 405) and _json(body) else ""

    def connection_problem(self, error: Exception) -> dict[str, Any]:
        """Return the problem behind a connection that failed."""
        causes = list(_causes(error))
        detail = _one_line_of(str(error))
        scheme, _, place = self.url.partition("://")

        def result(problem: str, address: str = "") -> dict[str, Any]:
            return {"problem": problem, "address": address, "detail": detail}

        if is_proxied(self.url):
            return result("proxy")
        if any(isinstance(cause, socket.gaierror) for cause in causes):
            return result("host")
        if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
            return result("certificate")
        if any(isinstance(cause, ssl.SSLError) for cause in causes):
            return result("wants http", f"http://{place}")
        if isinstance(error, httpx.ConnectTimeout | httpx.ReadTimeout):
            return result("silent")
        if isinstance(error, httpx.ConnectError):
            return result("refused")
        return result("broken", f"https://{place}" if scheme == "http" else "")


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _target(headers: Any) -> str:
    """Return where a redirect leads, as an endpoint's address; "" for nowhere."""
    target = _one_line_of(headers.get("location", "")).partition("?")[0]
    address = target.removesuffix("/chat/completions")
    return address if address.startswith(("http://", "https://")) else ""


def _masked(address: str) -> str:
    """Return the address without passwords, and of its path what many have."""
    parts = urlsplit(address)
    if not parts.hostname:
        return ""
    host = parts.netloc.rpartition("@")[2]
    path = next((base for base in reversed(BASES) if parts.path.endswith(base)), "")
    hidden = "/…" if parts.path not in ("", path) else ""
    return f"{parts.scheme}://{host}{hidden}{path}"


def _one_line_of(text: str) -> str:
    printable = "".join(c if c.isprintable() else " " for c in text[: 4 * LONGEST_TEXT])
    line = " ".join(printable.split())
    return line if len(line) <= LONGEST_TEXT else f"{line[: LONGEST_TEXT - 1]}…"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
