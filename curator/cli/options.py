"""Messages, progress and checks that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from curator.formats.text.notices import counted
from curator.tables.terminal import echo

if TYPE_CHECKING:
    from curator.verbs.curate.rows import Recorded


def echo_saved(saved: Recorded, what: str, plural: str | None = None) -> None:
    """Say on stderr how many rows of a file were saved, of how many judges."""
    echo(
        f"Saved {counted(saved.recorded, what, plural)} of "
        f"{counted(len(saved.judges), 'judge')}; {saved.unchanged:,} unchanged.",
        err=True,
    )


def announce(host: str) -> None:
    """Say on stderr, before anything is sent, where texts go."""
    echo(f"Texts are sent to {host}.", err=True)


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """A (done, total) callback that draws on stderr, where that is a terminal."""
    bar: Any = None

    def report(done: int, total: int) -> None:
        nonlocal bar
        if not sys.stderr.isatty():
            return
        if bar is None:
            bar = click.progressbar(length=total, label=label, file=sys.stderr)
            bar.__enter__()
        bar.length = total
        bar.update(done - bar.pos)

    try:
        yield report
    finally:
        if bar is not None:
            bar.__exit__(None, None, None)
