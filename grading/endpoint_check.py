"""Test a chat endpoint with one prompt, and find the cause of a failure.

The prompt is the self-rating prompt about an invented question and passage. Further
requests are sent only after a failure, to find its cause, and to the same server.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from grading.graders.chat import open_chat_model
from grading.graders.text import REASONING, TextGrader, parse_grader_name
from grading.items import Item
from grading.models.chat import NO_KEY, ChatModel
from grading.models.endpoint import (
    Endpoint,
    EndpointCheck,
    has_key,
    is_proxied,
    key_for,
    resolve_url,
)
from grading.models.replies import Refusal, message
from grading.models.schedule import PROBE
from grading.ratings import UNREADABLE
from grading.registry import open_grader

QUESTION = "Why do leaves turn yellow in autumn?"
PASSAGE = (
    "In autumn trees stop making chlorophyll, the pigment that colours leaves green. "
    "As it breaks down, yellow pigments that were there all summer become visible."
)
SHORT_CONTEXT = 2_000  # tokens; a prompt with a long passage may have more
LONGEST_TEXT = 200  # characters of an answer, a model's name or an address

PATHS = ("/chat/completions", "/completions", "/responses", "/embeddings", "/models")
BASES = ("/v1", "/api/v1", "/openai/v1")  # of OpenAI and most, OpenRouter, Azure
BY_PROXY = (403, 407, 502, 503, 504)
CONTEXT_FIELDS = ("max_model_len", "context_length", "context_window")  # vLLM's first


def check_endpoint(
    model: str = "", url: str = "", *, timeout: float = 60.0
) -> EndpointCheck:
    """Send one prompt to the model at this address, else at the environment's.

    ``model`` is the part after ``chat:`` in a grader's name; without one it is the only
    model that the server lists. Raises EndpointError for an invalid address or key,
    UnknownGraderError for options that cannot be combined.
    """
    is_named, url = bool(url), resolve_url(url).rstrip("/")
    key = key_for(url)
    # Without a key, OpenAI's own endpoint would raise an error about the environment.
    endpoint = Endpoint.resolve(url, key or NO_KEY)
    check = EndpointCheck(endpoint.host, model)
    for path in PATHS:
        if url.endswith(path):
            check = replace(check, problem="whole path", address=url.removesuffix(path))
            break
    else:
        check = _Test(url, key, timeout, endpoint.is_openai).run(check)
    # The environment's address may be secret.
    return check if is_named else replace(check, address=_masked(check.address))


@dataclass
class _Test:
    url: str
    key: str
    timeout: float
    is_openai: bool

    def run(self, check: EndpointCheck) -> EndpointCheck:
        if self.is_openai and not self.key:
            return replace(check, **self.key_problem())
        if check.model:
            return self.ask(check)
        models = self.models()
        if not models:
            result, _ = self.chat_model("").attempt(PROBE.text)
            if isinstance(result, Refusal) and result.status is None:
                return replace(check, **self.connection_problem(result))
            if base := self.other_base():
                return replace(check, problem="base", address=base)
        check = replace(check, models=models)
        if len(models) != 1:
            return replace(check, problem="no model")
        return self.ask(replace(check, model=models[0]))

    def ask(self, check: EndpointCheck) -> EndpointCheck:
        """Send the prompt like a grader, again without temperature if it is refused."""
        parsed = parse_grader_name(f"chat:{check.model}", None)
        suffix = f"/{REASONING}" if REASONING in parsed.options else ""
        grader = open_grader(f"{parsed.model}{suffix}", endpoint=self.url)
        assert isinstance(grader, TextGrader)
        check = replace(check, model=grader.spec.responder.model)
        item = Item("question", QUESTION)
        prompt = grader.prompt_for(item, PASSAGE).text
        opened = grader.open_model(timeout=self.timeout)
        assert isinstance(opened, ChatModel)
        result, seconds = opened.attempt(prompt)
        if isinstance(result, Refusal):
            check = replace(check, detail=message(result.body, self.key))
            if suffix or not result.is_about("temperature"):
                return replace(check, **self.problem(result, check.model, prompt))
            check = replace(check, problem="temperature")
            opened = grader.open_model(timeout=self.timeout, temperature=None)
            assert isinstance(opened, ChatModel)
            result, seconds = opened.attempt(prompt)
            if isinstance(result, Refusal):
                return check
        rating: int | None = grader.read(result.stored, (), item)
        check = replace(
            check,
            answer=_one_line(result.raw),
            rating=None if rating == UNREADABLE else rating,
            tokens_in=result.tokens_in,
            tokens_out=result.tokens_out,
            seconds=seconds,
        )
        if check.problem:
            return check
        if rating == UNREADABLE:
            cut = result.unfinished and not suffix
            problem = "limit" if cut else "unreadable"
            return replace(check, problem=problem, detail=result.fault)
        return replace(check, **self.listing_problem(check.model))

    def chat_model(self, name: str, url: str = "") -> ChatModel:
        return open_chat_model(name, url or self.url, timeout=self.timeout)

    def listing_problem(self, model: str) -> dict[str, Any]:
        """Return a problem in the list of models, for a model that has answered."""
        rows = {
            _one_line(str(row.get("id"))): row for row in self.list_models(self.url)
        }
        if len(rows) == 1 and model not in rows:
            return {"problem": "other model", "models": tuple(rows)}
        for name in CONTEXT_FIELDS:
            context = rows.get(model, {}).get(name)
            if isinstance(context, int) and 0 < context < SHORT_CONTEXT:
                return {"problem": "context", "detail": f"{context:,} tokens"}
        return {}

    def list_models(self, base: str) -> list[dict[str, Any]]:
        """Return the models that a base address lists, [] if it lists none."""
        return self.chat_model("").list_models(base)

    def models(self) -> tuple[str, ...]:
        names = (str(row.get("id", "")) for row in self.list_models(self.url))
        return tuple(filter(None, map(_one_line, names)))

    def problem(self, refusal: Refusal, model: str, prompt: str) -> dict[str, Any]:
        """Return the problem behind a refusal."""
        status, text = refusal.status, str(refusal.body)
        if status is None:
            return self.connection_problem(refusal)
        is_json = isinstance(refusal.body, dict)
        if is_proxied(self.url) and not is_json and status in BY_PROXY:
            return {"problem": "proxy"}
        scheme, _, place = self.url.partition("://")
        if scheme == "http" and status == 400 and not is_json and "HTTPS" in text:
            return {"problem": "wants https", "address": f"https://{place}"}
        if 300 <= status < 400:
            return {"problem": "redirect", "address": _target(refusal.location)}
        if refusal.wants_credit:
            return {"problem": "credit"}
        if refusal.wants_key:
            return self.key_problem()
        if refusal.is_too_long:
            return {"problem": "context"}
        if status == 429:
            return {"problem": "busy"}
        if status >= 500:
            return {"problem": "server"}
        models = self.models()
        if models and model not in models:
            return {"problem": "model", "models": models}
        if not models and (base := self.other_base(model, prompt)):
            return {"problem": "base", "address": base}
        if status == 404:
            return {"problem": "not found", "models": models}
        return {"problem": "no completion" if status == 200 else "request"}

    def key_problem(self) -> dict[str, Any]:
        other = not self.key and has_key()
        return {"problem": "other key" if other else "key", "address": self.url}

    def other_base(self, model: str = "", prompt: str = "") -> str:
        """Return an address of the same server that has models, or ""."""
        parts = urlsplit(self.url)
        bases = [f"{parts.scheme}://{parts.netloc}{path}" for path in BASES]
        if not self.url.endswith("/v1"):
            bases.insert(0, f"{self.url}/v1")
        bases = [base for base in dict.fromkeys(bases) if base != self.url]
        for base in bases:
            if self.list_models(base):
                return base
        if not model:
            return ""
        # Some servers list no models.
        result, _ = self.chat_model(model, bases[0]).attempt(prompt)
        if isinstance(result, Refusal) and not isinstance(result.body, dict):
            return ""
        is_missing = isinstance(result, Refusal) and result.status in (404, 405)
        return "" if is_missing else bases[0]

    def connection_problem(self, refusal: Refusal) -> dict[str, Any]:
        """Return the problem behind a request without any reply."""
        causes = list(_causes(refusal.cause))
        detail = _one_line(message(refusal.body, self.key))
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
        if refusal.is_timeout:
            return result("silent")
        if type(refusal.cause).__name__ == "ConnectError":
            return result("refused")
        return result("broken", f"https://{place}" if scheme == "http" else "")


def _target(location: str) -> str:
    """Return the endpoint's address that a redirect leads to, or ""."""
    target = _one_line(location).partition("?")[0]
    address = target.removesuffix("/chat/completions")
    return address if address.startswith(("http://", "https://")) else ""


def _masked(address: str) -> str:
    """Return the address without passwords and unusual parts of its path."""
    parts = urlsplit(address)
    if not parts.hostname:
        return ""
    host = parts.netloc.rpartition("@")[2]
    path = next((base for base in reversed(BASES) if parts.path.endswith(base)), "")
    hidden = "/…" if parts.path not in ("", path) else ""
    return f"{parts.scheme}://{host}{hidden}{path}"


def _one_line(text: str) -> str:
    printable = "".join(c if c.isprintable() else " " for c in text[: 4 * LONGEST_TEXT])
    line = " ".join(printable.split())
    return line if len(line) <= LONGEST_TEXT else f"{line[: LONGEST_TEXT - 1]}…"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
