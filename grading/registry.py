"""Graders by name. Nothing heavy is imported until a grader is opened."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

from grading.cache import Cache
from grading.errors import MissingModelError, UnknownGraderError
from grading.responders import GraderSpec

if TYPE_CHECKING:
    from grading.graders.embedding import EmbeddingGrader
    from grading.graders.text import TextGrader
    from grading.prompts.prompt import Prompt

DEFAULT_GRADER = "embedding"

_EMBEDDING = "grading.graders.embedding:named"
_FLAN_T5 = "grading.graders.text:flan_t5"
_CHAT = "grading.graders.text:chat"
_AVA = "grading.ava.grader:named"

# A name that ends in <…> takes any text there. What a model is asked, and how, may
# follow after slashes (see grading.graders.text).
GRADERS = {
    "embedding": _EMBEDDING,
    "embedding:<model name or folder>": _EMBEDDING,
    "flan-t5-small": _FLAN_T5,
    "flan-t5-base": _FLAN_T5,
    "flan-t5-large": _FLAN_T5,
    "flan-t5-xl": _FLAN_T5,
    "flan-t5:<folder>": _FLAN_T5,
    "chat:<model>": _CHAT,
    "ava:<folder>": _AVA,
}
# What the papers compare with, under the names they are known by.
ALIASES = {
    "nugget": "flan-t5-large/nugget",
    "direct:sun": "flan-t5-large/sun",
    "direct:fag": "flan-t5-large/fag",
    "direct:thom": "flan-t5-large/thom",
}


def open_grader(
    name: str, *, cache: Cache[Any] | None = None, prompt: Prompt | None = None
) -> EmbeddingGrader | TextGrader:
    """The grader of this name; its model is loaded when it first grades.

    ``cache`` keeps the vectors of an embedding grader between calls; without one they
    end with the grader. ``prompt`` is asked in place of the published one.

    Raises UnknownGraderError, naming the nearest name and all there are; for an AVA
    model too, which needs a workspace's answers to check.
    """
    name = ALIASES.get(name, name)
    module, _, attribute = GRADERS[_registered(name)].partition(":")
    factory = getattr(import_module(module), attribute)
    opened: EmbeddingGrader | TextGrader = factory(name, cache=cache, prompt=prompt)
    return opened


def gives_answers(name: str) -> bool | None:
    """Whether the grader of this name answers questions in words; None for no grader.

    No model is looked for. Raises UnknownGraderError for options that do not go
    together.
    """
    name = ALIASES.get(name, name)
    try:
        family = GRADERS[_registered(name)]
    except UnknownGraderError:
        return None
    if family not in (_FLAN_T5, _CHAT):
        return False
    from grading.graders.text import parsed

    return parsed(name, None).reading().kind in ("answered", "keyed")


def reopened(spec: GraderSpec, name: str) -> EmbeddingGrader | TextGrader:
    """The grader that was stored as ``spec``, under the name it was opened by.

    Its prompt is the stored one, also where that came from a file that is gone. Raises
    MissingModelError where the model of that name is another one by now.
    """
    prompt = None
    if not spec.computed:
        from grading.graders.text import stored_prompt, with_dtype

        prompt = stored_prompt(spec, name)
        name = with_dtype(name, spec)
    grader = open_grader(name, prompt=prompt)
    if grader.spec.key != spec.key:
        raise MissingModelError(
            f"{name} is not the model here that it was when it graded: its files or "
            "settings differ. Put the same files back, or grade under another name, "
            "such as a copy's folder"
        )
    return grader


def _registered(name: str) -> str:
    """The registry's own name for ``name``."""
    family, colon, argument = name.partition(":")
    for registered in GRADERS:
        takes_options = GRADERS[registered] == _FLAN_T5
        if name == registered or (takes_options and name.startswith(f"{registered}/")):
            return registered
        if argument.strip() and registered.startswith(f"{family}:<"):
            return registered
    wanted = next((one for one in GRADERS if one.startswith(f"{family}:<")), None)
    if wanted and not colon and "/" not in name:
        raise UnknownGraderError(f"'{name}' lacks its model; expected {wanted}")
    known = [one.partition("<")[0] for one in (*GRADERS, *ALIASES)]
    asked = family.lower() + colon if colon else family.lower().partition("/")[0]
    near = get_close_matches(asked, known, 1) or get_close_matches(
        family.lower(), [one.rstrip(":") for one in known], 1
    )
    hint = f" Did you mean '{near[0].rstrip(':')}'?" if near else ""
    raise UnknownGraderError(
        f"Unknown grader '{name}'.{hint} Available: "
        f"{', '.join(sorted((*GRADERS, *ALIASES)))}; both:ONE+OTHER of a workspace's"
    )
