"""Graders by name. Nothing heavy is imported until a grader is opened."""

from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module
from typing import Any, cast

from grading.cache import Cache
from grading.errors import UnknownGraderError
from grading.graders.protocol import Grader

DEFAULT_GRADER = "embedding"

# A name that ends in <…> takes any text there and hands it to the factory.
GRADERS = {
    "embedding": "grading.graders.embedding:EmbeddingGrader",
    "embedding:<model name or folder>": "grading.graders.embedding:EmbeddingGrader",
}


def open_grader(name: str, *, cache: Cache[Any] | None = None) -> Grader:
    """The grader of this name; its model is loaded when it first grades.

    ``cache`` keeps the model's answers between calls; without one they end with the
    grader.

    Raises UnknownGraderError, naming the nearest name and all there are.
    """
    module, _, attribute = GRADERS[_registered(name)].partition(":")
    factory = cast(Callable[..., Grader], getattr(import_module(module), attribute))
    return factory(name.partition(":")[2] or None, cache=cache)


def _registered(name: str) -> str:
    """The registry's own name for ``name``."""
    family, _, argument = name.partition(":")
    for registered in GRADERS:
        if name == registered and "<" not in registered:
            return registered
        if argument.strip() and registered.startswith(f"{family}:<"):
            return registered
    near = get_close_matches(family.lower(), [g.partition(":")[0] for g in GRADERS], 1)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    raise UnknownGraderError(
        f"Unknown grader '{name}'.{hint} Available: {', '.join(sorted(GRADERS))}"
    )
