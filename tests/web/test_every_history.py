"""Every verb, command and page opens whatever a workspace's edits have made of it.

What they answer is a result or one line: no other error, and no number that is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import click
import pytest
from click.testing import CliRunner

from curator.cli import main
from curator.formats.registry import exports
from curator.results import Tabular
from curator.web.components.places import PLACES
from curator.web.components.view import CHOICES, FIELDS, FLAGS
from curator.workspace import Workspace
from tests.samples.histories import (
    OWNER,
    PEOPLE,
    READING,
    REFUSALS,
    Values,
    arguments,
    make_history,
    values_of,
)
from tests.web.conftest import OpenApp, page_html
from tests.web.test_every_page_opens import turned

# But for sentences such as "None: wherever others have voted, they voted alike."
NO_NUMBER = re.compile(r"\b(nan|NaN|None(?! is |: | removes )|inf|Infinity)\b")
NOT_RUN = {
    *("serve", "demo", "ava"),  # a server, and what is of no workspace
    *("import", "restore", "grade", "generate", "batch"),  # files and models
}

VIEWED = {
    "query": "query_id",
    "question": "question_id",
    "passage": "passage_id",
    "within": "query_id",
    "first": "system",
    "second": "system",
    "who": "judge",
    "rating": "min_rating",
    "answered": "min_answered",
    "reference": "against",
    "answer": "round_id",
    "start": "event",
    "measures": "measure",
    "between": "",
}
"""The values of an address, where their names are others."""


@contextmanager
def only_refusals(what: object) -> Iterator[None]:
    """Let a block end with its result, or with what is told in one line."""
    try:
        yield
    except REFUSALS:
        pass
    except Exception as error:
        error.add_note(f"in {what}")
        raise


def check_text(text: str) -> None:
    """Fail where a text shows NaN, infinity or Python's None."""
    match = NO_NUMBER.search(text)
    assert match is None, text[max(0, match.start() - 100) : match.end() + 50]


def commands(group: click.Group, *names: str) -> Iterator[tuple[str, ...]]:
    """Yield the names that lead to each command."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, *names, name)
        elif name not in NOT_RUN and not NOT_RUN & {*names}:
            yield (*names, name)


def call_every_verb(random: Random, path: Path, judge: str) -> None:
    with (
        only_refusals(judge),
        Workspace.open(path, judge=judge, as_judge=judge != OWNER) as workspace,
    ):
        values = values_of(workspace)
        for name in READING:
            verb = getattr(workspace, name)
            given = arguments(random, verb, values, name)
            with only_refusals((judge, name, given)):
                found = verb(**given)
                if isinstance(found, Tabular):
                    check_text(str(found))
                    found.frame()


def run_every_command(random: Random, path: Path) -> None:
    with Workspace.open(path, judge=OWNER) as workspace:
        values = values_of(workspace)
    for names in commands(main):
        run(command_line(random, names, path, values))
    run(["grade", str(path), "--grader", "lexical", "--dry-run"])
    run(["generate", str(path), "--model", "chat:some-model", "--dry-run"])
    for kind, written in exports().items():
        file = path.with_name(f"{kind}{written.endings[0]}")
        run(["export", str(path), written.option, str(file), "--allow-partial"])
        if file.is_file() and file.suffix not in (".zip", ".gz"):
            check_text(file.read_text())


def run(line: list[str]) -> None:
    with only_refusals(line):
        result = CliRunner().invoke(main, line)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        if line[0] != "gate":  # whose status is its result
            assert result.exit_code == 0 or "Error: " in result.stderr
        check_text(result.stdout)


def command_line(
    random: Random, names: tuple[str, ...], path: Path, values: Values
) -> list[str]:
    """Choose a call of a command: what it needs, and some of its options."""
    command: Any = main
    for name in names:
        command = command.commands[name]
    options: list[str] = []
    arguments: list[str] = []
    for option in command.get_params(click.Context(command)):
        possible = [
            value
            for value in option_values(option, path, values) or ()
            if value is not None
        ]
        if option.name == "workspace":
            continue
        assert possible or not option.required, (names, option.name)
        needed = option.required or option.name == "form"
        if not possible or not (needed or random.random() < 0.25):
            continue
        value = random.choice(possible)
        words = [*map(str, value)] if isinstance(value, list | tuple) else [str(value)]
        if isinstance(option, click.Argument):
            arguments += words
        elif option.is_flag:
            options.append(option.opts[-1])
        elif option.nargs == 1:
            options += [part for word in words for part in (option.opts[-1], word)]
    head, *rest = names
    return [head, str(path), *rest, *options, "--", *arguments]


def option_values(
    option: click.Parameter, path: Path, values: Values
) -> Sequence[Any] | None:
    """List values of an option by its type; of text and numbers by its name."""
    if isinstance(option.type, click.Choice):
        return option.type.choices
    if isinstance(option.type, click.Path):
        return [path.with_name("file.svg")] if option.required else None
    if isinstance(option.type, click.File):  # lines of edits
        file = path.with_name("edits.txt")
        file.write_text(f"retire {values['question_id'][0]}\n")
        return [file]
    return [True] if getattr(option, "is_flag", False) else values.get(option.name)


def open_every_page(random: Random, open_app: OpenApp, path: Path, judge: str) -> None:
    with Workspace.open(path, judge=OWNER) as workspace:
        values = values_of(workspace)
    app = open_app(path, judge=judge)
    for page in (place.script for place in PLACES.values()):
        params = {"judge": judge}
        for field in FIELDS:
            name = field.name
            possible = CHOICES.get(name, values.get(VIEWED.get(name, name)))
            if name in FLAGS:
                possible = ["yes"]
            if name not in params and possible and random.random() < 0.3:
                params[name] = str(random.choice(possible))
        with only_refusals((judge, page, params)):
            app = open_app(path, judge=judge) if app.exception else app
            shown = [page_html(turned(app, page, **params))]
            shown += [part.proto.json for part in app.get("bidi_component")]
            check_text(" ".join(shown))


@pytest.mark.parametrize(
    "seeds", [range(1), pytest.param(range(1, 21), marks=pytest.mark.long)]
)
def test_whatever_was_edited_everything_opens(
    seeds: Sequence[int], open_app: OpenApp, at_once: None
) -> None:
    for seed in seeds:
        print(f"seed {seed}")  # shown, with the edits, where the test fails
        random = Random(seed)
        with TemporaryDirectory() as folder:
            path = make_history(random, Path(folder), steps=80)
            for judge in (OWNER, *PEOPLE):
                call_every_verb(random, path, judge)
            for judge in (OWNER, random.choice([*PEOPLE])):
                open_every_page(random, open_app, path, judge)
            run_every_command(random, path)
