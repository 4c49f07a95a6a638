"""``questions``, ``impact`` and ``edit``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from curator.cli.options import FORMATS, WORKSPACE, board_options, format_option, opened
from curator.cli.program import main


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
    retire: tuple[str, ...],
    restore: tuple[str, ...],
    keep: tuple[str, ...],
    reword: tuple[tuple[str, str], ...],
    add: tuple[tuple[str, str], ...],
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

    edits = edits_from(
        retire=retire, restore=restore, keep=keep, reword=reword, add=add
    )
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
    retire: tuple[str, ...],
    restore: tuple[str, ...],
    keep: tuple[str, ...],
    reword: tuple[tuple[str, str], ...],
    add: tuple[tuple[str, str], ...],
    subtopic_id: str | None,
    done: tuple[str, ...],
    vital: tuple[str, ...],
    okay: tuple[str, ...],
    no_vote: tuple[str, ...],
    right: tuple[tuple[str, str], ...],
    wrong: tuple[tuple[str, str], ...],
    no_verdict: tuple[tuple[str, str], ...],
    reason: str | None,
    undo: bool,
    redo: bool,
    query_id: str | None,
    event: int | None,
    judge: str | None,
    form: str,
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

    edits = edits_from(
        retire=retire,
        restore=restore,
        keep=keep,
        reword=reword,
        add=add,
        done=done,
        vital=vital,
        okay=okay,
        no_vote=no_vote,
        right=right,
        wrong=wrong,
        no_verdict=no_verdict,
        reason=reason,
        subtopic_id=subtopic_id,
    )
    if bool(edits) + undo + redo != 1:
        raise click.UsageError("Give edits, or --undo, or --redo.")
    if event is not None and not undo:
        raise click.UsageError("--event goes with --undo.")
    if reason is not None and not retire:
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
    *,
    retire: tuple[str, ...] = (),
    restore: tuple[str, ...] = (),
    keep: tuple[str, ...] = (),
    reword: tuple[tuple[str, str], ...] = (),
    add: tuple[tuple[str, str], ...] = (),
    done: tuple[str, ...] = (),
    vital: tuple[str, ...] = (),
    okay: tuple[str, ...] = (),
    no_vote: tuple[str, ...] = (),
    right: tuple[tuple[str, str], ...] = (),
    wrong: tuple[tuple[str, str], ...] = (),
    no_verdict: tuple[tuple[str, str], ...] = (),
    reason: str | None = None,
    subtopic_id: str | None = None,
) -> list[Any]:
    """The edits that the options ask for."""
    from curator.bank.edits import (
        Add,
        Done,
        JudgeAnswer,
        Keep,
        Restore,
        Retire,
        Reword,
        Vote,
    )

    return [
        *(Restore(question_id) for question_id in restore),
        *(Keep(question_id) for question_id in keep),
        *(Reword(question_id, text) for question_id, text in reword),
        *(Add(query_id, text, subtopic_id=subtopic_id) for query_id, text in add),
        *(Retire(question_id, reason=reason) for question_id in retire),
        *(Done(query_id) for query_id in done),
        *(Vote(question_id, "vital") for question_id in vital),
        *(Vote(question_id, "okay") for question_id in okay),
        *(Vote(question_id, None) for question_id in no_vote),
        *(JudgeAnswer(question_id, answer, "right") for question_id, answer in right),
        *(JudgeAnswer(question_id, answer, "wrong") for question_id, answer in wrong),
        *(JudgeAnswer(question_id, answer, None) for question_id, answer in no_verdict),
    ]
