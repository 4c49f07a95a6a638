"""Graders of chat models: their names and options."""

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
    parse_grader_name,
)
from grading.models.chat import ChatModel, decoding_options
from grading.models.endpoint import is_local_endpoint, key_for
from grading.prompts.prompt import Prompt


def open_chat_model(model: str, endpoint: str, **options: Any) -> ChatModel:
    """Open a chat model at an address, "" for that of the environment.

    The environment's key is sent only to the environment's server. Raises
    EndpointError, MissingModelError.
    """
    key = key_for(endpoint) if endpoint else None
    return ChatModel(model, base_url=endpoint or None, api_key=key, **options)


def _grader(
    name: str,
    *,
    prompt: Prompt | None = None,
    endpoint: str = "",
    dry_run: bool = False,
) -> TextGrader:
    parsed = parse_grader_name(name, prompt)
    if parsed.options - {*CHECKS, REASONING}:
        raise UnknownGraderError(
            f"'{name}': the endpoint decides how a chat model decodes; leave out "
            f"'{GREEDY}' and the number format"
        )
    model = parsed.model.partition(":")[2]
    options: dict[str, Any] = {}
    if REASONING in parsed.options:
        options = {"temperature": None, "max_answer_tokens": THINKING_TOKENS}
    grader = parsed.grader(
        CLIENT.engine,
        model,
        decoding_options(**options),
        lambda **limit: open_chat_model(model, endpoint, **options | limit),
        is_chat=True,
    )
    return replace(grader, endpoint=endpoint)


CLIENT = Client(
    engine="chat",
    names={"chat:<model>": "a chat model at your endpoint; each grade may cost money"},
    paid=True,
    local=False,
    is_local_endpoint=is_local_endpoint,
    takes_prompts=True,
    from_name=_grader,
)
