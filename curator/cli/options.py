"""Arguments and options that several commands share, and what they open."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click
from click.core import ParameterSource

from curator.evaluation.settings import Label
from curator.formats.text.notices import counted
from curator.tables.terminal import echo

if TYPE_CHECKING:
    from curator.verbs.curate.rows import Recorded
    from curator.workspace import Workspace

FORMATS = ("table", "json", "tsv", "latex", "markdown")
PATH = click.Path(path_type=Path)
WORKSPACE = click.argument("workspace", type=PATH, metavar="WORKSPACE")
Function = Callable[..., Any]
Decorator = Callable[[Function], Function]
shown = partial(click.option, show_default=True)
flag = partial(click.option, is_flag=True)
several = partial(click.option, multiple=True)
file_given = partial(click.option, type=PATH)


def refuse_given(names: Collection[str], why: str) -> None:
    """Raise UsageError for an option given that would be passed over in silence."""
    context = click.get_current_context()
    for option in context.command.params:
        if option.name in names and (
            context.get_parameter_source(option.name) is ParameterSource.COMMANDLINE
        ):
            raise click.UsageError(f"{option.opts[0]} {why}.")


class MeasureOption(click.Option):
    """``--measure``, whose help the measures give, asked only when it is read."""

    @property
    def help(self) -> str | None:
        from curator.evaluation.measures import usage

        return (
            f"{usage()}. docs/measures.md defines them. [that of the first board: "
            "nDCG@10 of questions, cover of nuggets]"
        )

    @help.setter  # noqa: A003  # click names it
    def help(self, given: str | None) -> None:
        """Ignore the value: the help is computed."""


GRADER = click.option(
    "--grader",
    help="Grader whose grades are used; the start of its name is enough. [the first]",
)
MIN_RATING = click.option("--min-rating", type=int,
                          help="Lowest rating at which a passage answers a question or "
                               "is relevant. [4 on a scale of 0 to 5, else 1]"
)  # fmt: skip


MIN_ANSWERED = shown("--min-answered", default=1,
                     help="Number of questions that a relevant passage answers; N "
                          "makes the N-th highest rating the label."
)  # fmt: skip


LABEL = click.option("--label", type=click.Choice(get_args(Label)),
              help="How ratings make a passage's label: the best (max), their mean, "
                   "the mean of the three best (top3), or the number of questions that "
                   "reach --min-rating (answered). [mean for nDCG if `instant` has "
                   "grades, else max]"
)  # fmt: skip


def labels(function: Function) -> Function:
    """The options that say what a passage's label is, and from where it is relevant."""
    return MIN_RATING(LABEL(MIN_ANSWERED(function)))


def depth(words: str) -> Decorator:
    """``-k``, in the words of the command."""
    return shown("-k", "k", default=20, help=words)


DEPTH = depth("Number of passages for measures whose name states none, such as cover.")
COVER_DEPTH = depth("Number of passages per ranking for Cover.")
AGAINST = shown(
    "--against",
    default="official",
    help="official[:<name>], judgments:<measure>, or grader:<name>[:<measure>].",
)
MEASURES = several(
    *("--measure", "-m", "measures"),
    help="Name of a measure; repeat for several. [that of the first board]",
)


BY = click.option(
    "--by",
    type=click.Choice(["query", "subtopic"]),
    help="Unit of the mean: queries, or pairs of query and subtopic.  [query; for "
    "judgments:… as in the qrels]",
)


GROUP = (
    "Only questions of this group: question, nugget; written, proposed, imported; "
    "by:NAME for a person or model; import:N for the N-th import that added questions."
)
QUESTIONS = click.option("--questions", metavar="GROUP", help=f"{GROUP} [all]")


def board_options(function: Function) -> Function:
    """The options that make settings, in the order in which help shows them."""
    measure = click.option("--measure", "-m", cls=MeasureOption)
    return measure(GRADER(labels(DEPTH(function))))


def signing(words: str) -> Decorator:
    """Add ``--judge``, and ``--force`` to sign for a listed viewer."""

    def remember(context: click.Context, _: click.Parameter, force: bool) -> None:
        context.meta["force"] = force

    judge = click.option(
        "--judge",
        metavar="NAME",
        help=f"{words} [CURATOR_USER, else the system's user]",
    )
    force = flag(
        "--force",
        expose_value=False,
        callback=remember,
        help="Use this name even if it is listed as a viewer.",
    )
    return lambda function: judge(force(function))


def format_option(forms: Sequence[str], words: str | None = None) -> Decorator:
    """``--format`` with these forms."""
    return click.option(
        *("--format", "form"),
        type=click.Choice(forms),
        default="table",
        show_default=words is not None,
        help=words,
    )


def printed(function: Function) -> Function:
    """``--format`` with every form, in which what the command returns is printed."""
    return printed_in(FORMATS, "Output format.")(function)


def printed_in(forms: Sequence[str], words: str | None = None) -> Decorator:
    """``--format`` with these forms, for a command that returns what it prints."""

    def decorate(function: Function) -> Function:
        @wraps(function)
        def command(*given: Any, form: str, **options: Any) -> None:
            from curator.tables.table import show

            show(form, function(*given, **options))

        return format_option(forms, words)(command)

    return decorate


def in_workspace(function: Function) -> Function:
    """WORKSPACE as the first argument, which the command is given open.

    With ``--judge``, where the command has it, as that judge.
    """

    @wraps(function)
    def command(workspace: Path, **options: Any) -> None:
        with opened(workspace, judge=options.pop("judge", None)) as opened_workspace:
            function(opened_workspace, **options)

    return WORKSPACE(command)


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


def file_option(
    name: str, words: str, *, multiple: bool = False, metavar: str = "FILE"
) -> click.Option:
    """The option that names a file of one format."""
    return click.Option(
        [f"--{name.replace('_', '-')}"],
        type=PATH,
        metavar=metavar,
        help=words,
        multiple=multiple,
    )


@contextmanager
def opened(
    path: Path, *, create: bool = False, judge: str | None = None
) -> Iterator[Workspace]:
    """The workspace at ``path`` for the length of a block.

    A command with ``--judge`` changes nothing in a viewer's name, unless forced.
    """
    from curator.unfinished import remove_abandoned_files
    from curator.workspace import AS_JUDGE_VARIABLE, Workspace

    remove_abandoned_files(path.parent)
    as_judge = bool(os.environ.get(AS_JUDGE_VARIABLE))
    judge = None if as_judge else judge
    with Workspace.open(
        path, create=create, judge=judge, as_judge=as_judge
    ) as workspace:
        context = click.get_current_context(silent=True)
        if context is not None and "judge" in context.params:
            workspace.refuse_viewers = not context.meta.get("force")
        yield workspace


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
