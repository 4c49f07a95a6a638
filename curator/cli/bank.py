"""Commands on the questions of the bank, on judges, and on what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curator.cli.edits import IMPACT, edit_options, edits_from
from curator.cli.program import add_verb, command, echo_saved, verbs
from curator.edit_words import DISMISS
from curator.errors import UnknownNameError

if TYPE_CHECKING:
    from curator.workspace import Workspace

add_verb(
    verbs.questions,
    "List the bank with the reach and influence of each question.",
    "questions demo.db --query autumn-leaves",
)


@command(
    verb=verbs.settings,
    extra=lambda: edit_options(IMPACT),
    excludes={"leave_out": "query_id"},
)
def impact(
    workspace: Workspace,
    *,
    since: str | None = None,
    edit: int | None = None,
    leave_out: str | None = None,
    query_id: str | None = None,
    **options: Any,
) -> Any:
    """Preview what an edit would change, or show what past edits changed.

    The workspace is not changed. Several edits are applied in the order --restore,
    --keep, --reword, --add, --retire; answer keys change last.

    Example:
      curator impact demo.db --since 0

    Args:
        since (EVENT): Show what changed since this event or release.
        edit (EVENT): Show what the edit of this event changed when it was made.
        leave_out (SYSTEM): Leave out questions proposed from passages that only this
            system has in its top k.
        query_id (ID): Only scores and ranks of this query.
    """
    edits = edits_from(options)
    chosen = (since, edit, leave_out)
    if bool(edits) + sum(value is not None for value in chosen) != 1:
        raise click.UsageError(
            "Give edits, or --since EVENT, or --edit EVENT, or --leave-out SYSTEM."
        )
    if leave_out is None:
        return workspace.impact(
            edits, since=since, edit=edit, query_id=query_id, **options
        )
    return workspace.leave_out(leave_out, workspace.settings(**options))


@command(verb=verbs.history)
def history(workspace: Workspace, *, limit: int = 50, **options: Any) -> Any:
    """List the changes that people made, the latest first.

    Example:
      curator history demo.db

    Args:
        limit (N): Number of changes.
    """
    from curator.tables.curate import history_table

    texts = {question.question_id: question.title for question in workspace.bank()}
    return history_table(workspace.history(limit=limit, **options), texts)


@command(
    "next",
    verb=verbs.next_steps,
    signs=f"Judge who {DISMISS.third}.",
    excludes={"dismiss": "bring_back"},
    needs={"dismiss": "reason", "reason": "dismiss"},
)
def next_steps(
    workspace: Workspace,
    *,
    dismiss: str | None = None,
    bring_back: str | None = None,
    reason: str | None = None,
    limit: int | None = None,
    **options: Any,
) -> Any:
    """List what to do next in the bank, the steps that move scores most first.

    docs/curate.md describes the kinds of steps. --dismiss and --bring-back print the
    steps that remain.

    Example:
      curator next demo.db --query autumn-leaves --limit 3

    Args:
        dismiss (KEY): Dismiss this step.
        bring_back (KEY): Bring back a dismissed step.
        reason (TEXT): Reason for --dismiss.
        limit (N): Number of steps. [all]
    """
    key = bring_back if dismiss is None else dismiss
    if key is not None:
        from curator.bank.edits import Dismiss

        listed = workspace.next_steps(**options | {"dismissed": dismiss is None})
        step = next((step for step in listed if step.key == key), None)
        if step is None:
            raise UnknownNameError(
                f"No such next step: '{key}'. `curator next WORKSPACE` lists the keys, "
                f"with --dismissed those of {DISMISS.past} steps."
            )
        workspace.apply(Dismiss(step.query_id, step.key, step.state, reason))
    return workspace.next_steps(limit=limit, **options)


add_verb(
    verbs.decisions,
    "Count the questions written and proposals decided, in all and per judge.",
    "decisions demo.db",
)


@command(
    verb=verbs.adjudication,
    signs="Judge who decides.",
    excludes={"decide": "undecide"},
    needs={"reason": "decide"},
)
def adjudicate(
    workspace: Workspace,
    *,
    names: bool = False,
    decide: tuple[str, str] | None = None,
    undecide: str | None = None,
    reason: str | None = None,
    **options: Any,
) -> Any:
    """List where judges differ, with their reasons, and how far they agree.

    docs/disagreements.md says what counts as a difference and what a decision does.
    --decide and --undecide print the differences that remain.

    Example:
      curator adjudicate demo.db --kind vote

    Args:
        names: Show which judges gave each answer.
        decide (KEY VALUE): Decide which answer is right.
        undecide (KEY): Withdraw a decision.
        reason (TEXT): Reason for the decision.
    """
    from curator.tables.checks import adjudication_tables

    key, value = decide or (undecide, None)
    if key is not None:
        workspace.decide(key, value, reason, query_id=options.get("query_id"))
    return adjudication_tables(workspace.adjudication(**options), names=names)


@command(signs="Judge of rows that name none.")
def judges(
    workspace: Workspace, *, votes: bool = False, record: Path | None = None
) -> Any:
    """Show each judge's votes, how far judges agree, and where they differ.

    Judges vote on Judge, or by `curator edit WORKSPACE vote ID vital`. A file for
    --record is a table or JSON lines: docs/pyramids.md.

    Example:
      curator judges demo.db

    Args:
        votes: List every vote instead, one per line.
        record (FILE): First import the votes and verdicts of this file.
    """
    from curator.tables.judges import vote_table

    if record is not None:
        saved = workspace.record_votes(record)
        echo_saved(saved, "vote or verdict", "votes or verdicts")
    return vote_table(workspace.bank()) if votes else workspace.judges()


@command(needs={"samples": "test", "seed": "test"})
def pyramid(
    workspace: Workspace,
    *,
    grader: str | None = None,
    min_rating: int | None = None,
    label: str | None = None,
    k: int = 20,
    beta: float = 3.0,
    without: Sequence[str] = (),
    without_imported: bool = False,
    test: bool = False,
    samples: int = 1000,
    seed: int = 0,
) -> Any:
    """Compare each judge's board with the nugget pyramid, and more judges with fewer.

    `curator leaderboard --measure nugget-f` prints the board of the pyramid, and
    `--measure "nugget-f(without=NAME)"` prints it without a judge.

    Example:
      curator pyramid demo.db -k 5

    Args:
        beta (N): Weight of recall relative to precision.
        without (NAME): Ignore the votes of this judge, or the importances of this
            source in an imported bank; repeat for several.
        without_imported: Ignore the importances of imported banks.
        test: Test the effect of one more judge, by a bootstrap over queries.
        samples (N): Number of bootstrap samples.
    """
    from curator.evaluation.measures.pyramid import measure_name, require_beta

    require_beta(beta)
    settings = workspace.settings(
        grader, measure_name("nugget-f", beta=beta), min_rating, k, label=label
    )
    if without_imported:
        without = *without, *(source.judge for source in workspace.judges().sources)
    return workspace.pyramid(
        settings, without=without, test=test, samples=samples, seed=seed
    )
