"""Arguments and options that several commands share, and what they open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from curator.workspace import Workspace

MEASURES = (
    'Any ir-measures name such as "P@20" or "nDCG@10"; cover (or exam), n-exam; of '
    "votes weighted-cover, nugget-r, -p, -f, vital-r, -f, and of one judge "
    '"vital-f(judge=ann)"; of ideal answers rouge-1-f1, rouge-su4-r and the like, with '
    'options as in "rouge-1-f1(joined,gold)". docs/measures.md says what each is.'
)
K = "How many passages a measure looks at whose name gives no number, such as cover."
FORMATS = ("table", "json", "tsv", "latex", "markdown")
WORKSPACE = click.argument(
    "workspace", type=click.Path(path_type=Path), metavar="WORKSPACE"
)
Function = Callable[..., Any]


def board_options(function: Function) -> Function:
    """The options that make settings, in the order in which help shows them."""
    options = [
        click.option("--measure", "-m", default="cover", show_default=True,
                     help=MEASURES),
        click.option("--grader", help="Whose grades; may be cut short. [the first]"),
        click.option("--min-rating", type=int, default=4, show_default=True,
                     help="The rating from which a question counts as answered."),
        click.option("-k", "k", type=int, default=20, show_default=True,
                     help=K),
    ]  # fmt: skip
    for option in reversed(options):
        function = option(function)
    return function


def format_option(function: Function) -> Function:
    """``--format`` with every form a result can be printed in."""
    return click.option(
        "--format", "form", type=click.Choice(FORMATS), default="table",
        show_default=True, help="How results are printed.",
    )(function)  # fmt: skip


@contextmanager
def opened(
    path: Path, *, create: bool = False, judge: str | None = None
) -> Iterator[Workspace]:
    """The workspace at ``path`` for the length of a block."""
    from curator.workspace import Workspace

    with Workspace.open(path, create=create, judge=judge) as workspace:
        yield workspace
