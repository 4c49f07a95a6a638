"""Texts of the app, read from tables: words, the tour and keys."""

from __future__ import annotations

import csv
import os
from typing import Any

from curator.edit_words import VERBS
from curator.web.server import HERE, TOUR_VARIABLE

FORMS = {name: verb["base"] for name, verb in VERBS.items()}
FORMS |= {name.capitalize(): form.capitalize() for name, form in FORMS.items()}
FORMS |= {f"{name}_past": verb["past"] for name, verb in VERBS.items()}


def read_table(name: str, **texts: str) -> list[dict[str, str]]:
    """Read a table; words in braces are these texts and the verbs of editing."""
    texts |= FORMS
    path = HERE / f"components/{name}.csv"
    with open(path, encoding="utf-8", newline="") as file:
        return [
            {column: text.format_map(texts) for column, text in row.items()}
            for row in csv.DictReader(file)
        ]


TERMS = tuple((row["term"], row["meaning"]) for row in read_table("glossary"))
"""The words of Curator, as the list of keys explains them and docs/glossary.md."""
STOPS = read_table("tour")
"""The steps of the tour: each of a page, beside the control that it speaks of."""


def tour(page: str) -> dict[str, Any]:
    """Return the steps, the page, and whether the tour begins by itself.

    It begins once in a browser, and only over the demo.
    """
    offered = bool(os.environ.get(TOUR_VARIABLE))
    return {"stops": STOPS, "page": page, "offered": offered}
