"""Prompts by name. A released prompt stays as it is; a better one is a new module."""

from difflib import get_close_matches
from importlib import import_module
from typing import cast

from grading.errors import InvalidPromptError
from grading.prompts.prompt import Prompt

PROMPTS = {
    "self-rating": "grading.prompts.self_rating:PROMPT",
    "qa": "grading.prompts.question_answering:PROMPT",
    "nugget": "grading.prompts.nugget_self_rating:PROMPT",
    "nugget-extraction": "grading.prompts.nugget_extraction:PROMPT",
    "sun": "grading.prompts.sun:PROMPT",
    "fag": "grading.prompts.fag:PROMPT",
    "thom": "grading.prompts.thom:PROMPT",
}


def prompt_named(name: str) -> Prompt:
    """The released prompt of this name.

    Raises InvalidPromptError, naming the nearest name and all there are.
    """
    if name not in PROMPTS:
        near = get_close_matches(name.lower(), PROMPTS, 1)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        raise InvalidPromptError(
            f"Unknown prompt '{name}'.{hint} Available: {', '.join(sorted(PROMPTS))}"
        )
    module, _, attribute = PROMPTS[name].partition(":")
    return cast(Prompt, getattr(import_module(module), attribute))
