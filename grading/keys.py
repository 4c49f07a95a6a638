"""Content keys: what can change an answer, and nothing else, as one short string.

Two askings with the same key have the same answer, whoever asks, under whichever
ids, from whichever folder and in whichever batches. A key is the version prefix and
the SHA-256 of a canonical JSON text: keys sorted, no spaces, ASCII (so that a text
with half a surrogate pair has a key too). The first element of every hashed value
says what kind of thing it is, so keys of different things never meet.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grading.items import Item
    from grading.responders import GraderSpec, Responder

KEY_VERSION = "g1:"  # bump when the canonical form changes


def content_key(value: object) -> str:
    """Versioned SHA-256 of the canonical JSON of ``value``.

    Raises ValueError for NaN and infinities, which JSON does not have.
    """
    canonical = json.dumps(
        value, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False
    )
    return KEY_VERSION + hashlib.sha256(canonical.encode("ascii")).hexdigest()


def text_key(text: str) -> str:
    """Key of a text exactly as given; a space more is another text."""
    return content_key(["text", text])


def item_key(item: Item) -> str:
    """Key of kind, stripped text, choices in order, and candidate.

    An item whose text is not published has a key of another kind, over its public id.
    """
    if item.text is None:
        return content_key(["unpublished item", item.kind, item.public_id])
    return content_key(
        ["item", item.kind, item.text.strip(), item.choices, item.candidate]
    )


def answer_key_key(answers: Sequence[str]) -> str:
    """Key of an answer key: its answers in order, as a prompt would list them."""
    return content_key(["answer key", list(answers)])


def responder_key(responder: Responder) -> str:
    """Key of model, revision, prompt and decoding, its options in any order."""
    return content_key(
        [
            "responder",
            responder.model,
            responder.revision,
            responder.prompt,
            sorted(responder.decoding),
        ]
    )


def grader_key(spec: GraderSpec) -> str:
    """Key of a responder and a reading; the grader's name is for people, not in it."""
    reading = spec.reading
    # Left out where it is empty, as it was before there were readings with it.
    checked = [reading.answers_of] if reading.answers_of else []
    return content_key(
        [
            "grader",
            responder_key(spec.responder),
            reading.kind,
            reading.item_kind,
            reading.parser,
            [float(threshold) for threshold in reading.thresholds],
            *checked,
        ]
    )
