"""``sweep`` and ``figure``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curator.cli.options import WORKSPACE, format_option, opened
from curator.cli.program import main
from curator.errors import FigureError

if TYPE_CHECKING:
    from curator.figures import Drawing
    from curator.workspace import Workspace

KINDS = (
    *("sweep", "scatter", "bump", "correlations", "topics"),
    *("pyramid-stability", "pyramid-zeros"),
)
ENDINGS = (".svg", ".png")
AGAINST = click.option("--against", default="official", show_default=True,
                       help="official, or judgments:<measure>.")  # fmt: skip
MEASURES = click.option("--measure", "-m", "measures", multiple=True,
                        help="A measure's name; once for each. [cover]")  # fmt: skip


@main.command()
@WORKSPACE
@MEASURES
@click.option("--grader", help="Whose grades; may be cut short. [the first]")
@click.option("-k", "k", type=int, default=20, show_default=True,
              help="How many passages of a ranking Cover looks at.")  # fmt: skip
@AGAINST
@format_option
def sweep(
    workspace: Path,
    measures: tuple[str, ...],
    grader: str | None,
    k: int,
    against: str,
    form: str,
) -> None:
    """How alike board and reference are at every minimum rating, 1 to 5.

    \b
    Example:
      curator sweep demo.db --measure cover --measure P@10
    """
    from curator.tables.leaderboard import sweep_table
    from curator.tables.table import show

    with opened(workspace) as one:
        found = one.sweep(measures, grader=grader, k=k, against=against)
        show(form, sweep_table(found))


@main.command()
@WORKSPACE
@click.argument("kind", type=click.Choice(KINDS), metavar="KIND")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False),
                metavar="FILE.svg|png")  # fmt: skip
@click.option("--dark", is_flag=True, help="On dark, for slides.")
@MEASURES
@click.option("--grader", help="Whose grades; may be cut short. [the first]")
@click.option("--min-rating", type=int, default=4, show_default=True,
              help="The rating from which a question counts as answered.")  # fmt: skip
@click.option("-k", "k", type=int, default=20, show_default=True,
              help="How many passages of a ranking Cover looks at.")  # fmt: skip
@AGAINST
@click.option("--system", help="The system of kind topics.")
def figure(workspace: Path, kind: str, file: Path, dark: bool, **options: Any) -> None:
    """Write a figure of these numbers: as SVG or PNG, by the file's ending.

    \b
    Kinds:
      sweep              correlation with a reference at every minimum rating
      scatter            the board's scores over official ranks
      bump               ranks under each measure
      correlations       Kendall's tau between measures
      topics             --system's score in each topic against all systems'
      pyramid-stability  pyramids of 1, 2, … judges against single judges' boards
      pyramid-zeros      in how many queries the median system scores 0 under them

    \b
    Example:
      curator figure demo.db sweep sweep.svg --measure P@10
    """
    check_ending(file)
    with opened(workspace) as one:
        drawing = drawn(one, kind, dark, **options)
    write_figure(drawing, file)


def check_ending(file: Path) -> None:
    """Raise FigureError for a file that is neither SVG nor PNG by its name."""
    if file.suffix.lower() not in ENDINGS:
        raise FigureError(
            f"A figure is written as {' or '.join(ENDINGS)}, not as '{file.name}'."
        )


def write_figure(drawing: Drawing, file: Path) -> None:
    """Write the figure as its file's ending says, and tell so on stderr."""
    content = drawing.svg() if file.suffix.lower() == ".svg" else drawing.png()
    try:
        file.write_bytes(content)
    except OSError as error:
        raise FigureError(f"Cannot write '{file}': {error.strerror}.") from error
    click.echo(f"{file}: {drawing.title}", err=True)


def drawn(
    workspace: Workspace,
    kind: str,
    dark: bool,
    *,
    measures: tuple[str, ...],
    grader: str | None,
    min_rating: int,
    k: int,
    against: str,
    system: str | None,
) -> Drawing:
    """The figure of this kind. Raises FigureError where its options are not enough."""
    from curator.tables import figures

    if kind == "sweep":
        swept = workspace.sweep(measures, grader=grader, k=k, against=against)
        if not any(
            found.spearman is not None for one in swept for found in one.points.values()
        ):
            raise nothing_to_draw([one.note for one in swept if one.note])
        return figures.sweep_figure(swept, dark=dark)
    if kind in ("bump", "correlations"):
        compared = workspace.compare(
            measures=measures,
            graders=() if grader is None else (grader,),
            min_rating=min_rating,
            k=k,
        )
        if not compared.systems:
            raise nothing_to_draw(compared.notes)
        make = figures.bump_figure if kind == "bump" else figures.correlation_figure
        return make(compared, dark=dark)
    settings = workspace.settings(
        grader=grader,
        measure=measures[0] if measures else "cover",
        min_rating=min_rating,
        k=k,
    )
    if kind in ("pyramid-stability", "pyramid-zeros"):
        curves = workspace.pyramid_curves(settings)
        if not curves.sizes:
            raise nothing_to_draw(curves.notes)
        if kind == "pyramid-zeros":
            return figures.zeros_figure(curves, dark=dark)
        return figures.stability_figure(curves, dark=dark)
    if kind == "topics":
        if system is None:
            raise FigureError(
                "Say whose topics: --system NAME, as `curator leaderboard WORKSPACE` "
                "lists them."
            )
        found = workspace.topics(system, settings)
        if not found.topics:
            raise nothing_to_draw(found.notes)
        return figures.topics_figure(found, dark=dark)
    official = workspace.collection().official
    if not official:
        raise FigureError(
            "No official board in this workspace: `curator import WORKSPACE "
            "--official FILE.json` brings one."
        )
    board = workspace.leaderboard(settings)
    if not board.standings:
        raise nothing_to_draw(board.notes)
    if not any(one.system in official for one in board.standings):
        raise FigureError("No system here has an official rank.")
    return figures.board_figure(board, official, dark=dark)


def nothing_to_draw(notes: Sequence[str]) -> FigureError:
    """What the board says of why it is empty, in one line."""
    return FigureError(" ".join(notes) or "There is nothing to draw.")
