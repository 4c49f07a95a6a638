"""Content keys: what can change an answer, and nothing else, as one short string.

Two askings with the same key have the same answer, whoever asks, under whichever
ids, from whichever folder and in whichever batches. A key is the version prefix and
the SHA-256 of a canonical JSON text: keys sorted, no spaces, ASCII (so that a text
with half a surrogate pair has a key too). The first element of every hashed value
says what kind of thing it is, so keys of different things never meet.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence

from grading.items import AllOf, Item, KnownAnswers, KnownItem

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


def key_of_pieces(pieces: Iterable[str]) -> str:
    """``text_key`` of the text that the pieces make, one piece in memory at a time."""
    hashed = hashlib.sha256(b'["text","')
    for piece in pieces:
        hashed.update(json.dumps(piece)[1:-1].encode("ascii"))
    hashed.update(b'"]')
    return KEY_VERSION + hashed.hexdigest()


def item_key(item: Item) -> str:
    """Key of kind, stripped text, choices in order, and candidate.

    An item whose text is not published has a key of another kind, over its public id.
    """
    if isinstance(item, KnownItem):
        return item.key
    if item.text is None:
        return content_key(["unpublished item", item.kind, item.public_id])
    return content_key(
        ["item", item.kind, item.text.strip(), item.choices, item.candidate]
    )


def answer_key_key(answers: Sequence[str]) -> str:
    """Key of an answer key: its answers in order, and whether all are needed."""
    if isinstance(answers, KnownAnswers):
        return answers[0]
    needed = "answer key of all" if isinstance(answers, AllOf) else "answer key"
    return content_key([needed, list(answers)])
