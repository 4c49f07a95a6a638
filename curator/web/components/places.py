"""The pages of the app, the areas whose tabs they are, and the page for a command."""

from __future__ import annotations

from dataclasses import dataclass


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

PLACES = {
    "Overview": PagePlace("overview/page.py", "Overview", "Overview", "overview"),
    "Judge": PagePlace(
        "judge/page.py",
        "Judge",
        "Judge",
        "judge",
        ("curate", "passages", "votes", "judges", "proposals?proposals=yes"),
    ),
    "Check": PagePlace(
        "check/page.py",
        "Check",
        "Check",
        "check",
        (
            "checks?queue=pairs",
            "disagreements?queue=disagreements",
            "adjudication?queue=disagreements",
            "norming?queue=norming",
        ),
    ),
    "Ranking": PagePlace(
        "results/page.py", "Results", "Ranking", "results", ("leaderboard",)
    ),
    "Compare": PagePlace("results/compare/page.py", "Results", "Compare", "compare"),
    "Trust": PagePlace(
        "results/validity/page.py", "Results", "Can I trust it?", "validity"
    ),
    "System": PagePlace("results/compare/system.py", "Results", "One system", "system"),
    "Export": PagePlace(
        "releases/page.py", "Releases", "Export", "releases", ("export",)
    ),
    "History": PagePlace("releases/history/page.py", "Releases", "History", "history"),
    "Settings": PagePlace("settings/page.py", "Settings", "General", "settings"),
    "Grading": PagePlace(
        "settings/grading/page.py", "Settings", "Grading", "grading", ("answers",)
    ),
    "People": PagePlace(
        "settings/people/page.py", "Settings", "People", "people", ("team",)
    ),
    "Import": PagePlace("settings/import_page.py", "Settings", "Import", "start"),
}
"""Pages by their names, in the order of the tabs of each area."""

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


COMMANDS = {
    "adjudicate": "Check",
    "agreement": "Ranking",
    "checks": "Check",
    "compare": "Compare",
    "coverage": "Judge",
    "decisions": "Judge",
    "diff": "Export",
    "edit": "Judge",
    "export": "Export",
    "generate": "Judge",
    "grade": "Grading",
    "history": "History",
    "ideals": "Judge",
    "import": "Import",
    "jobs": "Grading",
    "judges": "Trust",
    "leaderboard": "Ranking",
    "norming": "Check",
    "passages": "Judge",
    "questions": "Judge",
    "release": "Export",
    "setup": "Settings",
    "validity": "Trust",
}
"""Pages that do in the app what a command does; the rest is for who has the file."""
