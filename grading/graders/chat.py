"""Graders of chat models: by which names, and with what options."""

from __future__ import annotations

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
from grading.models.endpoint import stays_here
from grading.prompts.prompt import Prompt


def _grader(
    name: str, *, cache: Any = None, prompt: Prompt | None = None
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
    return named.grader(
        CLIENT.engine,
        model,
        decoding_options(**options),
        lambda **limit: ChatModel(model, **options | limit),
        talks=True,
    )


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
