"""Verbs of editing stand in one module, so that a word changes on screen at once."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.edit_words import STATES, VERBS
from curator.formats.templates import ENVIRONMENT

PACKAGE = Path(__file__).parents[1] / "curator"
SENTENCE = re.compile(
    r"(?<![-\w'.])(?:retir(?:e|es|ed|ing)|reword(?:s|ed|ing)?)\b", re.I
)
STORED = re.compile(
    r"SELECT|json_extract|CREATE TABLE|undo and redo|redo reword|^\w+ -- \{"
)
MARKUP = re.compile(r"\{[{%#].*?[%#}]\}|<[^>]*>|^\s*//.*$|\$\{[^}]*\}", re.S | re.M)


def texts_of_python(path: Path) -> Iterator[str]:
    """Texts of several words, without docstrings and names of columns."""
    source = path.read_text("utf-8")
    if not SENTENCE.search(source):
        return
    tree = ast.parse(source)
    docstrings = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "columns":
            docstrings |= set(map(id, ast.walk(node)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value.strip()
            if " " in text and id(node) not in docstrings and not STORED.search(text):
                yield text


def texts_of_page(path: Path) -> Iterator[str]:
    """Text of a template, or strings of a script that are more than a stored name."""
    source = MARKUP.sub("\n", path.read_text("utf-8"))
    if path.suffix == ".csv":
        yield re.sub(r"\{\w+\}", "", source)
    elif path.suffix == ".html":
        yield source
    else:
        strings = (match[2] for match in re.finditer(r"([\"`])(.*?)\1", source))
        yield from (text for text in strings if " " in text or text[:1].isupper())


@pytest.mark.parametrize("suffix", [".py", ".html", ".js", ".csv"])
def test_no_text_writes_out_a_verb_of_editing(suffix: str) -> None:
    read = texts_of_python if suffix == ".py" else texts_of_page
    written_out = [
        (str(path.relative_to(PACKAGE)), text)
        for path in PACKAGE.rglob(f"*{suffix}")
        for text in read(path)
        if SENTENCE.search(text)
    ]
    assert written_out == []


def test_templates_and_scripts_get_the_verbs() -> None:
    page = ENVIRONMENT.from_string("{{ VERBS.retire.gerund }} {{ STATES['retired'] }}")
    assert page.render() == "retiring retired"
    assert json.loads(json.dumps(VERBS))["drop"]["past"] == "dropped"
    assert STATES["retired"] == VERBS["retire"]["past"]
