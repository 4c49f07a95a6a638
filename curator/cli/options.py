"""Arguments and options that several commands share, and what they open."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from curator.workspace import Workspace

FORMATS = ("table", "json", "tsv", "latex", "markdown")
WORKSPACE = click.argument(
    "workspace", type=click.Path(path_type=Path), metavar="WORKSPACE"
)
Function = Callable[..., Any]


class MeasureOption(click.Option):
    """``--measure``, whose help the measures give, asked only when it is read."""

    @property
    def help(self) -> str | None:
        from curator.evaluation.measures import usage

        return f"{usage()}. docs/measures.md says what each is."

    @help.setter  # noqa: A003  # click names it
    def help(self, given: str | None) -> None:
        """Nothing: it is not given here."""


GRADER = click.option("--grader", help="Whose grades; may be cut short. [the first]")
MIN_RATING = click.option("--min-rating", type=int, default=4, show_default=True,
                          help="The rating from which a question counts as answered."
)  # fmt: skip
DEPTH = click.option("-k", "k", type=int, default=20, show_default=True,
                     help="How many passages a measure looks at whose name gives no "
                     "number, such as cover.")  # fmt: skip


def board_options(function: Function) -> Function:
    """The options that make settings, in the order in which help shows them."""
    measure = click.option(
        "--measure", "-m", default="cover", show_default=True, cls=MeasureOption
    )
    return measure(GRADER(MIN_RATING(DEPTH(function))))


def format_option(function: Function) -> Function:
    """``--format`` with every form a result can be printed in."""
    return click.option(
        "--format", "form", type=click.Choice(FORMATS), default="table",
        show_default=True, help="How results are printed.",
    )(function)  # fmt: skip


class FormatCommand(click.Command):
    """A command with an option for each format.

    Which there are is looked up once somebody asks for the command: the modules of
    formats are many, and no other command needs them.
    """

    def __init__(
        self, *args: Any, formats: Callable[[], Iterable[click.Option]], **more: Any
    ) -> None:
        super().__init__(*args, **more)
        self._formats = formats
        self._complete = False

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The arguments, an option a format, and the others."""
        if not self._complete:
            self._complete = True
            first = sum(isinstance(one, click.Argument) for one in self.params)
            self.params[first:first] = self._formats()
        return super().get_params(ctx)


def file_option(name: str, words: str, *, multiple: bool = False) -> click.Option:
    """The option that names a file of one format."""
    path = click.Path(path_type=Path)
    return click.Option(
        [f"--{name}"], type=path, metavar="FILE", help=words, multiple=multiple
    )


@contextmanager
def opened(
    path: Path, *, create: bool = False, judge: str | None = None
) -> Iterator[Workspace]:
    """The workspace at ``path`` for the length of a block."""
    from curator.workspace import Workspace

    with Workspace.open(path, create=create, judge=judge) as workspace:
        yield workspace


AGAINST = click.option("--against", default="official", show_default=True,
                       help="official, or judgments:<measure>.")  # fmt: skip
MEASURES = click.option("--measure", "-m", "measures", multiple=True,
                        help="A measure's name; once for each. [cover]")  # fmt: skip


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
