"""Every format there is: the ``CODECS`` of the modules of this package."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path

from curator.formats.codec import GROUPS, Codec, Exports, ImportOption, Imports

_IN_ORDER = {
    # Texts before what uses them.
    "written": "queries passages bank autograder runs reports grades judgments gold "
    "official",
    "import": "queries passages bank autograder grades runs reports judgments official "
    "gold",
    "dialog": "queries passages bank autograder runs judgments official gold reports "
    "grades",
    "message": "autograder bank queries passages runs reports judgments gold official "
    "grades",
    # What a file holds most of stands in its name last.
    "names": "judgments gold official runs autograder grades bank reports passages "
    "queries",
    "export": "bank autograder grades qrels question_qrels leaderboard answers checks "
    "nuggetbank ragtime nuggetizer nugget_docs queries passages runs judgments "
    "official gold report paper reports tqa bundle",
    "page": "qrels question_qrels leaderboard bank nuggetbank ragtime nuggetizer "
    "nugget_docs tqa answers autograder grades checks queries passages runs reports "
    "judgments official gold bundle report paper",
}
"""The order of lists in which it matters to people; a format not named comes last."""


def in_order(names: Iterable[str], purpose: str) -> list[str]:
    """The names of options or formats as a list for this purpose has them."""
    known = _IN_ORDER[purpose].split()
    return sorted(names, key=lambda n: known.index(n) if n in known else len(known))


@cache
def codecs() -> dict[str, Codec]:
    """Every format by its name."""
    package = "curator.formats"
    found: dict[str, Codec] = {}
    for module in pkgutil.walk_packages([str(Path(__file__).parent)], f"{package}."):
        if not module.name.startswith(f"{package}.text"):
            named = getattr(import_module(module.name), "CODECS", ())
            found |= {one.name: one for one in named}
    return found


@cache
def readers() -> dict[str, dict[str, Imports]]:
    """Return the imports of formats, by option and name."""
    found: dict[str, dict[str, Imports]] = {}
    for one in codecs().values():
        if one.imports is not None:
            found.setdefault(one.imports.option.name, {})[one.name] = one.imports
    return found


def import_options(purpose: str) -> dict[str, ImportOption]:
    """The options of ``import`` that read files, in the order of a list."""
    files = {
        option: formats[option].option
        for option, formats in readers().items()
        if formats[option].read
    }
    return {name: files[name] for name in in_order(files, purpose)}


def option_help(option: ImportOption) -> str:
    """Return the help of an option of ``curator import``: its label and formats."""
    formats = [form.called for form in readers()[option.name].values() if form.called]
    label = option.label[0].upper() + option.label[1:]
    return f"{label}: {', '.join(formats)}." if formats else f"{label}."


@cache
def exports(purpose: str = "export") -> dict[str, Exports]:
    """Return the exports of formats by name, in the order of a list."""
    found = {
        name: replace(one.exports, kind=name)
        for name, one in codecs().items()
        if one.exports is not None
    }
    ordered = {name: found[name] for name in in_order(found, purpose)}
    if purpose != "page":
        return ordered
    return dict(sorted(ordered.items(), key=lambda one: GROUPS.index(one[1].group)))
