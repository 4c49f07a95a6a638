"""The command ``curator``, and how a verb becomes one of its commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from curator import __version__
from curator.cli.parameters import BOARD, more_help, parameters, without_args
from curator.errors import CuratorError
from curator.formats.text.notices import counted
from curator.tables.terminal import echo, without_controls
from grading.errors import GradingError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curator.verbs.curate.edits import Recorded
    from curator.workspace import Workspace

    verbs = Workspace
else:

    class VerbNames:
        """Gives the name of a verb; editors take it for the class of workspaces."""

        def __getattr__(self, name: str) -> str:
            return name

    verbs = VerbNames()

FORMATS = ("table", "json", "tsv", "latex", "markdown")
PATH: click.Path = click.Path(path_type=Path)
Function = TypeVar("Function", bound=Callable[..., Any])


OWN_STATUS = {"gate": 3}
"""Exit status after an error of commands whose result is 1 or 2."""


class OneLineErrors(click.Group):
    """A group whose commands end a user's error with one line and exit status 1."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (CuratorError, GradingError) as error:
            echo(f"Error: {' '.join(str(error).split())}", err=True)
            ctx.exit(_error_status(ctx))
        except UnicodeDecodeError as error:
            echo(f"Error: The file is not UTF-8 text ({error.reason}).", err=True)
            ctx.exit(_error_status(ctx))
        except click.ClickException as error:
            error.message = without_controls(error.message)  # type: ignore[misc]
            if ctx.invoked_subcommand in OWN_STATUS:
                error.exit_code = _error_status(ctx)  # type: ignore[misc]
            raise
        except BrokenPipeError:
            # The reader of our output, such as `head`, has seen enough.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)
        except OSError as error:
            echo(f"Error: '{error.filename}': {error.strerror or error}.", err=True)
            ctx.exit(_error_status(ctx))


def _error_status(ctx: click.Context) -> int:
    return OWN_STATUS.get(ctx.invoked_subcommand or "", 1)


class WorkspaceGroup(click.Group):
    """A group with WORKSPACE before the command: ``curator people WORKSPACE add``.

    Without a command it runs the command ``default``, or shows its help. ``signs`` is
    that of its commands.
    """

    def __init__(
        self, name: str, *, default: str = "", signs: str = "", **options: Any
    ) -> None:
        workspace = click.Argument(["workspace"], type=PATH)
        super().__init__(name, params=[workspace], **options)
        self.default, self.signs = default, signs
        main.add_command(self)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if len(args) > 1 and args[1] in ctx.help_option_names:
            # `people add --help` is about the command, `people demo.db --help` is not.
            args = ["WORKSPACE", *args] if args[0] in self.commands else args[1:]
        if self.default and len(args) == 1 and not args[0].startswith("-"):
            args = [*args, self.default]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        ctx.obj = ctx.params["workspace"]
        return super().invoke(ctx)


class VerbCommand(click.Command):
    """A command whose parameters follow from the signature of a function.

    They are computed when the command is run or asked for help, since the verb's module
    can be heavy. Only values that a user has set are passed on, so that defaults are
    the verb's. ``excludes`` names, by parameter, those that do not go with it, and
    ``needs`` those of which it needs one.
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., Any] | None,
        *,
        verb: Any = "",
        more: Sequence[str] = (),
        signs: str = "",
        formats: Sequence[str] = FORMATS,
        extra: Callable[[], Iterable[click.Parameter]] = lambda: (),
        failed: Callable[[Any], object] = lambda result: False,
        excludes: Mapping[str, str] = MappingProxyType({}),
        needs: Mapping[str, str] = MappingProxyType({}),
        in_group: bool = False,
        example: str = "",
        **options: Any,
    ) -> None:
        self._params: list[click.Parameter] | None = None
        self.example = example
        super().__init__(name, **options)
        self.function = function or (
            lambda workspace, **options: getattr(workspace, verb)(**options)
        )
        self.verb, self.more, self.signs = verb, more, signs
        self.formats, self.extra, self.failed = formats, extra, failed
        self.excludes, self.needs = excludes, needs
        self.is_verb = function is None
        self.names: dict[str, str] = getattr(function, "__annotations__", {})
        self.opens = self.is_verb or self.names.get("workspace") == "Workspace"
        self.has_workspace = not in_group and (
            self.is_verb or "workspace" in self.names
        )

    @property
    def help(self) -> str | None:
        """Return the help: a summary, what the verb's docstring adds, an example."""
        if self._help or not self.example:
            return self._help
        verb = verb_named(self.verb)
        parts = [self.short_help, more_help(verb), "\b\nExample:\n  curator "]
        return "\n\n".join(filter(None, parts)) + self.example

    @help.setter  # noqa: A003  # click names it
    def help(self, text: str | None) -> None:
        self._help = text

    @property
    def params(self) -> list[click.Parameter]:
        if self._params is None:
            self._params = list(self._parameters())
        return self._params

    @params.setter
    def params(self, params: list[click.Parameter]) -> None:
        """Ignore the value of click, which has no parameters."""

    def _parameters(self) -> Iterator[click.Parameter]:
        if self.has_workspace:
            yield click.Argument(["workspace"], type=PATH)
        functions = [verb_named(name) for name in self.verb.split()]
        if not self.is_verb:
            functions.insert(0, self.function)
        derived = list(parameters(*functions, more=self.more))
        yield from (each for each in derived if isinstance(each, click.Argument))
        yield from self.extra()
        yield from (each for each in derived if isinstance(each, click.Option))
        if self.signs:
            yield click.Option(
                ["--judge"],
                metavar="NAME",
                help=f"{self.signs} [CURATOR_USER, else the system's user]",
            )
            yield click.Option(
                ["--force"], is_flag=True, help="Sign even for a listed viewer."
            )
        if self.formats:
            yield click.Option(
                ["--format", "form"],
                type=click.Choice(self.formats),
                metavar="FORMAT",
                default="table",
                help=f"{', '.join(self.formats)}. [table]",
            )

    def invoke(self, ctx: click.Context) -> Any:
        values = explicit_values(ctx)
        self.refuse_combinations({*values})
        form = values.pop("form", "table")
        if "form" in self.names:
            values["form"] = form
        path = values.pop("workspace", ctx.obj)
        if self.signs:
            judge, forced = values.pop("judge", None), bool(values.pop("force", False))
            with_workspace: Any = opened(path, judge=judge, refuse_viewers=not forced)
        else:
            with_workspace = opened(path) if self.opens else nullcontext(path)
        with with_workspace as workspace:
            first = (workspace,) if self.opens or self.has_workspace else ()
            result = self.call(*first, **values)
            if self.formats and result is not None:
                print_result(result, form)
        if failed := self.failed(result):
            ctx.exit(failed if type(failed) is int else 1)

    def refuse_combinations(self, names: set[str]) -> None:
        """Raise UsageError for parameters of which one would have no effect."""
        spelled = {
            part.name: part.opts[0]
            if isinstance(part, click.Option)
            else f"a {part.make_metavar(click.Context(self))}"
            for part in self.params
        }
        for name in names & self.excludes.keys():
            for other in sorted(names.intersection(self.excludes[name].split())):
                raise click.UsageError(
                    f"{spelled[name]} does not go with {spelled[other]}."
                )
        for name in names & self.needs.keys():
            needed = self.needs[name].split()
            if not names.intersection(needed):
                options = " or ".join(spelled[other] for other in needed)
                raise click.UsageError(f"{spelled[name]} needs {options}.")

    def call(self, *workspace: Any, **values: Any) -> Any:
        """Call the function with the values of parameters."""
        return self.function(*workspace, **values)

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the options; settings of boards are explained by one command."""
        options = [
            part for part in self.get_params(ctx) if isinstance(part, click.Option)
        ]
        board = [option for option in options if option.name in BOARD]
        if self.name == "leaderboard" or len(board) < len(BOARD) - 1:
            board = []
        records = [part.get_help_record(ctx) for part in options if part not in board]
        with formatter.section("Options"):
            formatter.write_dl([record for record in records if record], col_max=24)
        if board:
            formatter.write_paragraph()
            formatter.write_text(
                "Settings of the board, as in `curator leaderboard --help`: "
                f"{', '.join(option.opts[0] for option in board)}."
            )


def explicit_values(ctx: click.Context) -> dict[str, Any]:
    """Return the values of parameters that do not have their defaults."""
    return {
        name: value
        for name, value in ctx.params.items()
        if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT
    }


def verb_named(name: str) -> Callable[..., Any]:
    """Return a method of Workspace, or a function or class by its full name."""
    module, _, own_name = name.rpartition(".")
    holder = import_module(module or "curator.workspace")
    verb: Callable[..., Any] = getattr(holder if module else holder.Workspace, own_name)
    return verb


def print_result(result: Any, form: str) -> None:
    """Print a result or a list of results."""
    from curator.tables.table import show

    if form in FORMATS:
        show(form, result)
    else:
        for line in result.lines(form):
            echo(line)


@contextmanager
def opened(
    path: Path,
    *,
    create: bool = False,
    judge: str | None = None,
    refuse_viewers: bool | None = None,
) -> Iterator[Workspace]:
    """Open the workspace at ``path`` for a block.

    With ``refuse_viewers`` nothing can be changed in the name of a listed viewer.
    """
    from curator.unfinished import remove_abandoned_files
    from curator.workspace import AS_JUDGE_VARIABLE, Workspace

    remove_abandoned_files(path.parent)
    as_judge = bool(os.environ.get(AS_JUDGE_VARIABLE))
    judge = None if as_judge else judge
    with Workspace.open(
        path, create=create, judge=judge, as_judge=as_judge
    ) as workspace:
        workspace.refuse_viewers = refuse_viewers
        yield workspace


@click.group(
    cls=OneLineErrors, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="curator")
def main() -> None:
    """Judge search and RAG systems by exam questions that people curate."""


def add_verb(verb: Any, summary: str, example: str, **options: Any) -> None:
    """Add a verb of the workspace as the command that the example calls.

    The rest of its help is the verb's.
    """
    options |= {"verb": verb, "example": example, "short_help": summary}
    words = example.split()
    group = main.commands.get(words[0])
    if isinstance(group, WorkspaceGroup):
        add_command(words[2], None, group, options)
    else:
        add_command(words[0], None, main, options)


def command(
    name: str = "", *, group: click.Group = main, **options: Any
) -> Callable[[Function], Function]:
    """Add a function as a command, with its docstring as help."""

    def decorate(function: Function) -> Function:
        text = without_args(function.__doc__ or "")
        options["help"] = text.replace("\nExample:\n", "\n\b\nExample:\n")
        add_command(name or function.__name__, function, group, options)
        return function

    return decorate


def add_command(
    name: str,
    function: Callable[..., Any] | None,
    group: click.Group,
    options: dict[str, Any],
) -> None:
    """Add a command to a group."""
    if isinstance(group, WorkspaceGroup):
        options = {"in_group": True, "signs": group.signs, **options}
    group.add_command(VerbCommand(name, function, **options))


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
