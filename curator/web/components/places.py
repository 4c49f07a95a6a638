"""The pages of the app, the areas whose tabs they are, and the page for a command."""

from __future__ import annotations

import csv
from dataclasses import dataclass

from curator.edit_words import VERBS
from curator.web.server import HERE

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


@dataclass(frozen=True)
class PagePlace:
    """A page: its script, the area it is a tab of, its label there and its address.

    ``former`` are earlier addresses, which lead to the page; one may name a view.
    """

    script: str
    area: str
    tab: str
    address: str
    former: tuple[str, ...] = ()


AREAS = {
    "Overview": ":material/bar_chart:",
    "Judge": ":material/notes:",
    "Check": ":material/check:",
    "Results": ":material/trending_up:",
    "Releases": ":material/package_2:",
    "Settings": ":material/settings:",
}
"""Icons of the areas, in the order of the navigation."""

ROWS = read_table("places")
PLACES = {
    row["name"]: PagePlace(
        row["script"],
        row["area"],
        row["tab"],
        row["address"],
        tuple(row["former"].split()),
    )
    for row in ROWS
}
"""Pages by their names, in the order of the tabs of each area."""

COMMANDS = {command: row["name"] for row in ROWS for command in row["commands"].split()}
"""Pages that do in the app what a command does; the rest is for who has the file."""

ADDRESSES = {
    address.partition("?")[0]
    for place in PLACES.values()
    for address in (place.address, *place.former)
}
"""Addresses of pages, earlier ones too."""

JUDGES_SEE = ("Judge", "Check", "Results", "Settings")
"""Areas that a judge or a viewer has in the navigation, where people are listed."""


def area_page(area: str) -> str:
    """Return the name of the first page of an area."""
    return next(name for name, place in PLACES.items() if place.area == area)


def label(name: str) -> str:
    """Return the place of a page in words: "Results › Compare"."""
    place = PLACES[name]
    return place.tab if place.tab == place.area else f"{place.area} › {place.tab}"
