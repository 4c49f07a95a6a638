"""What a model is to be asked for, as a value: made, checked, kept as text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from curator.bank.questions import Kind
from curator.errors import PromptError
from curator.evaluation.settings import Settings
from curator.generation.prompts import DEFAULT_COUNT, MAX_COUNT, GenerationPrompt

AUTOMATIC = "automatic"  # the prompt that fits what is asked about
LONGEST_ANSWER = 4_000  # tokens; some thirty questions, and a model's thoughts


@dataclass(frozen=True)
class Order:
    """What is to be asked, of which model, and about what.

    Without a prompt each subtopic is asked by ``car``, a query that has none by
    ``dl``, a passage by ``passage``. ``temperature`` None leaves it to the model.
    Without a query all of them are meant; ``grounded`` asks about as many passages of
    each query that no kept question covers. ``again`` asks what has an answer already,
    unless that is of ``since`` or later (ISO 8601, UTC).
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

    def about(
        self,
        query_id: str | None = None,
        *,
        subtopic_id: str | None = None,
        passage_id: str | None = None,
        grounded: int = 0,
    ) -> Order:
        """The same wish about this; a prompt that says nothing of it is left out."""
        prompt = self.prompt
        if prompt is not None:
            passage = passage_id is not None or grounded > 0
            subtopic = subtopic_id is not None and not passage
            if prompt.about_passage != passage or (
                subtopic and not prompt.about_subtopic
            ):
                prompt = None
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


def refuse_nonsense(order: Order) -> None:
    """Raise PromptError for an order that nothing could be asked by."""
    if not order.model.strip():
        raise PromptError(
            "No model to ask: name one with --model, or choose one on the page."
        )
    if not 1 <= order.count <= MAX_COUNT:
        raise PromptError(
            f"Between 1 and {MAX_COUNT} questions are asked for, not {order.count}."
        )
    if order.temperature is not None and not 0 <= order.temperature <= 2:
        raise PromptError(
            f"A temperature is from 0 to 2, or the model's own; this is "
            f"{order.temperature:g}."
        )
    if order.query_id is None and (order.subtopic_id or order.passage_id):
        raise PromptError("A subtopic or passage is of a query: name that too.")
    if order.prompt is not None and order.prompt.about_passage:
        if order.passage_id is None and not order.grounded:
            raise PromptError(
                f"Prompt '{order.prompt.name}' asks about a passage: name one, or how "
                "many of those that no question covers (--grounded)."
            )
    elif order.prompt is not None:
        for given, name in (
            (order.passage_id or order.grounded, "passage"),
            (order.subtopic_id, "query_subtopic"),
        ):
            if given and name not in order.prompt.placeholders:
                raise PromptError(
                    f"Prompt '{order.prompt.name}' says nothing of a "
                    f"{name.removeprefix('query_')}; it needs {{{name}}}."
                )


def spec_of(order: Order, settings: Settings | None = None) -> dict[str, str]:
    """The order as a job keeps it: what is said, as text.

    ``settings`` are what says which passages no question covers; ``since`` is for a job
    to say.
    """
    spec = {"grader": order.model, "count": str(order.count)}
    if order.prompt is not None:
        spec |= {
            "prompt": order.prompt.name,
            "template": order.prompt.template,
            "asks for": order.prompt.kind,
            "source": order.prompt.source,
        }
    if order.temperature is not None:
        spec["temperature"] = str(order.temperature)
    if order.grounded:
        spec["grounded"] = str(order.grounded)
        if settings is not None:
            spec["settings"] = json.dumps(asdict(settings))
    if order.query_id is not None:
        spec["query"] = order.query_id
    if order.subtopic_id is not None:
        spec["subtopic"] = order.subtopic_id
    if order.passage_id is not None:
        spec["passage"] = order.passage_id
    if order.again:
        spec["again"] = "yes"
    return spec


def order_of(spec: Mapping[str, str]) -> Order:
    """The order that ``spec_of`` made this of."""
    prompt = None
    if "template" in spec:
        kind: Kind = "nugget" if spec["asks for"] == "nugget" else "question"
        prompt = GenerationPrompt(
            spec["prompt"], spec["template"], kind, spec["source"]
        )
    return Order(
        model=spec["grader"],
        prompt=prompt,
        temperature=float(spec["temperature"]) if "temperature" in spec else None,
        count=int(spec["count"]),
        query_id=spec.get("query"),
        subtopic_id=spec.get("subtopic"),
        passage_id=spec.get("passage"),
        grounded=int(spec.get("grounded", 0)),
        again="again" in spec,
    )


def settings_of(spec: Mapping[str, str]) -> Settings | None:
    """The settings that ``spec_of`` was given, None where it needed none."""
    return Settings(**json.loads(spec["settings"])) if "settings" in spec else None
