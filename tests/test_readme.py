"""The README's worked examples print what the README says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"
MARK = "<!-- the test suite runs this and compares what it prints -->\n"


def marked_sections() -> list[str]:
    """What follows each mark, up to the next heading."""
    sections = README.read_text().split(MARK)[1:]
    return [re.split(r"^## ", section, flags=re.MULTILINE)[0] for section in sections]


@pytest.fixture
def environment(instant_demo: Path, tmp_path: Path) -> dict[str, str]:
    """The demo built already, and `curator` on the path as if installed."""
    script = tmp_path / "curator"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m curator "$@"\n')
    script.chmod(0o755)
    return {
        **os.environ,
        "CURATOR_DEMO": str(instant_demo),
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
    }


def test_the_python_example_prints_what_the_readme_says(
    environment: dict[str, str],
) -> None:
    section = marked_sections()[0]
    blocks = re.findall(r"```(?:python)?\n(.*?)```", section, flags=re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", blocks[0]],
        check=True,
        capture_output=True,
        text=True,
        env=environment,
    )
    assert done.stdout == blocks[1]


def test_the_command_line_example_prints_what_the_readme_says(
    environment: dict[str, str],
) -> None:
    section = marked_sections()[1]
    (block,) = re.findall(r"```\n(\$ .*?)```", section, flags=re.DOTALL)
    printed = ""
    for command in re.findall(r"^\$ (.*)$", block, flags=re.MULTILINE):
        done = subprocess.run(
            ["sh", "-c", command],
            check=True,
            capture_output=True,
            text=True,
            env=environment,
        )
        printed += f"$ {command}\n{done.stdout}"
    assert printed == block
