"""``questions``, ``impact`` and ``edit``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curator.cli.options import (
    FORMATS,
    WORKSPACE,
    board_options,
    flag,
    in_workspace,
    opened,
    printed,
    printed_in,
    several,
    signing,
)
from curator.cli.program import main
from curator.edit_words import RESTORE, RETIRE
from curator.tables.terminal import echo

if TYPE_CHECKING:
    from curator.bank.edits import Change, Edit
    from curator.results import Tabular
    from curator.workspace import Workspace


KIND = click.option(
    "--kind",
    type=click.Choice(["question", "nugget"]),
    default="question",
    help="Kind of item that --add adds. [question]",
)


def key_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say what a question's answer key and choices become."""
    for option in (
        several("--no-choices", metavar="ID", help="Remove the choices of a question."),
        several("--choice", nargs=2, metavar="ID TEXT",
                help="A choice of a question: 'oxygen' or 'C) oxygen', '* oxygen' if "
                     "it is right. Replaces all its choices."),
        several("--no-key", metavar="ID", help="Remove the answer key of a question."),
        several("--any-answer", metavar="ID", help="Accept any answer of the key."),
        several("--all-answers", metavar="ID", help="Require all answers of the key."),
        several("--answer", nargs=2, metavar="ID TEXT",
                help="An answer of the new key, or the letter of a choice. ID 'new' is "
                     "the question of --add."),
    ):  # fmt: skip
        command = option(command)
    return command


@main.command()
@in_workspace
@click.option("--query", "query_id", help="Only this query.")
@board_options
@printed
def questions(workspace: Workspace, **options: Any) -> Tabular:
    """List the bank with the reach and influence of each question.

    \b
    Example:
      curator questions demo.db --query autumn-leaves
    """
    from curator.tables.curate import question_table

    return question_table(workspace.questions(**options))


@main.command()
@WORKSPACE
@several("--retire", metavar="ID", help=f"{RETIRE.base.capitalize()} a question.")
@several(
    "--restore",
    metavar="ID",
    help=f"{RESTORE.base.capitalize()} a {RETIRE.past} question.",
)
@several("--keep", metavar="ID", help="Keep a proposal.")
@several("--reword", nargs=2, metavar="ID TEXT", help="Change the text of a question.")
@several("--add", nargs=2, metavar="QUERY TEXT", help="Add a question.")
@KIND
@key_options
@click.option("--since", metavar="EVENT",
              help="Show what changed since this event or release.")  # fmt: skip
@click.option("--edit", type=int, metavar="EVENT",
              help="Show what the edit of this event changed when it was made."
)  # fmt: skip
@click.option(
    "--leave-out",
    metavar="SYSTEM",
    help="Leave out the questions proposed from passages that only this system has in "
    "its top k.",
)
@click.option("--query", "query_id", help="Only scores and ranks of this query.")
@board_options
@printed
def impact(
    workspace: Path,
    since: str | None,
    edit: int | None,
    leave_out: str | None,
    query_id: str | None,
    **options: Any,
) -> Tabular:
    """Preview what an edit would change, or show what past edits changed.

    The workspace is not changed. Several edits are applied in the order --restore,
    --keep, --reword, --answer, --add, --retire.

    \b
    Example:
      curator impact demo.db --since 0
    """
    from curator.tables.curate import impact_table, left_out_table

    edits = edits_from(options)
    asked = (since, edit, leave_out)
    if bool(edits) + sum(one is not None for one in asked) != 1:
        raise click.UsageError(
            "Give edits, or --since EVENT, or --edit EVENT, or --leave-out SYSTEM."
        )
    if leave_out is not None and query_id is not None:
        raise click.UsageError("--leave-out is for the whole board: leave out --query.")
    with opened(workspace) as one:
        if leave_out is not None:
            return left_out_table(one.leave_out(leave_out, one.settings(**options)))
        found = one.impact(edits, since=since, edit=edit, query_id=query_id, **options)
        return impact_table(found)


@main.command()
@WORKSPACE
@several("--retire", metavar="ID", help=f"{RETIRE.base.capitalize()} a question.")
@several(
    "--restore",
    metavar="ID",
    help=f"{RESTORE.base.capitalize()} a {RETIRE.past} question.",
)
@several("--keep", metavar="ID", help="Keep a proposal.")
@several("--reword", nargs=2, metavar="ID TEXT", help="Change the text of a question.")
@several(
    "--add",
    nargs=2,
    metavar="QUERY TEXT",
    help="Add a question, or several, one per line.",
)
@KIND
@key_options
@flag("--keep-key", help="Confirm that the answer key holds for the text of --reword.")
@click.option("--subtopic", "subtopic_id", help="Subtopic of the question of --add.")
@several("--move", nargs=2, metavar="ID SUBTOPIC",
         help="Move a question to another subtopic; - for none.")  # fmt: skip
@several("--add-subtopic", nargs=3, metavar="QUERY ID TITLE",
         help="Add a subtopic to a query.")  # fmt: skip
@several("--title", nargs=2, metavar="QUERY TITLE", help="Correct a query's title.")
@several("--subtopic-title", nargs=3, metavar="QUERY ID TITLE",
         help="Correct a subtopic's title.")  # fmt: skip
@several("--done", metavar="QUERY", help="Mark a query as done.")
@several("--vital", metavar="ID", help="Vote a question vital.")
@several("--okay", metavar="ID", help="Vote a question okay.")
@several("--no-vote", metavar="ID", help="Withdraw your vote.")
@several("--right", nargs=2, metavar="ID ANSWER", help="Judge an answer right.")
@several("--wrong", nargs=2, metavar="ID ANSWER", help="Judge an answer wrong.")
@several(
    "--no-verdict",
    nargs=2,
    metavar="ID ANSWER",
    help="Withdraw your verdict on an answer.",
)
@several(
    "--note",
    nargs=2,
    metavar="ID TEXT",
    help='Write a note on a question; "" removes your note.',
)
@flag("--flag", "flagged", help="Flag the question of --note.")
@click.option("--reason", help="Reason for --retire or --reword, kept in the history.")
@flag("--undo", help="Undo your latest edit.")
@flag("--redo", help="Redo the edit that you undid.")
@click.option("--query", "query_id", help="Undo or redo only in this query.")
@click.option("--event", type=int, help="Undo the edit of this event.")
@signing("Judge who edits.")
@printed_in(FORMATS[:2])
def edit(
    workspace: Path,
    subtopic_id: str | None,
    reason: str | None,
    undo: bool,
    redo: bool,
    query_id: str | None,
    event: int | None,
    judge: str | None,
    keep_key: bool,
    flagged: bool,
    **options: Any,
) -> Tabular:
    """Change the bank. All changes of one command are undone together.

    --keep keeps a proposal, --reword keeps it with another text, --retire rejects it.
    --vital and --okay vote on how important a kept question is, --right and --wrong
    judge one of its answers, and --note remarks on it; --flag marks the question for
    attention. --answer, --choice, --no-key and --no-choices change the answer key, and
    with --reword they apply to the new text. Queries and subtopics keep their ids when
    their titles change.

    \b
    Example:
      curator edit demo.db --add autumn-leaves "Why do larches lose their needles?"
    """
    from curator.tables.curate import batch_table

    explained = bool(options["retire"] or options["reword"])
    noted = bool(options["note"])
    edits = edits_from(options, subtopic_id, reason, flagged=flagged)
    if bool(edits) + undo + redo != 1:
        raise click.UsageError("Give edits, or --undo, or --redo.")
    if event is not None and not undo:
        raise click.UsageError("--event needs --undo.")
    if reason is not None and not explained:
        raise click.UsageError("--reason needs --retire or --reword.")
    if flagged and not noted:
        raise click.UsageError("--flag needs --note.")
    with opened(workspace, judge=judge) as one:
        if undo:
            return batch_table(one.undo(query_id, event=event))
        batch = one.redo(query_id) if redo else one.apply(edits)
    for change in batch.changes if not (redo or keep_key) else ():
        note_kept_key(change)
    return batch_table(batch)


def note_kept_key(change: Change) -> None:
    """Say of a reworded question that its key stayed as it was."""
    from curator.bank.answer_keys import key_words

    before, after = change.before, change.after
    if change.kind != "reword" or not (before and after and after.answers):
        return
    if (before.answers, before.choices) == (after.answers, after.choices):
        echo(
            f"Note: {after.question_id} keeps its answer key, {key_words(after)}. "
            "--answer or --no-key changes it, --keep-key confirms it.",
            err=True,
        )


def edits_from(
    options: dict[str, Any],
    subtopic_id: str | None = None,
    reason: str | None = None,
    *,
    flagged: bool = False,
) -> list[Edit]:
    """The edits that these options ask for; they are taken out of them."""
    from curator.bank import edits
    from curator.generation.pasted import pasted_texts

    options["add"] = [
        (query_id, text)
        for query_id, pasted in options.get("add", ())
        for text in pasted_texts(pasted) or [pasted]
    ]
    keys, kind_added = keys_from(options), options.pop("kind")
    added = keys.pop("new", {}) if len(options.get("add", ())) == 1 else {}
    if "new" in keys:
        raise click.UsageError(
            "ID 'new' is the question of --add: give --add exactly once."
        )
    reworded = {given[0] for given in options.get("reword", ())}
    options["key"] = [one for one in keys.items() if one[0] not in reworded]
    kinds: dict[str, Callable[[Any], edits.Edit]] = {
        "add_subtopic": lambda values: edits.AddSubtopic(*values),
        "title": lambda values: edits.SetTitle(*values),
        "subtopic_title": lambda values: edits.SetTitle(
            values[0], values[2], subtopic_id=values[1]
        ),
        "restore": edits.Restore,
        "keep": edits.Keep,
        "reword": lambda given: edits.Reword(
            given[0], given[1], reason=reason, **keys.get(given[0], {})
        ),
        "key": lambda given: edits.SetKey(given[0], **given[1]),
        "any_answer": lambda given: edits.SetKey(given, aggregator="OR"),
        "all_answers": lambda given: edits.SetKey(given, aggregator="AND"),
        "add": lambda given: edits.Add(
            given[0], given[1], kind_added, subtopic_id, **added
        ),
        "move": lambda values: edits.Move(
            values[0], None if values[1] == "-" else values[1]
        ),
        "retire": lambda given: edits.Retire(given, reason=reason),
        "done": edits.Done,
        "vital": lambda given: edits.Vote(given, "vital"),
        "okay": lambda given: edits.Vote(given, "okay"),
        "no_vote": lambda given: edits.Vote(given, None),
        "right": lambda given: edits.JudgeAnswer(given[0], given[1], "right"),
        "wrong": lambda given: edits.JudgeAnswer(given[0], given[1], "wrong"),
        "note": lambda given: edits.WriteNote(given[0], given[1], flagged),
        "no_verdict": lambda given: edits.JudgeAnswer(given[0], given[1], None),
    }
    return [
        kind(given) for name, kind in kinds.items() for given in options.pop(name, ())
    ]


def keys_from(options: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """``answers`` and ``choices`` by question id, as these options give them.

    They are taken out of the options. What is not given is not in it.
    """
    from curator.bank.answer_keys import read_key
    from curator.errors import AnswerKeyError

    for none, given in (("no_key", "answer"), ("no_choices", "choice")):
        named = {one for one, _ in options.get(given, ())}
        for both in named & set(options.get(none, ())):
            raise AnswerKeyError(
                f"Question '{both}' has both --{none.replace('_', '-')} and --{given}; "
                "give only one of them."
            )
    keys: dict[str, dict[str, Any]] = {}
    lines: dict[str, list[str]] = {}
    for question_id in options.pop("no_key", ()):
        keys.setdefault(question_id, {})["answers"] = ()
    for question_id in options.pop("no_choices", ()):
        keys.setdefault(question_id, {})["choices"] = ()
    for question_id, text in options.pop("choice", ()):
        marked = text if text.lstrip().startswith(("- ", "* ")) else f"- {text}"
        lines.setdefault(question_id, []).append(" ".join(marked.split()))
    for question_id, of_question in lines.items():
        answers, choices = read_key("\n".join(of_question))
        if len(choices) < len(of_question):  # a mark alone is read as an answer
            raise AnswerKeyError(
                f"A choice of question '{question_id}' has no text; remove choices "
                "with --no-choices."
            )
        key = keys.setdefault(question_id, {})
        key["choices"] = choices
        if answers:
            key["answers"] = answers
    for question_id, text in options.pop("answer", ()):
        key = keys.setdefault(question_id, {})
        key["answers"] = (*key.get("answers", ()), text)
    return keys
