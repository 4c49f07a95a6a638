"""Commands ``edit``: one for each kind of edit that names its class.

What it takes follows from the fields of the class.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TextIO

import click

from curator.cli.parameters import without_args
from curator.cli.program import (
    VerbCommand,
    WorkspaceGroup,
    add_verb,
    command,
    main,
    opened,
    print_result,
    verbs,
)
from curator.tables.terminal import echo

if TYPE_CHECKING:
    from curator.bank.edits import Edit
    from curator.store.history import Batch
    from curator.workspace import Workspace

SIGNS = "Judge who edits."


class EditGroup(WorkspaceGroup):
    """The commands of edits, and the old spelling ``edit WORKSPACE --retire ID``."""

    _commands: dict[str, click.Command]
    _has_kinds = False

    @property
    def commands(self) -> MutableMapping[str, click.Command]:
        if not self._has_kinds:
            from curator.bank.edits.kinds import KINDS

            self._has_kinds = True
            kinds = {
                kind.name: EditCommand(kind.name, kind.edit)
                for kind in KINDS.values()
                if kind.edit
            }
            self._commands = kinds | self._commands
        return self._commands

    @commands.setter
    def commands(self, commands: MutableMapping[str, click.Command]) -> None:
        self._commands = {**commands}

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        self._commands[name or cmd.name or ""] = cmd

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] in ctx.help_option_names:
            echo(ctx.get_help())
            ctx.exit()
        if args[0].startswith("-"):
            from curator.cli.edit_options import old_edit

            return "edit", old_edit, args
        return super().resolve_command(ctx, args)


class EditCommand(VerbCommand):
    """A command that makes edits of one class; its only argument can be repeated."""

    def __init__(self, name: str, edit_class: type[Any]) -> None:
        summary = without_args(edit_class.__doc__ or "").partition("\n")[0]
        self.edit_class = edit_class
        names = {field.name for field in fields(edit_class)}
        extra = [*key_options()] if "choices" in names else []
        if name == "reword":
            extra.append(
                click.Option(
                    ["--keep-key"],
                    is_flag=True,
                    help="Confirm that the answer key holds for the new text.",
                )
            )
        super().__init__(
            name, edit_class, help=summary, signs=SIGNS, extra=lambda: extra
        )

    def _parameters(self) -> Iterator[click.Parameter]:
        parameters = list(super()._parameters())
        arguments = [part for part in parameters if isinstance(part, click.Argument)]
        if len(arguments) == 1:
            arguments[0].nargs = -1
        return iter(parameters)

    def invoke(self, ctx: click.Context) -> None:
        save(ctx.obj, ctx.params, self.edits(ctx), ctx.params.get("keep_key", False))

    def edits(self, ctx: click.Context) -> list[Edit]:
        """Return the edits that the arguments ask for."""
        from curator.bank.edits import Add
        from curator.generation.pasted import pasted_texts

        values = self.given(ctx)
        for name in ("judge", "force", "form", "keep_key"):
            values.pop(name, None)
        key = read_key_options(values)
        first = next(
            str(part.name) for part in self.params if isinstance(part, click.Argument)
        )
        several = (
            values[first] if isinstance(values[first], tuple) else (values[first],)
        )
        if self.edit_class is Add:
            pasted = pasted_texts(values["text"]) or [values["text"]]
            if key and len(pasted) > 1:
                raise click.UsageError("An answer key is for one question, not a list.")
            return [Add(**values | {"text": text}, **key) for text in pasted]
        return [self.edit_class(**values | {first: value}, **key) for value in several]


def key_options() -> Iterator[click.Option]:
    """Yield the options that say what an answer key and choices become."""
    yield click.Option(
        ["--answer", "answers"],
        multiple=True,
        metavar="TEXT",
        help="Answer of the new key, or the letter of a choice; repeat for several.",
    )
    yield click.Option(
        ["--choice", "choices"],
        multiple=True,
        metavar="TEXT",
        help="Choice: 'oxygen' or 'C) oxygen', '* oxygen' if right; replaces all.",
    )
    yield click.Option(["--no-key"], is_flag=True, help="Remove the answer key.")
    yield click.Option(["--no-choices"], is_flag=True, help="Remove the choices.")


def read_key_options(values: dict[str, Any]) -> dict[str, Any]:
    """Take the options of a key out; return ``answers`` and ``choices`` as values."""
    from curator.bank.answer_keys import read_key
    from curator.errors import AnswerKeyError

    answers, texts = values.pop("answers", None), values.pop("choices", None)
    no_key, no_choices = values.pop("no_key", False), values.pop("no_choices", False)
    for conflict, none, option in (
        (no_key and answers, "key", "answer"),
        (no_choices and texts, "choices", "choice"),
    ):
        if conflict:
            raise AnswerKeyError(
                f"The question has both --no-{none} and --{option}; give only one."
            )
    key: dict[str, Any] = {"answers": ()} if no_key else {}
    if no_choices:
        key["choices"] = ()
    if texts is not None:
        marked = [
            text if text.lstrip().startswith(("- ", "* ")) else f"- {text}"
            for text in texts
        ]
        lines = [" ".join(text.split()) for text in marked]
        right, key["choices"] = read_key("\n".join(lines))
        if len(key["choices"]) < len(lines):  # a mark alone is read as an answer
            raise AnswerKeyError(
                "A choice has no text; remove choices with --no-choices."
            )
        if right:
            key["answers"] = right
    if answers is not None:
        key["answers"] = (*key.get("answers", ()), *answers)
    return key


def read_edits(lines: Sequence[Sequence[str]]) -> list[Edit]:
    """Return the edits of several commands: ``["retire", "q1/a"]``."""
    edits: list[Edit] = []
    for name, *words in lines:
        edit_command = edit.commands.get(name)
        if not isinstance(edit_command, EditCommand):
            kinds = [
                name
                for name, kind in edit.commands.items()
                if type(kind) is EditCommand
            ]
            raise click.UsageError(
                f"No kind of edit '{name}'. There are: {', '.join(kinds)}."
            )
        context = edit_command.make_context(name, words)
        if context.params["judge"]:
            raise click.UsageError("Give --judge after `batch`, not in a line.")
        edits += edit_command.edits(context)
    return edits


def save(
    path: Any, params: Mapping[str, Any], edits: list[Edit], keep_key: bool = False
) -> None:
    """Apply the edits as one batch, and print it."""
    refuse = not params["force"]
    with opened(path, judge=params["judge"], refuse_viewers=refuse) as workspace:
        batch = workspace.apply(edits)
    if not keep_key:
        note_kept_keys(batch)
    print_result(batch, params["form"])


def note_kept_keys(batch: Batch) -> None:
    """Print on stderr which reworded questions keep their answer keys."""
    for change in batch.changes:
        before, after = change.before, change.after
        if change.kind != "reword" or not (before and after and after.answers):
            continue
        if (before.answers, before.choices) == (after.answers, after.choices):
            from curator.bank.answer_keys import key_words

            echo(
                f"Note: {after.question_id} keeps its answer key, {key_words(after)}. "
                "--answer or --no-key changes it, --keep-key confirms it.",
                err=True,
            )


edit = EditGroup(
    "edit",
    help="""Change the bank; every command is undone as one.

\b
Example:
  curator edit demo.db add autumn-leaves "Why do larches lose their needles?"
""",
)
main.add_command(edit)
add_verb(
    "undo",
    "Undo your latest edit, or that of an event.",
    "edit demo.db undo",
    verb=verbs.undo,
    group=edit,
    signs=SIGNS,
)
add_verb(
    "redo",
    "Redo the edit that you undid.",
    "edit demo.db redo",
    verb=verbs.redo,
    group=edit,
    signs=SIGNS,
)


@command(group=edit, signs=SIGNS)
def batch(workspace: Workspace, file: TextIO) -> Any:
    """Make several edits at once, which are undone together.

    FILE has a command on each line, such as `retire ID --reason "too easy"`; - reads
    from stdin.

    Example:
      curator edit demo.db batch edits.txt
    """
    lines = [shlex.split(line, comments=True) for line in file]
    saved = workspace.apply(read_edits([line for line in lines if line]))
    note_kept_keys(saved)
    return saved
