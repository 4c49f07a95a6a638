"""How a model is asked: the form, what is typed in it, and saving that."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from curator.bank.questions import Kind
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
from curator.ui.shared import session
from curator.ui.shared.channel import Component, handles
from curator.verbs.proposals.request import AUTOMATIC, GenerationRequest

FORM = Component("order_form", "proposals/order_form")

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


@dataclass(frozen=True, slots=True)
class Fields:
    """The form, as it is typed."""

    model: str = ""
    temperature: str = ""
    prompt: str = AUTOMATIC
    count: str = str(DEFAULT_COUNT)
    text: str = ""
    kind: str = "question"


def order_form(saved: GenerationRequest) -> None:
    """The form over what is saved; what is typed and not saved stays in it."""
    now = session.current()
    if now.order_draft == fields_of(saved):
        now.order_draft = None
    FORM.draw(
        prompts=[list(one) for one in OFFERED],
        kinds=[list(one) for one in KINDS],
        placeholders=[f"{{{name}}}" for name in PLACEHOLDERS],
        most=MAX_COUNT,
        saved=asdict(fields_of(saved)),
        stored=bool(saved.model),
        draft=None if now.order_draft is None else asdict(now.order_draft),
    )


@handles("order")
def typed(
    *,
    model: str,
    temperature: str,
    prompt: str,
    count: str,
    text: str,
    kind: str,
    save: bool,
) -> None:
    """Keep what is typed, or save it; why that cannot be is said in the form."""
    fields = Fields(model, temperature, prompt, count, text, kind)
    session.current().order_draft = fields
    if save:
        with session.workspace() as workspace:
            workspace.set_up(generation=request_of(fields))
        session.current().order_draft = None


def edited(saved: GenerationRequest) -> GenerationRequest | None:
    """The request as typed where it is not what is saved. Raises PromptError."""
    draft = session.current().order_draft
    if draft is None:
        return None
    try:
        typed = request_of(draft)
    except PromptError:
        if draft == fields_of(saved):
            return None
        raise
    return None if typed == saved else typed


def fields_of(request: GenerationRequest) -> Fields:
    """The form that makes this request."""
    prompt = request.prompt
    own = prompt if prompt is not None and prompt.name not in PROMPTS else None
    return Fields(
        model=request.model,
        temperature="" if request.temperature is None else f"{request.temperature:g}",
        prompt=OWN if own else request.prompt_name,
        count=str(request.count),
        text=own.template if own else "",
        kind=own.kind if own else "question",
    )


def request_of(fields: Fields) -> GenerationRequest:
    """The request that is typed. Raises PromptError, in one line."""
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
