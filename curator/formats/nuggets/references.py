"""Documents that items of a bank and their answers refer to.

Each dialect keeps them in the records that came; here they are read from all of these,
so that each writes what another brought.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from curator.formats.text.fields import Extras

OPEN_ENDED = "OPEN_ENDED_ANSWER"
"""The key of an item's own references, beside those of its answers by their text.

Nuggets with documents have it where only the documents of an answer are known.
"""

References = dict[str, list[dict[str, Any]]]
"""Entries with a ``doc_id``, by answer."""


def references_in(extras: Extras) -> dict[str, References]:
    """References of every item that was imported with some, by question id."""
    references: dict[str, References] = {}
    for (entity, key, form), text in extras.items():
        if entity == f"{form}_question" and form != "autograder":
            item = json.loads(text)
            for answer, entry in [(OPEN_ENDED, item), *answer_entries(item)]:
                for reference in reference_entries(entry.get("references")):
                    by_answer = references.setdefault(key, {})
                    listed = by_answer.setdefault(answer, [])
                    if reference not in listed:
                        listed.append(reference)
    return references


def answer_entries(item: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The answers of an item, a list or an object by text, each with its text.

    Those of claims are read by nothing else, so anything may stand there.
    """
    answers = item.get("answers")
    if isinstance(answers, dict):
        return [pair for pair in answers.items() if isinstance(pair[1], dict)]
    listed = answers if isinstance(answers, list) else []
    entries = [entry for entry in listed if isinstance(entry, dict)]
    return [(str(entry.get("answer")), entry) for entry in entries]


def known_answers(texts: Iterable[str]) -> tuple[str, ...]:
    """The texts that are answers, each once."""
    return tuple(
        dict.fromkeys(text for text in texts if text.strip() and text != OPEN_ENDED)
    )


def reference_entries(listed: object) -> Iterator[dict[str, Any]]:
    """Each reference as an object; one that names no document is left out."""
    for value in listed if isinstance(listed, list) else ():
        entry = value if isinstance(value, dict) else {"doc_id": value}
        named = entry.get("doc_id")
        if isinstance(named, str | int) and not isinstance(named, bool) and named != "":
            yield {**entry, "doc_id": str(named)}


def documents_in(item: Mapping[str, Any]) -> list[str]:
    """The ids of the documents that an item and its answers refer to."""
    entries = [item, *(entry for _, entry in answer_entries(item))]
    return [
        reference["doc_id"]
        for entry in entries
        for reference in reference_entries(entry.get("references"))
    ]


def add_references(
    item: dict[str, Any], references: References, *, as_ids: bool
) -> None:
    """Put the references into an entry and its answers where these have none.

    ``as_ids`` writes the id alone where no more is known of a document.
    """
    for place, entry in [(OPEN_ENDED, item), *answer_entries(item)]:
        if (listed := references.get(place)) and not entry.get("references"):
            entry["references"] = [
                reference["doc_id"] if as_ids and len(reference) == 1 else reference
                for reference in listed
            ]
