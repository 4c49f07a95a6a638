"""The glossary has the words that code, commands and pages use."""

from __future__ import annotations

import ast
from pathlib import Path

import click
import pytest

from curator.cli import main
from curator.web.components.listener import TERMS
from curator.web.components.places import PLACES, label

ROOT = Path(__file__).parents[1]
ROWS = [
    tuple(cell.strip().strip("`") for cell in line.strip("|").split("|"))
    for line in (ROOT / "docs/glossary.md").read_text("utf-8").splitlines()
    if line.startswith("| ")
][1:]


def test_the_glossary_explains_the_words_of_the_page() -> None:
    assert [(word, meaning) for word, meaning, *_ in ROWS] == [*TERMS]


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_every_place_of_a_word_exists(row: tuple[str, ...]) -> None:
    _, _, code, command, page = row
    assert page in map(label, PLACES)
    words = command.split()[1:]
    found: click.Command = main
    while words and not words[0].startswith("-"):
        assert isinstance(found, click.Group)
        found = found.commands[words.pop(0)]
    options = words
    known = {option for parameter in found.params for option in parameter.opts}
    assert {*options} <= known
    name, _, field = code.partition(".")
    assert not name or _defines(name, field)


def _defines(name: str, field: str) -> bool:
    """Return True if the package has this class, with this field or method."""
    for path in (ROOT / "curator").rglob("*.py"):
        source = path.read_text("utf-8")
        if f"class {name}" not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ClassDef) and node.name == name:
                return not field or f"    {field}:" in ast.unparse(node)
    return False
