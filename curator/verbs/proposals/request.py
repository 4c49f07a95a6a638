"""Generation requests: validation and serialization."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Address, ip_address
from socket import inet_aton
from urllib.parse import urlsplit

from curator.bank.questions import Kind
from curator.errors import PromptError
from curator.evaluation.settings import Settings, settings_fields
from curator.generation.prompts import DEFAULT_COUNT, MAX_COUNT, GenerationPrompt
from curator.results import IF_ANY, Result
from curator.store.generations import FilledPrompt

AUTOMATIC = "automatic"  # choose the prompt by query, subtopic or passage
MAX_ANSWER_TOKENS = 4_000  # tokens; about thirty questions, and reasoning
MAX_ADDRESS = 500  # characters
COUNT = "questions"  # name of the parameter with the number of questions
MAX_MULTIPLE = 2  # at most this multiple of the number is proposed from one answer


@dataclass(frozen=True)
class GenerationRequest:
    """A request to a model for questions about queries, subtopics or passages.

    Without a prompt, subtopics use ``car``, queries without subtopics ``dl``, passages
    ``passage``. Without a query the request covers all. ``again`` repeats prompts that
    have an answer, unless that is of ``since`` or later (ISO 8601, UTC). ``endpoint``
    is the address of the model, "" for the workspace's, else the environment's.

    Args:
        model (--model NAME): Model to ask, as its endpoint names it.
        temperature (T): Temperature from 0 to 2. [the model's default]
        count (N): Number of questions to ask for; not with the car prompt.
        passage_id (ID): Ask for questions that this passage answers.
        grounded (N): Ask about N passages of each query that no kept question covers.
        again: Send answered prompts again.
    """

    model: str
    prompt: GenerationPrompt | None = None
    temperature: float | None = None
    count: int = DEFAULT_COUNT
    query_id: str | None = None
    subtopic_id: str | None = None
    passage_id: str | None = None
    grounded: int = 0
    again: bool = False
    since: str | None = None
    endpoint: str = ""

    def about(
        self,
        query_id: str | None = None,
        *,
        subtopic_id: str | None = None,
        passage_id: str | None = None,
        grounded: int = 0,
    ) -> GenerationRequest:
        """Return the request for this target; an unsuitable prompt is dropped."""
        prompt = self.prompt
        if prompt is not None:
            passage = passage_id is not None or grounded > 0
            subtopic = subtopic_id is not None and not passage
            about_it = prompt.uses_subtopic or not subtopic
            prompt = prompt if prompt.uses_passage == passage and about_it else None
        return replace(
            self,
            prompt=prompt,
            query_id=query_id,
            subtopic_id=subtopic_id,
            passage_id=passage_id,
            grounded=grounded,
        )

    @property
    def prompt_name(self) -> str:
        """Name of the prompt, or AUTOMATIC."""
        return AUTOMATIC if self.prompt is None else self.prompt.name

    @property
    def parameters(self) -> dict[str, str]:
        """Parameters sent with the prompt, as they are saved."""
        temperature = (
            "the model's own" if self.temperature is None else f"{self.temperature:g}"
        )
        return {"temperature": temperature, "max answer tokens": str(MAX_ANSWER_TOKENS)}

    def check(self) -> None:
        """Raise PromptError if the request is invalid."""
        if not self.model.strip():
            raise PromptError(
                "No model to ask: name one with --model, or choose one on the page."
            )
        if not 1 <= self.count <= MAX_COUNT:
            raise PromptError(
                f"The number of questions is {self.count}; expected 1 to {MAX_COUNT}."
            )
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise PromptError(
                f"The temperature is {self.temperature:g}; expected 0 to 2, or none "
                "for the model's own."
            )
        if self.endpoint:
            check_address(self.endpoint)
        if self.query_id is None and (self.subtopic_id or self.passage_id):
            raise PromptError(
                "A subtopic or passage belongs to a query: name the query, too."
            )
        prompt, has_passage = self.prompt, bool(self.passage_id or self.grounded)
        if prompt is None:
            return
        if prompt.uses_passage and not has_passage:
            raise PromptError(
                f"Prompt '{prompt.name}' asks about a passage: name one, or how many "
                "of those that no question covers (--grounded)."
            )
        lacks_subtopic = self.subtopic_id and not prompt.uses_subtopic
        if not prompt.uses_passage and (has_passage or lacks_subtopic):
            name, placeholder = "subtopic", "query_subtopic"
            if has_passage:
                name = placeholder = "passage"
            raise PromptError(
                f"Prompt '{prompt.name}' has no place for a {name}; it needs "
                f"{{{placeholder}}}."
            )

    def spec(self, settings: Settings | None = None) -> dict[str, str]:
        """Serialize the request for a job.

        ``settings`` determine covered passages; ``since`` is set by the job.
        """
        prompt, covering = self.prompt, None
        if self.grounded and settings is not None:
            covering = json.dumps(settings_fields(settings))
        spec = {
            "grader": self.model,
            "count": self.count,
            "prompt": prompt and prompt.name,
            "template": prompt and prompt.template,
            "asks for": prompt and prompt.kind,
            "source": prompt and prompt.source,
            "temperature": self.temperature,
            "grounded": self.grounded or None,
            "settings": covering,
            "query": self.query_id,
            "subtopic": self.subtopic_id,
            "passage": self.passage_id,
            "again": "yes" if self.again else None,
            "endpoint": self.endpoint or None,
        }
        return {name: str(value) for name, value in spec.items() if value is not None}

    @classmethod
    def from_spec(cls, spec: Mapping[str, str]) -> GenerationRequest:
        """Return the request that ``spec`` serialized."""
        prompt = None
        if "template" in spec:
            kind: Kind = "nugget" if spec["asks for"] == "nugget" else "question"
            prompt = GenerationPrompt(
                spec["prompt"], spec["template"], kind, spec["source"]
            )
        return cls(
            model=spec["grader"],
            prompt=prompt,
            temperature=float(spec["temperature"]) if "temperature" in spec else None,
            count=int(spec["count"]),
            query_id=spec.get("query"),
            subtopic_id=spec.get("subtopic"),
            passage_id=spec.get("passage"),
            grounded=int(spec.get("grounded", 0)),
            again="again" in spec,
            endpoint=spec.get("endpoint", ""),
        )


def check_address(url: str) -> None:
    """Raise PromptError for an invalid endpoint address.

    The address is visible to everyone, so it must not contain a key, or parts that
    could hide one. Machines of the local network are allowed; link-local addresses are
    refused, since clouds serve credentials there.
    """
    expected = "such as https://api.example.com/v1 or http://localhost:8000/v1"
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        host, parts = "", urlsplit("")
    printable = url.isascii() and url.isprintable() and " " not in url
    if not (printable and host and parts.scheme in ("http", "https")):
        raise PromptError(f"An endpoint is an address of http or https, {expected}.")
    if len(url) > MAX_ADDRESS:
        raise PromptError(
            f"An endpoint's address can have {MAX_ADDRESS} characters; this one "
            f"has {len(url):,}."
        )
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise PromptError(
            "Everyone can read an endpoint's address: leave out name, password and "
            f"what follows a question mark, {expected}; the key comes from the "
            "environment or Streamlit's secrets."
        )
    if _is_link_local(host):
        raise PromptError(f"'{host}' is a link-local address: no model is used there.")


def _is_link_local(host: str) -> bool:
    """Return True for a link-local address in any notation; False for a name."""
    try:
        address = ip_address(host)
    except ValueError:
        try:
            address = IPv4Address(inet_aton(host))  # as resolvers read 2852039166
        except OSError:
            return False
    return (getattr(address, "ipv4_mapped", None) or address).is_link_local


def settings_from_spec(spec: Mapping[str, str]) -> Settings | None:
    """Return the settings given to ``GenerationRequest.spec``; None without any."""
    return Settings(**json.loads(spec["settings"])) if "settings" in spec else None


@dataclass(frozen=True)
class GenerateSummary(Result["GenerateSummary"], table="grading.generated_table"):
    """Counts of a generation run, or of a dry run.

    ``asked`` counts prompts, ``had`` those skipped because they have an answer,
    ``elsewhere`` those in progress in another process. ``proposed`` are new questions,
    ``repeated`` texts that the bank had already, ``cut`` answers cut off in the middle
    of their list, ``unreadable`` those without a readable question, ``faults`` the
    reasons, where they were refused or broke off; ``left_out`` texts beyond twice the
    requested number. ``stopped``: a judge ended the run. ``without_title`` counts
    queries without a text, ``restricted`` those that may not be sent to this endpoint.
    Tokens are the model's own count, on a dry run an estimate; ``texts`` are the
    prompts, on a dry run only. ``host`` is the endpoint's host, "" if nothing is sent.
    ``covered_by`` is the grader that determined covered passages, if needed.
    """

    model: str
    asked: int
    had: int
    elsewhere: int
    without_title: int
    dry_run: bool
    proposed: int = 0
    repeated: int = 0
    cut: int = 0
    covered_by: str = ""
    unreadable: int = 0
    tokens_in: int | None = 0
    tokens_out: int | None = 0
    dollars: float | None = None
    texts: tuple[FilledPrompt, ...] = ()
    restricted: int = 0
    host: str = field(default="", metadata=IF_ANY)
    left_out: int = 0
    stopped: bool = False
    faults: tuple[str, ...] = ()
