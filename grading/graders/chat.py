"""Graders of chat models: by which names, and with what options."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from grading.errors import UnknownGraderError
from grading.graders.client import Client
from grading.graders.text import (
    CHECKS,
    GREEDY,
    REASONING,
    THINKING_TOKENS,
    TextGrader,
    parsed,
)
from grading.models.chat import ChatModel, decoding_options
from grading.models.endpoint import key_for, stays_here
from grading.prompts.prompt import Prompt


def open_chat_model(model: str, endpoint: str, **options: Any) -> ChatModel:
    """Connect to a model at an address, "" for the environment's.

    The environment's key goes to the environment's server only. Raises EndpointError,
    MissingModelError.
    """
    key = key_for(endpoint) if endpoint else None
    return ChatModel(model, base_url=endpoint or None, api_key=key, **options)


def _grader(
    name: str,
    *,
    cache: Any = None,
    prompt: Prompt | None = None,
    endpoint: str = "",
    dry_run: bool = False,
) -> TextGrader:
    named = parsed(name, prompt)
    if named.ways - {*CHECKS, REASONING}:
        raise UnknownGraderError(
            f"'{name}': how a chat model decodes is its endpoint's affair; leave out "
            f"'{GREEDY}' and the precision"
        )
    model = named.model.partition(":")[2]
    options: dict[str, Any] = {}
    if REASONING in named.ways:
        options = {"temperature": None, "max_answer_tokens": THINKING_TOKENS}
    grader = named.grader(
        CLIENT.engine,
        model,
        decoding_options(**options),
        lambda **limit: open_chat_model(model, endpoint, **options | limit),
        talks=True,
    )
    return replace(grader, endpoint=endpoint)


CLIENT = Client(
    engine="chat",
    names={
        "chat:<model>": "a chat model at your endpoint; each grade costs what it takes"
    },
    extra="chat",
    paid=True,
    local=False,
    stays_here=stays_here,
    answers=True,
    grader=_grader,
)
