"""The form of requests to a model, and a preview of its prompts."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from curator.bank.questions import Kind, active, noun_of
from curator.errors import CuratorError, PromptError
from curator.generation.prompts import (
    DEFAULT_COUNT,
    MAX_COUNT,
    OWN,
    PLACEHOLDERS,
    PROMPTS,
    GenerationPrompt,
    custom_prompt,
)
from curator.verbs.proposals.request import (
    AUTOMATIC,
    GenerationRequest,
    check_address,
)
from curator.web.components import session, shell
from curator.web.components.channel import Component, handles
from curator.workspace import Workspace
from grading.costs import estimated_tokens

FORM = Component("request_form", "pages/judge/proposals/request_form", verb="set_up")

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


Fields = dict[str, str]
"""The form, as it is typed."""

EMPTY: Fields = {
    "model": "",
    "endpoint": "",
    "temperature": "",
    "prompt": AUTOMATIC,
    "count": str(DEFAULT_COUNT),
    "text": "",
    "kind": "question",
}
NAMELESS = "–"  # stands for a model: what one was asked is previewed as well


def offered_first(workspace: Workspace) -> GenerationRequest:
    """Return the saved request; at first with the prompt for the bank's items."""
    saved, noun = workspace.default_request(), noun_of(active(workspace.bank(), "any"))
    fits = noun == "nugget" and not saved.model
    return replace(saved, prompt=PROMPTS[noun]) if fits else saved


def request_form(saved: GenerationRequest) -> None:
    """Draw the form; unsaved input stays in it."""
    now, fields = session.current(), fields_of(saved)
    if now.request_draft == fields:
        now.request_draft = None
    FORM.draw(
        prompts=OFFERED,
        kinds=KINDS,
        placeholders=[f"{{{name}}}" for name in PLACEHOLDERS],
        most=MAX_COUNT,
        saved=fields,
        stored=bool(saved.model or saved.endpoint),
        draft=now.request_draft,
    )


@handles("request")
def typed(
    *,
    model: str,
    endpoint: str,
    temperature: str,
    prompt: str,
    count: str,
    text: str,
    kind: str,
    save: bool,
) -> None:
    """Keep the input as a draft, or save it."""
    values = (model, endpoint, temperature, prompt, count, text, kind)
    fields = dict(zip(EMPTY, values, strict=True))
    session.current().request_draft = fields
    if save:
        with session.workspace() as workspace:
            workspace.set_up(generation=request_of(fields))
        session.current().request_draft = None


def fields_of(request: GenerationRequest) -> Fields:
    """Return the form of this request."""
    prompt, temperature = request.prompt, request.temperature
    fields = EMPTY | {
        "model": request.model,
        "endpoint": request.endpoint,
        "temperature": "" if temperature is None else f"{temperature:g}",
        "prompt": request.prompt_name,
        "count": str(request.count),
    }
    if prompt is None or prompt.name in PROMPTS:
        return fields
    return fields | {"prompt": OWN, "text": prompt.template, "kind": prompt.kind}


def request_of(fields: Fields) -> GenerationRequest:
    """Return the request of a form. Raises PromptError."""
    prompt: GenerationPrompt | None = None
    if fields["prompt"] == OWN:
        kind: Kind = "nugget" if fields["kind"] == "nugget" else "question"
        prompt = custom_prompt(fields["text"], kind=kind)
    elif fields["prompt"] != AUTOMATIC:
        prompt = PROMPTS.get(fields["prompt"])
    temperature, count = fields["temperature"].strip(), fields["count"].strip()
    try:
        degrees = float(temperature) if temperature else None
    except ValueError:
        raise PromptError(
            f"The temperature is “{temperature}”; expected 0 to 2, or nothing."
        ) from None
    if not (count.isascii() and count.isdigit() and len(count) < 10):
        raise PromptError(
            f"The number of questions is “{count}”; expected 1 to {MAX_COUNT}."
        )
    request = GenerationRequest(
        fields["model"].strip(),
        prompt,
        temperature=degrees,
        count=int(count),
        endpoint=fields["endpoint"].strip(),
    )
    if request.endpoint:
        check_address(request.endpoint)
    return request


def typed_preview(workspace: Workspace, saved: GenerationRequest) -> None:
    """Draw the words that would be sent about a query, as typed or else as saved."""
    queries = {query.query_id: query for query in workspace.collection().queries}
    query = queries.get(session.view().query or "", next(iter(queries.values())))
    try:
        draft = session.current().request_draft
        request = saved if draft is None else request_of(draft)
        state = "as saved" if saved.model else "by default"
        state = state if request == saved else "as typed, not saved yet"
        st.html(
            '<div class="c-listhead"><b>Exact words</b>'
            f'<span role="status">{state}</span></div>'
        )
        names = {"query": "the query", "passage": "a passage that no question covers"}
        if not workspace.graders():
            del names["passage"]
        names |= {sub.subtopic_id: sub.text or "" for sub in query.subtopics}
        about = st.selectbox(
            "About",
            list(names),
            format_func=lambda name: names.get(name) or name,
            key=f"preview_about_{query.query_id}",
        )
        subtopic_id = None if about in ("query", "passage") else about
        grounded = int(about == "passage")
        prompt_text(
            workspace,
            request.about(query.query_id, subtopic_id=subtopic_id, grounded=grounded),
        )
    except CuratorError as error:
        shell.line(str(error), error=True)


def prompt_text(workspace: Workspace, request: GenerationRequest) -> None:
    """Draw the first prompt of the request, asked before or not."""
    request = replace(request, model=NAMELESS)
    prompts = workspace.generate(request, dry_run=True).texts
    if not prompts:
        shell.sentence("There is nothing to ask about.")
        return
    first = prompts[0]
    tokens = f"about {estimated_tokens(first.text):,} tokens"
    passage = f" · passage {first.passage_id}" if first.passage_id else ""
    shell.note(f"prompt {first.prompt} · {tokens}{passage}")
    st.code(first.text, language=None, wrap_lines=True)
