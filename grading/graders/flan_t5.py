"""FLAN-T5 graders: their names and options."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from grading.errors import MissingModelError, UnknownGraderError
from grading.graders.client import Client
from grading.graders.text import GREEDY, REASONING, TextGrader, parse_grader_name
from grading.models import flan_t5
from grading.models.identity import ModelIdentity
from grading.prompts.prompt import Prompt
from grading.responders import DTYPES, GraderSpec


def _grader(
    name: str,
    *,
    prompt: Prompt | None = None,
    endpoint: str = "",
    dry_run: bool = False,
) -> TextGrader:
    """Open a FLAN-T5 grader by its name.

    Raises MissingModelError if the model is not on this machine; in a dry run only for
    a folder that does not exist.
    """
    parsed = parse_grader_name(name, prompt)
    if REASONING in parsed.options:
        raise UnknownGraderError(f"'{name}': '{REASONING}' is for chat models")
    place = parsed.model.partition(":")[2] or f"google/{parsed.model}"
    dtypes = (dtype for dtype in DTYPES if dtype in parsed.options)
    dtype = next(dtypes, None) or flan_t5.default_dtype()
    decoding: flan_t5.Decoding = "greedy" if GREEDY in parsed.options else "beam"
    missing = ""
    try:
        identity = flan_t5.flan_t5_identity(place)
    except MissingModelError as error:
        is_path = place.startswith((".", "/", "~"))
        if not dry_run or (is_path and not Path(place).is_dir()):
            raise
        missing, identity = str(error), ModelIdentity(place, "")
    grader = replace(parsed, options=parsed.options | {dtype}).grader(
        CLIENT.engine,
        identity.name,
        flan_t5.decoding_options(decoding, dtype),
        lambda: flan_t5.FlanT5(place, decoding=decoding, dtype=dtype),
        revision=identity.revision,
    )
    return replace(grader, missing=missing)


def _stored_name(name: str, spec: GraderSpec) -> str:
    """Return the name with the number format that the grader was stored with."""
    dtype = dict(spec.responder.decoding).get("dtype")
    has_dtype = name.rpartition("/")[2] in DTYPES
    return name if dtype is None or has_dtype else f"{name}/{dtype}"


CLIENT = Client(
    engine="flan-t5",
    names={
        "flan-t5-small": "FLAN-T5, smallest: rates 0–5 on this machine, for tests",
        "flan-t5-base": "FLAN-T5, base: rates 0–5 on this machine",
        "flan-t5-large": "FLAN-T5, large: rates 0–5 on this machine, as published",
        "flan-t5-xl": "FLAN-T5, extra large: rates 0–5, needs a GPU",
        "flan-t5:<folder>": "your own FLAN-T5, by its folder",
    },
    # The baselines of the papers, under their usual names.
    aliases={
        "nugget": ("flan-t5-large/rubric-nugget", "FLAN-T5, large: rates nuggets 0–5"),
        "direct:sun": (
            "flan-t5-large/sun-2023",
            "FLAN-T5, large: is the passage an answer, yes or no",
        ),
        "direct:fag": (
            "flan-t5-large/fagb",
            "FLAN-T5, large: is the passage relevant, yes or no",
        ),
        "direct:thom": (
            "flan-t5-large/thomas",
            "FLAN-T5, large: how relevant the passage is, 0–2",
        ),
    },
    paid=False,
    local=True,
    takes_prompts=True,
    from_name=_grader,
    stored_name=_stored_name,
)
