"""Count names and docstrings that are not plain language.

    python -m scripts.check_language [--list RULE] [--write]

Counts the places in curator and grading that break each rule and compares them with
scripts/language_counts.json. The exit status is 1 where a count is higher. ``--list``
shows the places of a rule, ``--write`` saves lower counts.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
COUNTS = ROOT / "scripts" / "language_counts.json"
VAGUE = re.compile(
    r"_*(ones?|said|told|meant|made|came|found|own|there|held|beside|heard|gone|stands"
    r"|standing|given|asked|wanted|known|shown|seen|left|going|gain|whole|rest)_*"
)
PREPOSITION = re.compile(
    r"_*(of|as|at|in|on|beside|among|about|whether|what|who|how|where|when|since|after"
    r"|before|behind|under|over)_[a-z]"
)
QUESTION = re.compile(
    r"(what|whether|how|who|whoever|whose|where|when|one|the same|all that|everything"
    r"|nothing)\b",
    re.IGNORECASE,
)
IDIOM = re.compile(
    r"\b(somebody|nobody|whoever|whatever|beside|by now|said of|of its own|"
    r"as it stands|is to be|(rests?|hangs?) on|stands? (in|for|beside|over|under)|"
    r"goes? on|who looks)\b",
    re.IGNORECASE,
)
Documented = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module
Function = ast.FunctionDef | ast.AsyncFunctionDef
Place = tuple[str, int, str]  # rule, line, text


def names_in(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield (line, name) of everything that the module names."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(ctx=ast.Store()):
                yield node.lineno, node.id
            case ast.arg():
                yield node.lineno, node.arg
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.lineno, node.name


def places_in(tree: ast.AST) -> Iterator[Place]:
    """Yield the places of a module that break a rule."""
    for line, name in names_in(tree):
        if VAGUE.fullmatch(name.lower()):
            yield "vague name", line, name
    for node in ast.walk(tree):
        is_definition = isinstance(node, Function | ast.ClassDef)
        if is_definition and PREPOSITION.match(snake_case(node.name)):
            yield "name starts with a preposition", node.lineno, node.name
        if isinstance(node, ast.Call):
            for argument in node.args:
                if isinstance(argument, ast.Starred) and is_literal(argument.value):
                    yield "literal unpacked in a call", argument.lineno, ""
        if isinstance(node, Documented) and (text := ast.get_docstring(node)):
            yield from docstring_places(node, text)


def snake_case(name: str) -> str:
    """Return a name with underscores between its words: ``of_words`` for OfWords."""
    return re.sub("(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def is_literal(node: ast.expr) -> bool:
    """Return True for a tuple or list written out, as in ``f(*("a", "b"))``."""
    return isinstance(node, ast.Tuple | ast.List)


def docstring_places(node: Documented, text: str) -> Iterator[Place]:
    """Yield the rules that a docstring breaks."""
    line, first = node.body[0].lineno, text.splitlines()[0]
    if QUESTION.match(first):
        yield "docstring starts with a question word", line, first
    if len(first) > 88:
        yield "docstring starts with a long line", line, first
    if IDIOM.search(text):
        yield "idiom in a docstring", line, first


def all_places() -> dict[str, list[str]]:
    """Return the places in curator and grading, as text, by rule."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    classes: defaultdict[str, list[str]] = defaultdict(list)
    for package in ("curator", "grading"):
        for path in sorted((ROOT / package).rglob("*.py")):
            tree = ast.parse(path.read_text("utf-8"))
            name = path.relative_to(ROOT).as_posix()
            for rule, line, text in places_in(tree):
                places[rule].append(f"{name}:{line}: {text}")
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef):
                    classes[node.name].append(name)
    for name, paths in classes.items():
        if len(paths) > 1:
            places["class name with two meanings"].append(f"{name}: {' '.join(paths)}")
    return places


def risen(counts: Counter[str], allowed: dict[str, int]) -> list[str]:
    """Return a line for each rule that is broken more often than allowed."""
    return [
        f"{rule}: {count} places, {allowed.get(rule, 0)} allowed"
        for rule, count in sorted(counts.items())
        if count > allowed.get(rule, 0)
    ]


def main() -> None:
    """Compare the counts with those that are allowed."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--list", metavar="RULE", help="show the places of this rule")
    parser.add_argument("--write", action="store_true", help="save the counts")
    options = parser.parse_args()
    places = all_places()
    counts = Counter({rule: len(found) for rule, found in places.items()})
    if options.list:
        print("\n".join(places.get(options.list, [])))
        return
    if options.write:
        COUNTS.write_text(json.dumps(dict(sorted(counts.items())), indent=1) + "\n")
    if lines := risen(counts, json.loads(COUNTS.read_text("utf-8"))):
        print(
            "Language check: use plain words (docs/architecture.md).", *lines, sep="\n"
        )
        print("`python -m scripts.check_language --list RULE` shows the places.")
        sys.exit(1)


if __name__ == "__main__":
    main()
