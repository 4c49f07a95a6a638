"""Commands ``edit``: one for each kind of edit that names its class.

What a command takes follows from the fields of the class. Edits as options, as in
``impact WORKSPACE --retire ID``, are read as such commands. The old spelling
``edit WORKSPACE --retire ID`` works until the next release: then delete ``old_edit``
and the entries of ``OPTIONS`` that ``IMPACT`` has not.
"""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
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
# By option, in the order in which edits are applied: its values, and the command of
# `edit` that it means.
OPTIONS = {
    "add-subtopic": ("QUERY ID TITLE", "subtopic -- {0} {1} {2}"),
    "title": ("QUERY TITLE", "title -- {0} {1}"),
    "subtopic-title": ("QUERY ID TITLE", "title --subtopic {1} -- {0} {2}"),
    "restore": ("ID", "restore -- {0}"),
    "keep": ("ID", "keep -- {0}"),
    "reword": ("ID TEXT", "reword -- {0} {1}"),
    "any-answer": ("ID", "key --aggregator OR -- {0}"),
    "all-answers": ("ID", "key --aggregator AND -- {0}"),
    "add": ("QUERY TEXT", "add -- {0} {1}"),
    "move": ("ID SUBTOPIC", "move -- {0} {1}"),
    "retire": ("ID", "retire -- {0}"),
    "done": ("QUERY", "done -- {0}"),
    "vital": ("ID", "vote -- {0} vital"),
    "okay": ("ID", "vote -- {0} okay"),
    "no-vote": ("ID", "vote -- {0} none"),
    "right": ("ID ANSWER", "verdict -- {0} {1} right"),
    "wrong": ("ID ANSWER", "verdict -- {0} {1} wrong"),
    "note": ("ID TEXT", "note -- {0} {1}"),
    "no-verdict": ("ID ANSWER", "verdict -- {0} {1} none"),
}
KEYS = {
    "answer": "ID TEXT", "choice": "ID TEXT", "no-key": "ID", "no-choices": "ID"
}  # fmt: skip
IMPACT = ("retire", "restore", "keep", "reword", "add", "all-answers", "any-answer")


class EditCommand(VerbCommand):
    """A command that makes edits of one class; its only argument can be repeated."""

    def __init__(self, name: str, edit_class: type[Any], **options: Any) -> None:
        summary = without_args(edit_class.__doc__ or "").partition("\n")[0]
        if "choices" in edit_class.__dataclass_fields__:
            options["extra"] = lambda: parameters(key_options)
        super().__init__(name, edit_class, help=summary, **options)
        self.edit_class, self.opens = edit_class, True

    def _parameters(self) -> Iterator[click.Parameter]:
        parameters = list(super()._parameters())
        arguments = [part for part in parameters if isinstance(part, click.Argument)]
        if len(arguments) == 1:
            arguments[0].nargs = -1
        return iter(parameters)

    def call(self, workspace: Workspace, **values: Any) -> Batch:
        return save(workspace, self.edits(values))

    def edits(self, values: dict[str, Any]) -> list[Edit]:
        """Return the edits that the values of parameters ask for."""
        from curator.bank.edits import Add
        from curator.generation.pasted import pasted_texts

        values |= read_key_options(values)
        first = str(self.params[0].name)
        several = values[first]
        if self.edit_class is Add:
            first, several = "text", pasted_texts(values["text"]) or [values["text"]]
            if "answers" in values and len(several) > 1:
                raise click.UsageError("An answer key is for one question, not a list.")
        elif isinstance(several, str):
            several = [several]
        return [self.edit_class(**values | {first: value}) for value in several]


def key_options(
    *,
    answers: Sequence[str] = (),
    choices: Sequence[str] = (),
    no_key: bool = False,
    no_choices: bool = False,
) -> None:
    """Declare the options that change an answer key and choices.

    Args:
        answers (TEXT): Answer of the new key, or a choice's letter; repeat for several.
        choices (TEXT): Choice: 'oxygen' or 'C) oxygen', '* oxygen' if right; replaces
            all.
        no_key: Remove the answer key.
        no_choices: Remove the choices.
    """


def read_key_options(values: dict[str, Any]) -> dict[str, Any]:
    """Take the options of a key out; return ``answers`` and ``choices`` as values."""
    from curator.bank.answer_keys import read_key

    key: dict[str, Any] = {}
    for name, removal in (("answers", "no_key"), ("choices", "no_choices")):
        if values.pop(removal, False):
            if name in values:
                option = f"--{removal.replace('_', '-')}"
                raise click.UsageError(f"Give {option} or --{name[:-1]}, not both.")
            key[name] = ()
    if texts := values.pop("choices", ()):
        lines = [
            " ".join(
                (text if text.lstrip()[:2] in ("- ", "* ") else f"- {text}").split()
            )
            for text in texts
        ]
        right, key["choices"] = read_key("\n".join(lines))
        if len(key["choices"]) < len(lines):  # a mark alone is read as an answer
            raise AnswerKeyError(
                "A choice has no text; remove choices with --no-choices."
            )
        if right:
            key["answers"] = right
    if "answers" in values:
        key["answers"] = (*key.get("answers", ()), *values.pop("answers"))
    return key


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


def edit_options(names: Sequence[str] = tuple(OPTIONS)) -> list[click.Parameter]:
    """Return the options of these edits, and of answer keys."""
    options = {name: OPTIONS[name] for name in names}
    options |= {name: (metavar, "key") for name, metavar in KEYS.items()}
    kinds = click.Choice(["question", "nugget"])
    kind_help = "Kind of item that --add adds. [question]"
    return [
        *(
            click.Option(
                [f"--{name}"],
                multiple=True,
                nargs=len(metavar.split()),
                metavar=metavar,
                help=f"Preview `edit {words.split()[0]}`; repeat for several.",
            )
            for name, (metavar, words) in options.items()
        ),
        click.Option(["--kind"], type=kinds, help=kind_help),
    ]


def edits_from(
    options: dict[str, Any], more: Mapping[str, Sequence[str]] | None = None
) -> list[Edit]:
    """Return the edits that these options ask for; they are taken out of them.

    ``more`` are options of `edit` by its command. Keys change last, apart from that of
    the question ``new`` of ``--add``.
    """

    def values_of(name: str) -> list[tuple[str, ...]]:
        values = options.pop(name.replace("-", "_"), ())
        return [(value,) if isinstance(value, str) else value for value in values]

    keys: defaultdict[str, list[str]] = defaultdict(list)
    for name in KEYS:
        for question_id, *texts in values_of(name):
            keys[question_id] += [f"--{name}", *texts]
    kind = options.pop("kind", None)
    edits: list[Edit] = []
    for name, (_, template) in OPTIONS.items():
        for values in values_of(name):
            kind_of_edit, *words = (word.format(*values) for word in template.split())
            extra = [*(more or {}).get(kind_of_edit, ())]
            if name == "add":
                extra += ["--kind", kind] if kind else []
                extra += keys.pop("new", [])
            edits += read_edits([kind_of_edit, *extra, *words])
    for question_id, words in keys.items():
        edits += read_edits(["key", *words, "--", question_id])
    return edits


class EditGroup(WorkspaceGroup):
    """The commands of edits, and the old spelling ``edit WORKSPACE --retire ID``."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0].startswith("-"):
            return "edit", old_edit, args
        return super().resolve_command(ctx, args)


def make_old_edits(
    workspace: Workspace,
    *,
    reason: str | None = None,
    subtopic_id: str | None = None,
    flag: bool = False,
    undo: bool = False,
    redo: bool = False,
    query_id: str | None = None,
    event: int | None = None,
    **options: Any,
) -> Batch:
    """Change the bank by options, in the old spelling.

    Args:
        reason (TEXT): Reason for --retire or --reword.
        subtopic_id (ID): Subtopic of --add.
        flag: Flag the question of --note.
        undo: Undo your latest edit.
        redo: Redo the edit that you undid.
        event (EVENT): Undo the edit of this event.
    """
    echo(
        "Note: edits are commands now, as in `curator edit WORKSPACE keep ID`; the "
        "next release does not read them as options.",
        err=True,
    )
    if undo:
        return workspace.undo(query_id, event=event)
    if redo:
        return workspace.redo(query_id)
    reasons = ["--reason", reason] if reason else []
    more = {
        "retire": reasons,
        "reword": reasons,
        "add": ["--subtopic", subtopic_id] if subtopic_id else [],
        "note": ["--flag"] if flag else [],
    }
    return save(workspace, edits_from(options, more))


old_edit = VerbCommand(
    "edit", make_old_edits, extra=edit_options, signs=SIGNS, in_group=True
)
edit = EditGroup(
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
    verbs.undo,
    "Undo your latest edit, or that of an event.",
    "edit demo.db undo",
)
add_verb(
    verbs.redo,
    "Redo the edit that you undid.",
    "edit demo.db redo",
)


def require_names(workspace: Workspace, edit: Edit) -> None:
    """Raise UnknownNameError for an edit of a query or question that does not exist."""
    if isinstance(question_id := getattr(edit, "question_id", None), str):
        workspace.bank().question(question_id)
    elif isinstance(query_id := getattr(edit, "query_id", None), str):
        workspace.current_snapshot().query_ids(query_id)


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
