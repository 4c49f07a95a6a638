"""``questions``, ``impact`` and ``edit``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curator.cli.options import FORMATS, WORKSPACE, board_options, format_option, opened
from curator.cli.program import main

if TYPE_CHECKING:
    from curator.bank.edits import Edit


@main.command()
@WORKSPACE
@click.option("--query", "query_id", help="Only this query's.")
@board_options
@format_option
def questions(workspace: Path, query_id: str | None, form: str, **options: Any) -> None:
    """The bank, with each question's reach and influence.

    \b
    Example:
      curator questions demo.db --query autumn-leaves
    """
    from curator.tables.curate import question_table
    from curator.tables.table import show

    with opened(workspace) as one:
        lines = one.questions(query_id=query_id, **options)
        show(form, question_table(lines))


@main.command()
@WORKSPACE
@click.option("--retire", multiple=True, metavar="ID", help="Without this question.")
@click.option("--restore", multiple=True, metavar="ID", help="With it again.")
@click.option("--keep", multiple=True, metavar="ID", help="With this proposal.")
@click.option("--reword", nargs=2, multiple=True, metavar="ID TEXT",
              help="With another text.")  # fmt: skip
@click.option("--add", nargs=2, multiple=True, metavar="QUERY TEXT",
              help="With a new question.")  # fmt: skip
@click.option("--since", metavar="EVENT",
              help="What changed since this event, or this release.")  # fmt: skip
@click.option(
    "--leave-out",
    metavar="SYSTEM",
    help="Without the questions that rest on passages only this one has in its top k.",
)
@click.option("--query", "query_id", help="Scores and ranks in this query alone.")
@board_options
@format_option
def impact(
    workspace: Path,
    since: str | None,
    leave_out: str | None,
    query_id: str | None,
    form: str,
    **options: Any,
) -> None:
    """What an edit would change, or what changed; the workspace stays as it is.

    Several edits are taken together, in the order restore, keep, reword, add, retire.

    \b
    Example:
      curator impact demo.db --since 0
    """
    from curator.tables.curate import impact_table, left_out_table
    from curator.tables.table import show

    edits = edits_from(options)
    if bool(edits) + (since is not None) + (leave_out is not None) != 1:
        raise click.UsageError("Give edits, or --since EVENT, or --leave-out SYSTEM.")
    if leave_out is not None and query_id is not None:
        raise click.UsageError("--leave-out is of the whole board: leave --query.")
    with opened(workspace) as one:
        if leave_out is not None:
            left = one.leave_out(leave_out, one.settings(**options))
            show(form, left_out_table(left))
            return
        found = one.impact(edits, since=since, query_id=query_id, **options)
        show(form, impact_table(found))


@main.command()
@WORKSPACE
@click.option("--retire", multiple=True, metavar="ID", help="Take a question out.")
@click.option("--restore", multiple=True, metavar="ID", help="Keep it again.")
@click.option("--keep", multiple=True, metavar="ID", help="Keep a proposal.")
@click.option(
    "--reword", nargs=2, multiple=True, metavar="ID TEXT", help="Change its text."
)
@click.option(
    "--add", nargs=2, multiple=True, metavar="QUERY TEXT", help="Add a question."
)
@click.option("--subtopic", "subtopic_id", help="The subtopic of what --add adds.")
@click.option("--done", multiple=True, metavar="QUERY", help="Mark a query finished.")
@click.option("--vital", multiple=True, metavar="ID", help="Vote it vital.")
@click.option("--okay", multiple=True, metavar="ID", help="Vote it okay.")
@click.option("--no-vote", multiple=True, metavar="ID", help="Take back my vote.")
@click.option("--right", nargs=2, multiple=True, metavar="ID ANSWER",
              help="Call an answer right.")  # fmt: skip
@click.option("--wrong", nargs=2, multiple=True, metavar="ID ANSWER",
              help="Call it wrong.")  # fmt: skip
@click.option("--no-verdict", nargs=2, multiple=True, metavar="ID ANSWER",
              help="Take my verdict on it back.")  # fmt: skip
@click.option("--reason", help="Why it is retired; kept in the history.")
@click.option("--undo", is_flag=True, help="Take back my latest edit.")
@click.option("--redo", is_flag=True, help="Make it again.")
@click.option("--query", "query_id", help="Undo or redo in this query only.")
@click.option("--event", type=int, help="Undo the edit of this event.")
@click.option("--judge", help="Who edits. [CURATOR_USER, else the system's user]")
@click.option("--format", "form", type=click.Choice(FORMATS[:2]), default="table")
def edit(
    workspace: Path,
    subtopic_id: str | None,
    reason: str | None,
    undo: bool,
    redo: bool,
    query_id: str | None,
    event: int | None,
    judge: str | None,
    form: str,
    **options: Any,
) -> None:
    """Change the bank. What is given together is one edit and undoes as one.

    A proposal is kept by --keep, by --reword in other words, dropped by --retire.
    --vital and --okay say how important the judge who edits finds a kept question,
    --right and --wrong whether they find that an answer answers it.

    \b
    Example:
      curator edit demo.db --add autumn-leaves "Why do larches lose their needles?"
    """
    from curator.tables.curate import batch_table
    from curator.tables.table import show

    retired = bool(options["retire"])
    edits = edits_from(options, subtopic_id=subtopic_id, reason=reason)
    if bool(edits) + undo + redo != 1:
        raise click.UsageError("Give edits, or --undo, or --redo.")
    if event is not None and not undo:
        raise click.UsageError("--event goes with --undo.")
    if reason is not None and not retired:
        raise click.UsageError("--reason goes with --retire.")
    with opened(workspace, judge=judge) as one:
        if undo:
            batch = one.undo(query_id, event=event)
        elif redo:
            batch = one.redo(query_id)
        else:
            batch = one.apply(edits)
    show(form, batch_table(batch))


def edits_from(
    options: dict[str, Any],
    *,
    subtopic_id: str | None = None,
    reason: str | None = None,
) -> list[Edit]:
    """The edits that these options ask for; they are taken out of them."""
    from curator.bank import edits

    kinds: dict[str, Callable[[Any], edits.Edit]] = {
        "restore": edits.Restore,
        "keep": edits.Keep,
        "reword": lambda given: edits.Reword(given[0], given[1]),
        "add": lambda given: edits.Add(given[0], given[1], subtopic_id=subtopic_id),
        "retire": lambda given: edits.Retire(given, reason=reason),
        "done": edits.Done,
        "vital": lambda given: edits.Vote(given, "vital"),
        "okay": lambda given: edits.Vote(given, "okay"),
        "no_vote": lambda given: edits.Vote(given, None),
        "right": lambda given: edits.JudgeAnswer(given[0], given[1], "right"),
        "wrong": lambda given: edits.JudgeAnswer(given[0], given[1], "wrong"),
        "no_verdict": lambda given: edits.JudgeAnswer(given[0], given[1], None),
    }
    return [
        kind(given) for name, kind in kinds.items() for given in options.pop(name, ())
    ]
