"""Every example of the README and the documentation works.

Blocks marked ``console`` are run in a folder with the demo as ``demo.db``, and print
what the page says; so are blocks marked ``python``, with the ``text`` after them. Of
all other commands the options exist.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from curator.cli import main

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md")])
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


SLOW = {"docs/tutorial-organizer.md", "docs/tutorial-rag.md", "docs/exam.md"}


def page_name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def pages_with(kind: str) -> list[Any]:
    """Return the pages with blocks of a kind; `make test` leaves out slow ones."""
    pages = [page for page in PAGES if f"\n```{kind}\n" in page.read_text("utf-8")]
    return [
        pytest.param(page, marks=pytest.mark.long if page_name(page) in SLOW else ())
        for page in pages
    ]


@pytest.fixture
def environment(
    instant_demo: Path, demo_folder: Path, tmp_path: Path
) -> dict[str, str]:
    """`curator` on the path as if installed, and a folder with the demo."""
    script = tmp_path / "bin" / "curator"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m curator "$@"\n')
    script.chmod(0o755)
    work = tmp_path / "work"
    shutil.copytree(demo_folder, work / "data" / "demo")
    shutil.copy(instant_demo, work / "demo.db")
    return {
        **os.environ,
        "CURATOR_DEMO": "demo.db",
        "CURATOR_USER": "ann",
        "PATH": f"{script.parent}:{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)]),
        "PWD": str(work),
    }


def output_of(arguments: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(
        arguments,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        cwd=environment["PWD"],
    )
    return done.stdout


@pytest.mark.parametrize("page", pages_with("console"), ids=page_name)
def test_commands_print_what_the_page_says(
    page: Path, environment: dict[str, str]
) -> None:
    for kind, block in BLOCK.findall(page.read_text("utf-8")):
        if kind == "console":
            printed = ""
            for command in re.findall(r"^\$ (.*(?:\\\n.*)*)", block, re.MULTILINE):
                printed += f"$ {command}\n"
                printed += output_of(["sh", "-c", command], environment)
            assert printed == block


@pytest.mark.parametrize("page", pages_with("python"), ids=page_name)
def test_python_prints_what_the_page_says(
    page: Path, environment: dict[str, str]
) -> None:
    blocks = BLOCK.findall(page.read_text("utf-8"))
    code = "".join(block for kind, block in blocks if kind == "python")
    expected = "".join(block for kind, block in blocks if kind == "text")
    assert output_of([sys.executable, "-c", code], environment) == expected


def commands_of(page: Path) -> Iterator[str]:
    """Yield the commands of blocks and of code in sentences."""
    text = re.sub(r'\\\n|"\$\(.*?\)"', " ", page.read_text("utf-8"))
    yield from re.findall(r"^(?: {4}|\$ )?(curator [^#\n]*)", text, re.MULTILINE)
    yield from re.findall(r"`(curator [^`\n]*)`", text)


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_every_option_of_a_command_exists(page: Path) -> None:
    for line in commands_of(page):
        command: click.Command = main
        options = set()
        for word in re.split(r" (?:&&|\||>) ", line)[0].split()[1:]:
            if isinstance(command, click.Group) and word in command.commands:
                command = command.commands[word]
            elif option := re.match(r"--?[a-z][\w-]*", word):
                options.add(option[0])
        parts = command.get_params(click.Context(command))
        names = {name for part in parts for name in (*part.opts, *part.secondary_opts)}
        assert options <= names, line
