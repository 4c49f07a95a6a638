"""Commands ``edit``: one for each kind of edit that names its class.

What a command takes follows from the fields of the class.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TextIO

import click

from curator.bank.edits.kinds import KINDS
from curator.cli.parameters import parameters, without_args
from curator.cli.program import (
    VerbCommand,
    WorkspaceGroup,
    add_verb,
    command,
    explicit_values,
    verbs,
)
from curator.errors import AnswerKeyError, CuratorError
from curator.tables.terminal import echo

if TYPE_CHECKING:
    from curator.bank.edits import Edit
    from curator.store.history import Batch
    from curator.workspace import Workspace

SIGNS = "Judge who edits."
KEY_OPTIONS = ("answers", "choices", "no_key", "no_choices")


class EditCommand(VerbCommand):
    """A command that makes edits of one class; its only argument can be repeated."""

    def __init__(self, name: str, edit_class: type[Any], **options: Any) -> None:
        summary = without_args(edit_class.__doc__ or "").partition("\n")[0]
        if "choices" in edit_class.__dataclass_fields__:
            options["extra"] = lambda: parameters(key_fields)
        super().__init__(name, edit_class, help=summary, **options)
        self.edit_class, self.opens = edit_class, True

    def _parameters(self) -> Iterator[click.Parameter]:
        derived = list(super()._parameters())
        arguments = [part for part in derived if isinstance(part, click.Argument)]
        if len(arguments) == 1:
            arguments[0].nargs = -1
        return iter(derived)

    def call(self, workspace: Workspace, **values: Any) -> Batch:
        return save(workspace, self.edits(values))

    def edits(self, values: dict[str, Any]) -> list[Edit]:
        """Return the edits that the values of parameters ask for."""
        from curator.bank.edits import Add
        from curator.generation.pasted import pasted_texts

        key = {name: values.pop(name) for name in KEY_OPTIONS if name in values}
        values |= key_fields(**key)
        first = str(self.params[0].name)
        several = values[first]
        if self.edit_class is Add:
            first, several = "text", pasted_texts(values["text"]) or [values["text"]]
            if "answers" in values and len(several) > 1:
                raise click.UsageError("An answer key is for one question, not a list.")
        elif isinstance(several, str):
            several = [several]
        return [self.edit_class(**values | {first: value}) for value in several]


def key_fields(
    *,
    answers: Sequence[str] = (),
    choices: Sequence[str] = (),
    no_key: bool = False,
    no_choices: bool = False,
) -> dict[str, Any]:
    """Return the answers and choices of an edit that these options mean.

    Args:
        answers (TEXT): Answer of the new key, or a choice's letter; repeat for several.
        choices (TEXT): Choice: 'oxygen' or 'C) oxygen', '* oxygen' if right; replaces
            all.
        no_key: Remove the answer key.
        no_choices: Remove the choices.
    """
    from curator.bank.answer_keys import read_key

    if no_key and answers:
        raise click.UsageError("Give --no-key or --answer, not both.")
    if no_choices and choices:
        raise click.UsageError("Give --no-choices or --choice, not both.")
    right, listed = read_key(
        "\n".join(
            " ".join((text if text[:2] in ("- ", "* ") else f"- {text}").split())
            for text in map(str.lstrip, choices)
        )
    )
    if len(listed) < len(choices):  # a mark alone is read as an answer
        raise AnswerKeyError("A choice has no text; remove choices with --no-choices.")
    fields: dict[str, Any] = {}
    if right or answers or no_key:
        fields["answers"] = (*right, *answers)
    if choices or no_choices:
        fields["choices"] = listed
    return fields


def require_names(workspace: Workspace, edit: Edit) -> None:
    """Raise UnknownNameError for an edit of a query or question that does not exist."""
    if isinstance(question_id := getattr(edit, "question_id", None), str):
        workspace.bank().question(question_id)
    elif isinstance(query_id := getattr(edit, "query_id", None), str):
        workspace.current_snapshot().query_ids(query_id)


@cache
def line_command(name: str) -> EditCommand:
    """Return the command of a line of ``edit batch``. Raises UsageError."""
    classes = {kind.name: kind.edit for kind in KINDS.values() if kind.edit}
    if name not in classes:
        raise click.UsageError(
            f"No kind of edit '{name}'. There are: {', '.join(classes)}."
        )
    return EditCommand(name, classes[name], formats=())


def read_edits(words: Sequence[str]) -> list[Edit]:
    """Return the edits of a command in words: ``["retire", "q1/a"]``."""
    line = line_command(words[0])
    return line.edits(explicit_values(line.make_context(words[0], [*words[1:]])))


def save(workspace: Workspace, edits: Sequence[Edit]) -> Batch:
    """Apply the edits as one batch; print which rewordings keep their answer keys."""
    from curator.bank.answer_keys import key_words

    batch = workspace.apply(edits)
    for change in batch.changes:
        before, after = change.before, change.after
        if change.kind != "reword" or not (before and after and after.answers):
            continue
        if (before.answers, before.choices) == (after.answers, after.choices):
            echo(
                f"Note: {after.question_id} keeps its answer key, {key_words(after)}. "
                "--answer or --no-key changes it.",
                err=True,
            )
    return batch


edit = WorkspaceGroup(
    "edit",
    signs=SIGNS,
    help="""Change the bank; every command is undone as one.

\b
Example:
  curator edit demo.db add autumn-leaves "Why do larches lose their needles?"
""",
)
for kind in KINDS.values():
    if kind.edit:
        edit.add_command(EditCommand(kind.name, kind.edit, signs=SIGNS))
add_verb(
    "undo",
    "Undo your latest edit, or that of an event.",
    "edit demo.db undo",
    verb=verbs.undo,
    group=edit,
)
add_verb(
    "redo",
    "Redo the edit that you undid.",
    "edit demo.db redo",
    verb=verbs.redo,
    group=edit,
)


@command(group=edit)
def batch(workspace: Workspace, file: TextIO) -> Batch:
    """Make several edits at once, which are undone together.

    FILE has a command on each line, such as `retire ID --reason "too easy"`; - reads
    from stdin.

    Example:
      curator edit demo.db batch edits.txt
    """
    edits: list[Edit] = []
    for number, line in enumerate(file, 1):
        try:
            words = shlex.split(line, comments=True)
            for edit in read_edits(words) if words else ():
                require_names(workspace, edit)
                edits.append(edit)
        except (ValueError, CuratorError, click.ClickException) as error:
            message = str(error)
            if isinstance(error, click.ClickException):
                message = error.format_message()
            raise click.UsageError(f"{file.name}, line {number}: {message}") from None
    return save(workspace, edits)
