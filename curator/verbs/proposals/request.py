"""What a model is asked to propose, as a value: made, checked, kept as text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, ip_address
from socket import inet_aton
from urllib.parse import urlsplit

from curator.bank.questions import Kind
from curator.errors import PromptError
from curator.evaluation.settings import Settings, written
from curator.generation.prompts import DEFAULT_COUNT, MAX_COUNT, GenerationPrompt
from curator.results import Result
from curator.store.generations import FilledPrompt

AUTOMATIC = "automatic"  # the prompt that fits what is asked about
LONGEST_ANSWER = 4_000  # tokens; some thirty questions, and a model's thoughts
LONGEST_ADDRESS = 500  # characters
COUNT = "questions"  # the parameter that says how many are wanted
MOST_TIMES = 2  # so many times that number are proposed of one answer


@dataclass(frozen=True)
class GenerationRequest:
    """What is to be asked, of which model, and about what.

    Without a prompt each subtopic is asked by ``car``, a query that has none by
    ``dl``, a passage by ``passage``. ``temperature`` None leaves it to the model.
    Without a query all of them are meant; ``grounded`` asks about as many passages of
    each query that no kept question covers. ``again`` asks what has an answer already,
    unless that is of ``since`` or later (ISO 8601, UTC). ``endpoint`` is the address
    where it is asked, "" for the workspace's, else the environment's.
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
        """The same about this; a prompt that says nothing of it is left out."""
        prompt = self.prompt
        if prompt is not None:
            passage = passage_id is not None or grounded > 0
            subtopic = subtopic_id is not None and not passage
            about_it = prompt.about_subtopic or not subtopic
            prompt = prompt if prompt.about_passage == passage and about_it else None
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
        """The prompt's name, AUTOMATIC without one."""
        return AUTOMATIC if self.prompt is None else self.prompt.name

    @property
    def parameters(self) -> dict[str, str]:
        """What is sent beside the words, as it is kept."""
        own = "the model's own" if self.temperature is None else f"{self.temperature:g}"
        return {"temperature": own, "max answer tokens": str(LONGEST_ANSWER)}

    def check(self) -> None:
        """Raise PromptError where nothing could be asked by it."""
        if not self.model.strip():
            raise PromptError(
                "No model to ask: name one with --model, or choose one on the page."
            )
        if not 1 <= self.count <= MAX_COUNT:
            raise PromptError(
                f"Between 1 and {MAX_COUNT} questions are asked for, not {self.count}."
            )
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise PromptError(
                f"A temperature is from 0 to 2, or the model's own; this is "
                f"{self.temperature:g}."
            )
        if self.endpoint:
            check_address(self.endpoint)
        if self.query_id is None and (self.subtopic_id or self.passage_id):
            raise PromptError("A subtopic or passage is of a query: name that too.")
        if self.prompt is None:
            return
        if self.prompt.about_passage:
            if self.passage_id is None and not self.grounded:
                raise PromptError(
                    f"Prompt '{self.prompt.name}' asks about a passage: name one, or "
                    "how many of those that no question covers (--grounded)."
                )
            return
        for given, name in (
            (self.passage_id or self.grounded, "passage"),
            (self.subtopic_id, "query_subtopic"),
        ):
            if given and name not in self.prompt.placeholders:
                raise PromptError(
                    f"Prompt '{self.prompt.name}' says nothing of a "
                    f"{name.removeprefix('query_')}; it needs {{{name}}}."
                )

    def spec(self, settings: Settings | None = None) -> dict[str, str]:
        """It as a job keeps it: as text.

        ``settings`` are what says which passages no question covers; ``since`` is for a
        job to say.
        """
        prompt, covering = self.prompt, None
        if self.grounded and settings is not None:
            covering = json.dumps(written(settings))
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
    def of_spec(cls, spec: Mapping[str, str]) -> GenerationRequest:
        """The request of which ``spec`` made this."""
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
    """Raise PromptError for what a model cannot be asked at.

    An address is kept for everyone to read, so no key may stand in it, nor what a key
    may hide in. Machines of one's own network may be asked; a link-local address is no
    model's, but where clouds hand out their keys.
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
    if len(url) > LONGEST_ADDRESS:
        raise PromptError(
            f"An endpoint's address can have {LONGEST_ADDRESS} characters; this one "
            f"has {len(url):,}."
        )
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise PromptError(
            "An endpoint's address is kept for all to read: leave out name, password "
            f"and what follows a question mark, {expected}; the key comes from the "
            "environment or Streamlit's secrets."
        )
    if _is_link_local(host):
        raise PromptError(f"No model is asked at '{host}', a link-local address.")


def _is_link_local(host: str) -> bool:
    """Whether it is such an address, however it is written; a name is none."""
    try:
        address = ip_address(host)
    except ValueError:
        try:
            address = IPv4Address(inet_aton(host))  # as resolvers read 2852039166
        except OSError:
            return False
    return (getattr(address, "ipv4_mapped", None) or address).is_link_local


def settings_of(spec: Mapping[str, str]) -> Settings | None:
    """The settings that ``GenerationRequest.spec`` was given, None without any."""
    return Settings(**json.loads(spec["settings"])) if "settings" in spec else None


@dataclass(frozen=True)
class GenerateSummary(Result["GenerateSummary"], table="proposals.generated_table"):
    """What was asked, or would be on a dry run, and what came of it.

    ``asked`` counts prompts, ``had`` those passed over because they have an answer,
    ``elsewhere`` those that another process is asking. ``proposed`` are new questions,
    ``repeated`` texts that stood in the bank already, ``cut`` answers that broke off in
    the middle of their list, ``unreadable`` those from which nothing could be read,
    ``faults`` why, where they were refused or broke off; ``left_out`` texts beyond
    twice the number asked for. ``stopped``: a judge ended it.
    ``without_title`` counts queries of which only the id is known, ``restricted`` those
    of which nothing is sent to this endpoint. Tokens are the model's own count, on a
    dry run an estimate; ``texts`` are the prompts, on a dry run only. ``host`` is where
    they are sent, "" where nothing is. ``covered_by`` is the grader that said which
    passages are covered, where that mattered.
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
    host: str = ""
    left_out: int = 0
    stopped: bool = False
    faults: tuple[str, ...] = ()
