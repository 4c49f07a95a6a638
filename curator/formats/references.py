"""Documents that items of a bank and their answers refer to.

RAGTIME, NuggetBank and nuggets with documents each keep them in their own extras; here
they are read from all three, so that each format writes what another brought.
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
        if (entity, form) == ("nugget_docs_topic", "nugget_docs"):
            for question_id, (_, by_answer, *_) in json.loads(text):
                for answer, ids in by_answer.items():
                    _add(references, question_id, answer, ids)
        elif entity == f"{form}_question" and form in ("nuggetbank", "ragtime"):
            item = json.loads(text)
            _add(references, key, OPEN_ENDED, item.get("references"))
            for answer, entry in answer_entries(item):
                _add(references, key, answer, entry.get("references"))
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


def reference_entries(listed: object) -> Iterator[dict[str, Any]]:
    """Each reference as an object; one that names no document is left out."""
    for value in listed if isinstance(listed, list) else ():
        entry = value if isinstance(value, dict) else {"doc_id": value}
        named = entry.get("doc_id")
        if isinstance(named, str | int) and not isinstance(named, bool) and named != "":
            yield {**entry, "doc_id": str(named)}


def document_ids(references: Iterable[Mapping[str, Any]]) -> list[str]:
    """The ids of the documents, each once."""
    return list(dict.fromkeys(reference["doc_id"] for reference in references))


def _add(
    references: dict[str, References], question_id: str, answer: str, listed: object
) -> None:
    for entry in reference_entries(listed):
        entries = references.setdefault(question_id, {}).setdefault(answer, [])
        if entry not in entries:
            entries.append(entry)


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
