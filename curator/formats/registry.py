"""Every format there is: the ``CODECS`` of the modules of this package."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path

from curator.formats.codec import Codec, Exports, ImportOption, Imports

_ORDER = (
    *("queries", "passages", "bank", "autograder", "runs", "reports", "grades"),
    *("judgments", "gold", "official", "qrels", "question_qrels", "leaderboard"),
    *("nuggetbank", "ragtime", "nuggetizer", "nugget_docs", "tqa", "answers"),
    *("checks", "bundle", "report", "paper"),
)
"""Options and formats as lists have them: texts before what uses them."""


def ordered(names: Iterable[str]) -> list[str]:
    """The names of options or formats in order; those of no place come last."""
    return sorted(names, key=lambda n: _ORDER.index(n) if n in _ORDER else len(_ORDER))


@cache
def codecs() -> dict[str, Codec]:
    """Every format by its name."""
    package = "curator.formats"
    registered: dict[str, Codec] = {}
    for module in pkgutil.walk_packages([str(Path(__file__).parent)], f"{package}."):
        if not module.name.startswith(f"{package}.text"):
            named = getattr(import_module(module.name), "CODECS", ())
            registered |= {item.name: item for item in named}
    return registered


@cache
def readers() -> dict[str, dict[str, Imports]]:
    """Return the imports of formats, by option and name."""
    registered: dict[str, dict[str, Imports]] = {}
    for item in codecs().values():
        if item.imports is not None:
            registered.setdefault(item.imports.option.name, {})[item.name] = (
                item.imports
            )
    return registered


def import_options() -> dict[str, ImportOption]:
    """The options of ``import`` that read files, in order."""
    options = {
        name: formats[name].option
        for name, formats in readers().items()
        if formats[name].read
    }
    return {name: options[name] for name in ordered(options)}


def option_help(option: ImportOption) -> str:
    """Return the help of an option of ``curator import``: its label and formats."""
    formats = [form.called for form in readers()[option.name].values() if form.called]
    label = option.label[0].upper() + option.label[1:]
    return f"{label}: {', '.join(formats)}." if formats else f"{label}."


@cache
def exports() -> dict[str, Exports]:
    """Return the exports of formats by name, in order."""
    formats = {
        name: replace(codec.exports, kind=name)
        for name, codec in codecs().items()
        if codec.exports is not None
    }
    return {name: formats[name] for name in ordered(formats)}
