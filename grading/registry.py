"""Graders by name, and the clients they rest on.

A client says everything about itself in a module of its own (``protocol.Client``);
here they are found. Nothing heavy is imported until a model is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from grading import graders
from grading.cache import Cache
from grading.errors import InvalidSpecError, MissingModelError, UnknownGraderError
from grading.graders.client import Client
from grading.responders import GraderSpec

if TYPE_CHECKING:
    from grading.frequencies import Frequencies
    from grading.graders.computed import ComputedGrader, Encoder
    from grading.graders.text import TextGrader
    from grading.prompts.prompt import Prompt

DEFAULT_GRADER = "instant"


@cache
def clients() -> Mapping[str, Client]:
    """Every client by its engine: the ``CLIENT`` of each module of ``grading.graders``.

    What is fast comes first, what costs money and what rests on others last.
    """
    modules = (
        import_module(f"{graders.__name__}.{one.name}")
        for one in iter_modules(graders.__path__)
    )
    found = [one.CLIENT for one in modules if hasattr(one, "CLIENT")]
    found.sort(
        key=lambda one: (one.checks_answers, one.paid, one.takes_prompts, one.engine)
    )
    return {one.engine: one for one in found}


def is_paid(engine: str) -> bool:
    """Whether asking may cost money; of an engine that is not here it is assumed."""
    client = clients().get(engine)
    return client is None or client.paid


def is_local(engine: str) -> bool:
    """Whether it runs on this machine."""
    client = clients().get(engine)
    return client is not None and client.local


def keeps_texts_local(engine: str, endpoint: str = "") -> bool:
    """Return True where the texts it is sent at this address stay on this machine."""
    client = clients().get(engine)
    return client is not None and (client.local or client.is_local_endpoint(endpoint))


def grader_names() -> dict[str, str]:
    """What each name means that can be typed for a grader.

    A name that ends in <…> takes any text there. What a model is asked, and how, may
    follow after slashes (see ``graders.text``).
    """
    every = clients().values()
    about = {name: what for one in every for name, what in one.names.items()}
    return about | {
        alias: what for one in every for alias, (_, what) in one.aliases.items()
    }


def is_reserved(name: str) -> bool:
    """Whether a name means a grader that can be opened, combined or learned, or people.

    So no imported one may have it.
    """
    families = {one.partition(":")[0] for one in grader_names()}
    return name.partition(":")[0] in families | {"mean", "both", "people", "checked"}


def paid_prefixes() -> list[str]:
    """How the names begin of graders that may cost money."""
    of_paid = [one.names for one in clients().values() if one.paid]
    return [name.partition("<")[0] for names in of_paid for name in names]


def open_grader(
    name: str,
    *,
    cache: Cache | None = None,
    prompt: Prompt | None = None,
    endpoint: str = "",
    dry_run: bool = False,
) -> ComputedGrader | TextGrader:
    """The grader of this name; its model is loaded when it first grades.

    ``cache`` keeps the vectors of an embedding grader between calls; without one they
    end with the grader. ``prompt`` is asked in place of the published one. One of
    vectors that was ``stored`` goes on reading as it did. ``endpoint`` is the address
    where a chat model is asked, "" for the environment's. In a ``dry_run`` the files
    of a model that answers may be missing.

    Raises UnknownGraderError, naming the nearest name and all there are; for an AVA
    model too, which needs a workspace's answers to check.
    """
    client, name = _meant(name)
    more = {"endpoint": endpoint, "dry_run": dry_run} if client.takes_prompts else {}
    grader: ComputedGrader | TextGrader = client.from_name(
        name, cache=cache, prompt=prompt, **more
    )
    return grader


def gives_answers(name: str) -> bool | None:
    """Whether the grader of this name answers questions in words; None for no grader.

    No model is looked for. Raises UnknownGraderError for options that do not go
    together.
    """
    try:
        client, name = _meant(name)
    except UnknownGraderError:
        return None
    if not client.takes_prompts:
        return False
    from grading.graders.text import parse_grader_name

    return parse_grader_name(name, None).reading().kind in ("answered", "keyed")


def reopen(
    spec: GraderSpec, name: str, *, endpoint: str = "", dry_run: bool = False
) -> ComputedGrader | TextGrader:
    """The grader that was stored as ``spec``, under the name it was opened by.

    Its prompt is the stored one, also where that came from a file that is gone.
    ``endpoint`` and ``dry_run`` are those of ``open_grader``. Raises MissingModelError
    where the model of that name is another one by now.
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
            f"{name} is not the model here that it was when it graded: its files or "
            "settings differ. Put the same files back, or grade under another name, "
            "such as a copy's folder"
        )
    if not isinstance(grader, TextGrader):
        return computed_grader(spec, name)
    # Its parser may be an older one than a new grader of this name has.
    return replace(grader, spec=spec)


def computed_grader(
    spec: GraderSpec,
    name: str = "",
    *,
    cache: Cache | None = None,
    encoder: Encoder | None = None,
    frequencies: Frequencies | None = None,
) -> ComputedGrader:
    """The grader that was stored as ``spec``, over the vectors and words it is given.

    ``name`` says where its model is, should a text have to be read; no model is looked
    for before. Raises InvalidSpecError where no such reading is known here.
    """
    client = clients().get(spec.engine)
    if client is None or client.from_spec is None:
        raise InvalidSpecError(f"No grader here computes by '{spec.reading.parser}'")
    model = name.partition(":")[2] or None
    more = {} if frequencies is None else {"frequencies": frequencies}
    grader: ComputedGrader = client.from_spec(
        spec, model=model, cache=cache, encoder=encoder, **more
    )
    return grader


def _meant(name: str) -> tuple[Client, str]:
    """The client that a name names, and the name without aliases."""
    every = clients().values()
    aliases = {alias: full for one in every for alias, (full, _) in one.aliases.items()}
    name = aliases.get(name, name)
    family, colon, argument = name.partition(":")
    for client in every:
        for one in client.names:
            takes_any = argument.strip() and one.startswith(f"{family}:<")
            has_options = client.takes_prompts and name.startswith(f"{one}/")
            if name == one or has_options or takes_any:
                return client, name
    known = grader_names()
    wanted = next((one for one in known if one.startswith(f"{family}:<")), None)
    if wanted and not colon and "/" not in name:
        raise UnknownGraderError(f"'{name}' lacks its model; expected {wanted}")
    names = [one.partition("<")[0] for one in known]
    asked = family.lower() + colon if colon else family.lower().partition("/")[0]
    near = get_close_matches(asked, names, 1) or get_close_matches(
        family.lower(), [one.rstrip(":") for one in names], 1
    )
    hint = f" Did you mean '{near[0].rstrip(':')}'?" if near else ""
    raise UnknownGraderError(
        f"Unknown grader '{name}'.{hint} Available: {', '.join(sorted(known))}; "
        "both:ONE+OTHER of a workspace's"
    )
