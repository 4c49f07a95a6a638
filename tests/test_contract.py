"""The interface is the one in contract.json: methods, commands, JSON, events, keys.

``CURATOR_WRITE_CONTRACT=1 pytest tests/test_contract.py`` writes it again; the commit
says why it changed.
"""

from __future__ import annotations

import inspect
import json
import os
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

import curator.web.pages.events  # noqa: F401, registers the handlers of events
from curator.cli import main
from curator.web.components.channel import HANDLERS
from curator.web.components.listener import KEYS
from curator.web.components.places import PLACES
from curator.workspace import Workspace
from scripts.compare_outputs import outputs

CONTRACT = Path(__file__).parent / "contract.json"
FIELD = re.compile("[a-z][a-z_]*[0-9]?")


def commands(
    group: click.Group = main, before: tuple[str, ...] = ()
) -> Iterator[tuple[str, click.Command]]:
    """Yield every command after its words: ``checks next``."""
    for name, command in sorted(group.commands.items()):
        if isinstance(command, click.Group):
            yield from commands(command, (*before, name))
        else:
            yield " ".join((*before, name)), command


def parameters(function: Any) -> list[str]:
    """Return names of parameters, of methods without the workspace itself."""
    return [
        ("*" * (one.kind == one.VAR_POSITIONAL))
        + name
        + ("?" * (one.default != one.empty))
        for name, one in inspect.signature(function).parameters.items()
        if name not in ("self", "workspace", "snapshot")
    ]


def json_keys(value: Any, names: frozenset[str], path: str = "") -> Iterator[str]:
    """Yield the paths of keys: ``systems[].rank``; a key that is data becomes ``*``."""
    if isinstance(value, dict):
        for key, part in value.items():
            named = FIELD.fullmatch(key) and key not in names
            here = f"{path}.{key if named else '*'}".lstrip(".")
            yield here
            yield from json_keys(part, names, here)
    elif isinstance(value, list):
        for part in value:
            yield from json_keys(part, names, f"{path}[]")


def contract(demo: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the interface as it is."""
    found = dict(commands())
    with Workspace.open(demo) as workspace:
        collection = workspace.collection()
        names = {"ann", "bo", "owner", *collection.systems, *collection.pools}
    monkeypatch.chdir(demo.parent)
    monkeypatch.setenv("CURATOR_USER", "owner")
    keys: defaultdict[str, set[str]] = defaultdict(set)
    for line, value in outputs(demo).items():
        words = [word for word in line.split() if word != "WORKSPACE"]
        alone = words[0] in found or words[1].startswith("-")
        name = words[0] if alone else " ".join(words[:2])
        assert not isinstance(value, str), (line, value)
        keys[name] |= set(json_keys(value, frozenset(names)))
    return {
        "methods": {
            name: parameters(getattr(Workspace, name))
            for name in dir(Workspace)
            if not name.startswith("_") and callable(getattr(Workspace, name))
        },
        "commands": {
            name: sorted(one for param in command.params for one in param.opts)
            for name, command in found.items()
        },
        "json": {name: sorted(paths) for name, paths in sorted(keys.items())},
        "events": {
            name: parameters(handler) for name, handler in sorted(HANDLERS.items())
        },
        "keys": sorted(key.name for key in KEYS),
        "pages": list(PLACES),
    }


def test_the_interface_is_that_of_the_contract(
    demo_db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = contract(demo_db, monkeypatch)
    if os.environ.get("CURATOR_WRITE_CONTRACT"):
        CONTRACT.write_text(written(now))
    before = json.loads(CONTRACT.read_text("utf-8"))
    for part, named in now.items():
        assert named == before[part], part


def written(interface: dict[str, Any]) -> str:
    """Return the interface as JSON: a method, command or key of JSON a line."""
    text = json.dumps(interface, indent=1)
    return (
        re.sub(r'\[\n +(["\w?*, \n-]+)\]', lambda one: on_a_line(one[1]), text) + "\n"
    )


def on_a_line(words: str) -> str:
    """Return the words of a JSON list as one line."""
    return f"[{' '.join(words.split())}]"
