"""What a kind of grader says of itself."""

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
    """A kind of model that graders rest on, with all that is to be known of it.

    A module of ``grading.graders`` has one as its ``CLIENT``, and by that alone it is
    registered. Importing such a module loads nothing heavy.

    ``engine`` is what the responders it makes are marked with (see ``responders``).
    ``names`` are what may be typed for it, a name that ends in <…> with any text there,
    and what each means in plain words; ``aliases`` are other names for graders of it,
    with the name that each stands for. ``extra`` of the package installs what it needs;
    "" where that is nothing.

    ``paid``: asking may cost money, so it is counted first and asked on somebody's
    word. ``local``: it runs on this machine, and may go on by itself where edits left
    grades missing. ``answers``: it answers prompts in words. ``checks``: it judges
    answers that another grader of a workspace gave. ``stays_here``: whether what is
    not ``local`` is on this machine all the same, asked at an endpoint's address.

    ``grader`` opens a grader by its name, given ``cache`` and ``prompt`` as
    ``registry.open_grader`` is, and ``endpoint`` and ``dry_run`` where it ``answers``;
    no model is loaded. ``stored_name`` is the name, given one and the spec it was
    stored with, that opens the same grader here.

    ``computing`` makes the grader of a stored spec where grades are computed, None
    where they are not: given ``model`` as it is named, the ``cache`` of vectors, an
    ``encoder`` for texts without, and the ``frequencies`` of the collection's words.
    """

    engine: str
    names: Mapping[str, str]
    extra: str
    paid: bool
    local: bool
    answers: bool
    grader: Callable[..., Any] = field(repr=False)
    checks: bool = False
    stays_here: Callable[[str], bool] = field(default=lambda url: False, repr=False)
    aliases: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    stored_name: Callable[[str, Any], str] = field(
        default=lambda name, spec: name, repr=False
    )
    computing: Callable[..., Any] | None = field(default=None, repr=False)
