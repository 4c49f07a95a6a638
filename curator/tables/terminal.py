"""Printing to the terminal, where texts of a workspace must not act as commands."""

from __future__ import annotations

import json
import re

import click

ISOLATES = "\u2068\u2069"  # put around words from right to left in messages
# Control characters except tab and line feed, separators and directions that would
# reorder the rest of a line, and halves of characters, which cannot be printed.
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def echo(text: object, *, err: bool = False, nl: bool = True) -> None:
    """Print on stdout or stderr, like ``click.echo``, which nothing else may call."""
    click.echo(without_controls(str(text)), err=err, nl=nl)  # noqa: TID251


def without_controls(text: str) -> str:
    """Replace each control character by a visible mark, and leave out isolates."""
    text = text.translate(dict.fromkeys(map(ord, ISOLATES)))
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)


def json_text(value: object) -> str:
    """JSON as it is printed: control characters are escaped, other text is not."""
    text = json.dumps(value, ensure_ascii=False, indent=1)
    return _CONTROLS.sub(lambda control: f"\\u{ord(control[0]):04x}", text)
