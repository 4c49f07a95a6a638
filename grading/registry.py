"""Open graders by name.

Each kind of grader is described by the ``Client`` of a module of ``grading.graders``.
Large libraries are imported only when a model is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from grading import graders
from grading.errors import (
    InvalidPromptError,
    InvalidSpecError,
    MissingModelError,
    UnknownGraderError,
)
from grading.graders.client import Client
from grading.responders import GraderSpec
from grading.similarity import Cache

if TYPE_CHECKING:
    from grading.graders.computed import ComputedGrader, Encoder
    from grading.graders.text import TextGrader
    from grading.prompts.prompt import Prompt
    from grading.stems import Frequencies

DEFAULT_GRADER = "instant"


@cache
def clients() -> Mapping[str, Client]:
    """Collect the ``CLIENT`` of each module of ``grading.graders``, by its engine.

    Fast graders come first, paid ones and those that check others last.
    """
    modules = (
        import_module(f"{graders.__name__}.{module.name}")
        for module in iter_modules(graders.__path__)
    )
    all_clients = [module.CLIENT for module in modules if hasattr(module, "CLIENT")]
    all_clients.sort(key=_order)
    return {client.engine: client for client in all_clients}


def _order(client: Client) -> tuple[object, ...]:
    return client.checks_answers, client.paid, client.takes_prompts, client.engine


def is_paid(engine: str) -> bool:
    """Return True if requests may cost money; also for an unknown engine."""
    client = clients().get(engine)
    return client is None or client.paid


def is_local(engine: str) -> bool:
    """Return True if the engine runs on this machine."""
    client = clients().get(engine)
    return client is not None and client.local


def keeps_texts_local(engine: str, endpoint: str = "") -> bool:
    """Return True if texts stay on this machine with this engine and endpoint."""
    client = clients().get(engine)
    return client is not None and (client.local or client.is_local_endpoint(endpoint))


def grader_names() -> dict[str, str]:
    """Describe the names that users can type for graders.

    <…> at the end of a name means any text. A prompt and options may follow after
    slashes (see ``graders.text``).
    """
    names: dict[str, str] = {}
    aliases: dict[str, str] = {}
    for client in clients().values():
        names |= client.names
        aliases |= {alias: text for alias, (_, text) in client.aliases.items()}
    return names | aliases


def is_reserved(name: str) -> bool:
    """Return True for names of graders of this program, which imports may not use."""
    families = {pattern.partition(":")[0] for pattern in grader_names()}
    return name.partition(":")[0] in families | {"mean", "both", "people", "checked"}


def open_grader(
    name: str,
    *,
    cache: Cache | None = None,
    prompt: Prompt | None = None,
    endpoint: str = "",
    dry_run: bool = False,
) -> ComputedGrader | TextGrader:
    """Open a grader by its name; its model is loaded when it first grades.

    ``cache`` keeps the vectors of an embedding grader for other calls. ``prompt``
    replaces the published one. ``endpoint`` is the address of a chat model, "" for that
    of the environment. In a ``dry_run`` the files of a model that takes prompts may be
    missing.

    Raises UnknownGraderError with the nearest name and all names; also for an AVA
    model, which needs a workspace's answers to check.
    """
    client, name = _find_client(name)
    if client.takes_prompts:
        options: dict[str, Any] = {
            "prompt": prompt,
            "endpoint": endpoint,
            "dry_run": dry_run,
        }
    elif prompt is None:
        options = {"cache": cache}
    else:
        raise InvalidPromptError(f"{name} takes no prompt; leave out --prompt")
    grader: ComputedGrader | TextGrader = client.from_name(name, **options)
    return grader


def gives_answers(name: str) -> bool | None:
    """Return True if the grader of this name answers questions; None for no grader.

    Opens no model. Raises UnknownGraderError for options that cannot be combined.
    """
    try:
        client, name = _find_client(name)
    except UnknownGraderError:
        return None
    if not client.takes_prompts:
        return False
    from grading.graders.text import parse_grader_name

    return parse_grader_name(name, None).reading().kind in ("answered", "keyed")


def reopen(
    spec: GraderSpec, name: str, *, endpoint: str = "", dry_run: bool = False
) -> ComputedGrader | TextGrader:
    """Open the grader that was stored as ``spec`` under ``name``.

    It uses the stored prompt, even if the prompt's file no longer exists. ``endpoint``
    and ``dry_run`` are those of ``open_grader``. Raises MissingModelError if the model
    of that name has changed.
    """
    from grading.graders.text import TextGrader, stored_prompt

    client, prompt = clients().get(spec.engine), None
    if client is not None:
        name = client.stored_name(name, spec)
    if client is None or client.takes_prompts:
        prompt = stored_prompt(spec, name)
    grader = open_grader(name, prompt=prompt, endpoint=endpoint, dry_run=dry_run)
    is_missing = isinstance(grader, TextGrader) and bool(grader.missing)
    if grader.spec.responder != spec.responder and not is_missing:
        raise MissingModelError(
            f"The model of {name} has changed since it graded: its files or settings "
            "differ. Put the same files back, or grade under another name, such as the "
            "folder of a copy"
        )
    if not isinstance(grader, TextGrader):
        return computed_grader(spec, name)
    # A new grader of this name may have a newer parser.
    return replace(grader, spec=spec)


def computed_grader(
    spec: GraderSpec,
    name: str = "",
    *,
    cache: Cache | None = None,
    encoder: Encoder | None = None,
    frequencies: Frequencies | None = None,
) -> ComputedGrader:
    """Open a stored computing grader with these vectors and word frequencies.

    ``name`` contains the model, which is only opened for texts without vectors. Raises
    InvalidSpecError for an unknown reading.
    """
    client = clients().get(spec.engine)
    if client is None or client.from_spec is None:
        raise InvalidSpecError(
            f"This version cannot compute '{spec.reading.parser}'; use a newer version "
            "of this program, or grade again"
        )
    model = name.partition(":")[2] or None
    options = {} if frequencies is None else {"frequencies": frequencies}
    grader: ComputedGrader = client.from_spec(
        spec, model=model, cache=cache, encoder=encoder, **options
    )
    return grader


def _find_client(name: str) -> tuple[Client, str]:
    """Return the client of a name, and the name without aliases."""
    every = clients().values()
    for client in every:
        if name in client.aliases:
            name = client.aliases[name][0]
            break
    family, colon, argument = name.partition(":")
    for client in every:
        for pattern in client.names:
            takes_any = argument.strip() and pattern.startswith(f"{family}:<")
            has_options = client.takes_prompts and name.startswith(f"{pattern}/")
            if name == pattern or has_options or takes_any:
                return client, name
    patterns = grader_names()
    with_model = (text for text in patterns if text.startswith(f"{family}:<"))
    expected = next(with_model, None)
    if expected and not colon and "/" not in name:
        raise UnknownGraderError(f"'{name}' lacks its model; expected {expected}")
    names = [pattern.partition("<")[0] for pattern in patterns]
    typed = family.lower() + colon if colon else family.lower().partition("/")[0]
    near = get_close_matches(typed, names, 1) or get_close_matches(
        family.lower(), [text.rstrip(":") for text in names], 1
    )
    hint = f" Did you mean '{near[0].rstrip(':')}'?" if near else ""
    raise UnknownGraderError(
        f"Unknown grader '{name}'.{hint} Available: {', '.join(sorted(patterns))}; and "
        "both:ONE+OTHER for two graders of a workspace"
    )
