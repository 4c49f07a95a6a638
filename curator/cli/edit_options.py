"""Edits as options, as in ``impact WORKSPACE --retire ID``.

Also the old spelling of ``edit``, which works until the next release: delete
``old_edit``, the entries of ``OPTIONS`` that ``impact`` has not, and the lines of
``EditGroup`` that lead here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from curator.cli.edits import SIGNS, note_kept_keys, read_edits
from curator.cli.program import VerbCommand
from curator.tables.terminal import echo

if TYPE_CHECKING:
    from curator.bank.edits import Edit
    from curator.workspace import Workspace

# By option, in the order in which edits are applied: what it takes, and the command of
# `edit` that it stands for, with numbers for the values.
OPTIONS = {
    "add-subtopic": ("QUERY ID TITLE", "subtopic", "-- 0 1 2"),
    "title": ("QUERY TITLE", "title", "-- 0 1"),
    "subtopic-title": ("QUERY ID TITLE", "title", "--subtopic 1 -- 0 2"),
    "restore": ("ID", "restore", "-- 0"),
    "keep": ("ID", "keep", "-- 0"),
    "reword": ("ID TEXT", "reword", "-- 0 1"),
    "any-answer": ("ID", "key", "--aggregator OR -- 0"),
    "all-answers": ("ID", "key", "--aggregator AND -- 0"),
    "add": ("QUERY TEXT", "add", "-- 0 1"),
    "move": ("ID SUBTOPIC", "move", "-- 0 1"),
    "retire": ("ID", "retire", "-- 0"),
    "done": ("QUERY", "done", "-- 0"),
    "vital": ("ID", "vote", "-- 0 vital"),
    "okay": ("ID", "vote", "-- 0 okay"),
    "no-vote": ("ID", "vote", "-- 0 none"),
    "right": ("ID ANSWER", "verdict", "-- 0 1 right"),
    "wrong": ("ID ANSWER", "verdict", "-- 0 1 wrong"),
    "note": ("ID TEXT", "note", "-- 0 1"),
    "no-verdict": ("ID ANSWER", "verdict", "-- 0 1 none"),
}
KEYS = {
    "answer": "ID TEXT", "choice": "ID TEXT", "no-key": "ID", "no-choices": "ID"
}  # fmt: skip
IMPACT = ("retire", "restore", "keep", "reword", "add", "all-answers", "any-answer")


def option(name: str, metavar: str, command: str) -> click.Option:
    count = len(metavar.split())
    return click.Option(
        [f"--{name}"],
        multiple=True,
        nargs=count,
        metavar=metavar,
        help=f"Preview `edit {command}`; repeat for several.",
    )


def edit_options(names: tuple[str, ...] = tuple(OPTIONS)) -> list[click.Parameter]:
    """Return the options of these edits and of answer keys."""
    return [
        *(
            option(name, OPTIONS[name][0], OPTIONS[name][1].split()[0])
            for name in names
        ),
        click.Option(
            ["--kind"],
            type=click.Choice(["question", "nugget"]),
            help="Kind of item that --add adds. [question]",
        ),
        *(option(name, metavar, "key") for name, metavar in KEYS.items()),
    ]


def impact_options() -> list[click.Parameter]:
    return edit_options(IMPACT)


def edits_from(
    options: dict[str, Any], more: dict[str, list[str]] | None = None
) -> list[Edit]:
    """Return the edits that these options ask for; they are taken out of them.

    ``more`` are options of `edit` by its command.
    """
    keys: dict[str, list[str]] = {}
    for name in KEYS:
        for value in options.pop(name.replace("-", "_"), ()):
            question_id, *texts = [value] if isinstance(value, str) else value
            keys.setdefault(question_id, []).extend([f"--{name}", *texts])
    kind = options.pop("kind", None)
    more = more or {}
    if kind:
        more["add"] = [*more.get("add", []), "--kind", kind]
    edits = [
        (command, template.split(), [value] if isinstance(value, str) else value)
        for name, (_, command, template) in OPTIONS.items()
        for value in options.pop(name.replace("-", "_"), ())
    ]
    added = sum(command == "add" for command, *_ in edits)
    if "new" in keys and added != 1:
        raise click.UsageError(
            "ID 'new' is the question of --add: give --add exactly once."
        )
    lines = []
    for command, words, values in edits:
        target = "new" if command == "add" else values[0]
        key = keys.pop(target, []) if command in ("reword", "add") else []
        filled = [values[int(word)] if word.isdigit() else word for word in words]
        lines.append([command, *key, *more.get(command, []), *filled])
    lines += [["key", *words, "--", question_id] for question_id, words in keys.items()]
    return read_edits(lines)


def make_old_edits(
    workspace: Workspace,
    *,
    reason: str | None = None,
    subtopic_id: str | None = None,
    flag: bool = False,
    keep_key: bool = False,
    undo: bool = False,
    redo: bool = False,
    query_id: str | None = None,
    event: int | None = None,
    **options: Any,
) -> Any:
    """Change the bank by options, in the old spelling.

    Args:
        reason (TEXT): Reason for --retire or --reword.
        subtopic_id (ID): Subtopic of --add.
        flag: Flag the question of --note.
        keep_key: Confirm the answer key of --reword.
        undo: Undo your latest edit.
        redo: Redo the edit that you undid.
        event (EVENT): Undo the edit of this event.
    """
    echo(
        "Note: edits are commands now, as in `curator edit WORKSPACE keep ID`; the "
        "next release does not read them as options.",
        err=True,
    )
    names = {name for name, values in options.items() if values}
    edits = edits_from(
        options,
        {
            "retire": ["--reason", reason] if reason else [],
            "reword": ["--reason", reason] if reason else [],
            "add": ["--subtopic", subtopic_id] if subtopic_id else [],
            "note": ["--flag"] if flag else [],
        },
    )
    if bool(edits) + undo + redo != 1:
        raise click.UsageError("Give edits, or --undo, or --redo.")
    if event is not None and not undo:
        raise click.UsageError("--event needs --undo.")
    if reason is not None and not {"retire", "reword"} & names:
        raise click.UsageError("--reason needs --retire or --reword.")
    if flag and "note" not in names:
        raise click.UsageError("--flag needs --note.")
    if undo:
        return workspace.undo(query_id, event=event)
    if redo:
        return workspace.redo(query_id)
    saved = workspace.apply(edits)
    if not keep_key:
        note_kept_keys(saved)
    return saved


old_edit = VerbCommand(
    "edit", make_old_edits, extra=edit_options, signs=SIGNS, in_group=True
)
