"""Description of a kind of grader, by which it is registered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Ratings = npt.NDArray[np.int8]
"""[items, passages]: 0-5, or ``ratings.NOT_ASKED`` or ``ratings.UNREADABLE``."""

Probabilities = npt.NDArray[np.float32]
"""[items, passages]: in [0, 1], or ``ratings.NOT_ASKED`` or ``ratings.UNREADABLE``.

A grader may give these in place of ratings, which follow by ``ratings.ratings_of``.
"""


@dataclass(frozen=True, kw_only=True)
class Client:
    """A kind of grader: its names, costs and constructors.

    Every module of ``grading.graders`` that defines a ``CLIENT`` is registered.
    Importing such a module loads no large library.

    ``engine`` marks its responders (see ``responders``). ``names`` maps the names that
    users type to descriptions; <…> at the end of a name means any text.
    ``aliases`` maps other names to (full name, description).

    ``paid``: requests may cost money, so they are counted and confirmed first.
    ``local``: it runs on this machine, and may grade automatically what edits left
    without grades. ``takes_prompts``: it sends prompts to a model. ``checks_answers``:
    it judges answers of another grader of the workspace. ``is_local_endpoint`` returns
    True for an endpoint's address on this machine.

    ``from_name`` opens a grader by its name, with ``prompt``, ``endpoint`` and
    ``dry_run`` of ``registry.open_grader`` if it ``takes_prompts``, else with
    ``cache``; it loads no model. ``stored_name`` returns the name that opens
    the grader of a stored spec here.

    ``from_spec`` opens a computing grader by its stored spec, with the name or folder
    of its ``model``, the ``cache`` of vectors, an ``encoder`` for other texts and the
    word ``frequencies`` of the collection; None for graders that prompt a model.
    """

    engine: str
    names: Mapping[str, str]
    paid: bool
    local: bool
    takes_prompts: bool
    from_name: Callable[..., Any] = field(repr=False)
    checks_answers: bool = False
    is_local_endpoint: Callable[[str], bool] = field(
        default=lambda url: False, repr=False
    )
    aliases: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    stored_name: Callable[[str, Any], str] = field(
        default=lambda name, spec: name, repr=False
    )
    from_spec: Callable[..., Any] | None = field(default=None, repr=False)
