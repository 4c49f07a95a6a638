"""Content keys: hashes of everything that affects an answer, and of nothing else.

Requests with equal keys have equal answers, independent of users, ids, folders and
batches. A key is the version prefix and the SHA-256 of a canonical JSON text: keys
sorted, no spaces, ASCII (so that texts with lone surrogates have keys, too). The first
element of every hashed value is its type, so keys of different types never collide.
"""

import hashlib
import json
from collections.abc import Sequence

from grading.items import AllOf, Item, KeyOnlyAnswers, KeyOnlyItem

KEY_VERSION = "g1:"  # bump when the canonical form changes


def content_key(value: object) -> str:
    """Return the versioned SHA-256 of the canonical JSON of ``value``.

    Raises ValueError for NaN and infinities, which JSON cannot represent.
    """
    canonical = json.dumps(
        value, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False
    )
    return KEY_VERSION + hashlib.sha256(canonical.encode("ascii")).hexdigest()


def text_key(text: str) -> str:
    """Return the key of a text, white space included."""
    return content_key(["text", text])


def item_key(item: Item) -> str:
    """Return the key of kind, stripped text, choices in order, and candidate.

    For an item without published text it is the key of its public id, of another type.
    """
    if isinstance(item, KeyOnlyItem):
        return item.key
    if item.text is None:
        return content_key(["unpublished item", item.kind, item.public_id])
    return content_key(
        ["item", item.kind, item.text.strip(), item.choices, item.candidate]
    )


def answer_key_key(answers: Sequence[str]) -> str:
    """Return the key of an answer key: its answers in order, and if all are needed."""
    if isinstance(answers, KeyOnlyAnswers):
        return answers[0]
    needed = "answer key of all" if isinstance(answers, AllOf) else "answer key"
    return content_key([needed, list(answers)])
