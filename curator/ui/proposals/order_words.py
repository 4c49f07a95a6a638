"""How a model is asked: the form's fields as an order, and what that comes to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from curator.bank.questions import Kind
from curator.collection.queries import Query
from curator.errors import PromptError
from curator.generation.prompts import (
    DEFAULT_COUNT,
    MAX_COUNT,
    OWN,
    PLACEHOLDERS,
    PROMPTS,
    GenerationPrompt,
    own_prompt,
)
from curator.store.generations import FilledPrompt
from curator.ui.shared import words
from curator.verbs.proposals.request import (
    AUTOMATIC,
    GenerateSummary,
    GenerationRequest,
)
from grading.costs import estimated_tokens

# (value, label, what it is): what the form offers.
OFFERED = (
    (
        AUTOMATIC,
        "automatic",
        "car for subtopics, which says no number; dl for queries; passage for passages",
    ),
    ("dl", "dl", "As published for TREC DL: questions about a query"),
    (
        "car",
        "car",
        "As published for TREC CAR Y3: questions about a subtopic; it says no number",
    ),
    ("nugget", "nugget", "Key facts, each a short statement, about a query"),
    (
        "passage",
        "passage",
        "What a passage answers that no question asks; all else is asked as automatic",
    ),
    (OWN, "your own…", ""),
)
KINDS: tuple[tuple[Kind, str], ...] = (
    ("question", "questions"),
    ("nugget", "nuggets (key facts)"),
)
NO_ENDPOINT = (
    "No model can be asked yet: set OPENAI_BASE_URL (and OPENAI_API_KEY) where "
    "`curator serve` is started, or in Streamlit's secrets; everything else works: "
    "type, paste a list, import."
)
NAMELESS = "–"  # stands for a model where none is meant


@dataclass(frozen=True, slots=True)
class Fields:
    """The form, as it is typed."""

    model: str = ""
    temperature: str = ""
    prompt: str = AUTOMATIC
    count: str = str(DEFAULT_COUNT)
    text: str = ""
    kind: str = "question"


def fields_told(told: Mapping[object, object]) -> Fields | None:
    """The fields that the page sent; None for what it cannot have sent."""
    said = {name: told.get(name) for name in Fields.__dataclass_fields__}
    given = {name: value for name, value in said.items() if isinstance(value, str)}
    return Fields(**given) if len(given) == len(said) else None


def fields_of(order: GenerationRequest) -> Fields:
    """The form that makes this order."""
    prompt = order.prompt
    own = prompt if prompt is not None and prompt.name not in PROMPTS else None
    return Fields(
        model=order.model,
        temperature="" if order.temperature is None else f"{order.temperature:g}",
        prompt=OWN if own else order.prompt_name,
        count=str(order.count),
        text=own.template if own else "",
        kind=own.kind if own else "question",
    )


def order_of_fields(fields: Fields) -> GenerationRequest:
    """The order that is typed. Raises PromptError, in one line."""
    prompt: GenerationPrompt | None = None
    if fields.prompt == OWN:
        kind: Kind = "nugget" if fields.kind == "nugget" else "question"
        prompt = own_prompt(fields.text, kind=kind)
    elif fields.prompt != AUTOMATIC:
        prompt = PROMPTS.get(fields.prompt)
    return GenerationRequest(
        model=fields.model.strip(),
        prompt=prompt,
        temperature=_temperature(fields.temperature.strip()),
        count=_count(fields.count.strip()),
    )


def _temperature(said: str) -> float | None:
    try:
        return float(said) if said else None
    except ValueError:
        raise PromptError(
            f"A temperature is a number from 0 to 2, or nothing; this is “{said}”."
        ) from None


def _count(said: str) -> int:
    if not (said.isascii() and said.isdigit() and len(said) < 10):
        raise PromptError(
            f"Between 1 and {MAX_COUNT} questions are asked for, not “{said}”."
        )
    return int(said)


def form_data() -> dict[str, object]:
    """What the form offers, whatever is typed."""
    return {
        "prompts": [list(one) for one in OFFERED],
        "kinds": [list(one) for one in KINDS],
        "placeholders": [f"{{{name}}}" for name in PLACEHOLDERS],
        "most": MAX_COUNT,
    }


def counted(order: GenerationRequest) -> GenerationRequest:
    """The order to be counted, before a model is named too."""
    return replace(order, model=order.model or NAMELESS)


def previewed(order: GenerationRequest) -> GenerationRequest:
    """The order to be previewed, of no model: what one was asked is shown as well."""
    return replace(order, model=NAMELESS)


def about_words(one: FilledPrompt, query: Query) -> str:
    """What a prompt is about: the query, or the name of its subtopic."""
    if one.subtopic_id is None:
        return "the query"
    names = {sub.subtopic_id: sub.text for sub in query.subtopics}
    return words.shortened(names.get(one.subtopic_id) or one.subtopic_id, 60)


def sent_words(one: FilledPrompt) -> str:
    """``prompt dl · about 87 tokens``; a passage by its id."""
    said = f"prompt {one.prompt} · about {estimated_tokens(one.text):,} tokens"
    return said if one.passage_id is None else f"{said} · passage {one.passage_id}"


def total_words(found: GenerateSummary) -> str:
    """``726 prompts, about 70,000 tokens; 40 have an answer already.``"""
    if found.had and not (found.asked or found.elsewhere or found.without_title):
        return f"Nothing left to ask: {_asked_before(found.had)}."
    parts = []
    if found.asked:
        parts.append(
            f"{words.count(found.asked, 'prompt')}, about "
            f"{rounded(found.tokens_in):,} tokens"
        )
    if found.had:
        parts.append(_asked_before(found.had))
    if found.elsewhere:
        is_asked = words.count(found.elsewhere, "is", "are")
        parts.append(f"{is_asked} being asked")
    if found.without_title:
        many = words.count(found.without_title, "query is", "queries are")
        parts.append(f"{many} known by id only and left out")
    said = "; ".join(parts) or "Nothing to ask"
    return f"{said}."


def _asked_before(number: int) -> str:
    return words.count(number, "prompt was asked before", "prompts were asked before")


def rounded(tokens: int) -> int:
    """An estimate to two digits: 69,510 as 70,000."""
    step = int(10 ** max(0, len(str(tokens)) - 2))
    return round(tokens / step) * step


def why_not(order: GenerationRequest, endpoint: bool) -> str:
    """Why nothing can be asked now, or ""."""
    if not endpoint:
        return "No model can be asked yet: the line on top says why."
    if not order.model:
        return "Name a model to be asked, and save it, first."
    return ""


def passages_words(queries: int, passages: int) -> str:
    """What follows the number of passages: how many prompts that can be."""
    noun = "passage" if passages == 1 else "passages"
    return (
        f"{noun} of each query that no question covers: at most "
        f"{words.count(queries * passages, 'prompt')}."
    )
