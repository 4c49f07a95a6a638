"""Commands ``checks`` and ``norming``: people's answers about pairs and passages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curator.cli.program import WorkspaceGroup, add_verb, command, verbs

if TYPE_CHECKING:
    from curator.workspace import Workspace

WorkspaceGroup(
    "checks",
    signs="Judge who checks.",
    help="""Check a random sample of the graders' ratings by hand.

`next` draws pairs of question and passage and hides how graders rate them, and `record`
saves people's answers. `quality` estimates from these answers how reliable each grader
is. `gold` tells how often each judge is right on pairs with a known answer.

\b
Example:
  curator checks demo.db next --count 5
""",
)
NORMING = WorkspaceGroup(
    "norming",
    default="list",
    signs="Name of the judge.",
    help="""Run norming rounds: all judges answer the same items, then discuss them.

Judges answer on the page Check without seeing each other's answers. `reveal` shows all
answers side by side, with Krippendorff's alpha before and after. docs/disagreements.md
describes a round. Without a command, lists the rounds.

\b
Example:
  curator norming demo.db
""",
)


add_verb(
    verbs.next_checks,
    "Draw pairs that the judge has not checked yet.",
    "checks demo.db next --count 5 --seed 1 --format json",
)
add_verb(
    verbs.record_checks,
    "Save people's checks from FILE, one JSON line each; all of them or none.",
    "checks demo.db record checks.jsonl",
)
add_verb(
    verbs.gold,
    "Mix pairs with a known answer into every judge's pairs, and rate the judges.",
    "checks demo.db gold",
)
add_verb(
    verbs.check_quality,
    "Estimate from all checks how reliable each grader's labels are.",
    "checks demo.db quality",
)

add_verb(
    verbs.norming_rounds,
    "List all rounds, the latest first.",
    "norming demo.db list",
)


add_verb(
    verbs.open_norming,
    "Open a round with unchecked items of all ratings, or with these items.",
    "norming demo.db open --seed 1",
)
add_verb(
    verbs.norming,
    "Show a round, by default the latest: who has finished, and all answers.",
    "norming demo.db show",
)


@command(group=NORMING)
def answer(
    workspace: Workspace,
    round_id: int | None = None,
    *,
    items: Sequence[tuple[str, str]] = (),
    file: Path | None = None,
) -> Any:
    """Answer items of a round, by the numbers that `show` prints.

    ROUND is the latest by default.

    Example:
      curator norming demo.db answer --item 1 yes --item 2 no --judge ann

    Args:
        round_id ([ROUND]): Number of the round.
        items (NUMBER ANSWER): Your answer to an item, as in --item 3 yes; repeat for
            several.
        file (FILE): Answers of several judges: rows of item, judge and answer, as JSON
            lines or a table with a heading.
    """
    if bool(items) == bool(file):
        raise click.UsageError("Give answers by either --item or --file.")
    rows = [{"item": number, "answer": text} for number, text in items]
    return workspace.record_norming(file or rows, round_id)


add_verb(
    verbs.reveal_norming,
    "Show all answers of a round, by default the latest, to all judges.",
    "norming demo.db reveal",
)
add_verb(
    verbs.close_norming,
    "Close a round, by default the latest: it takes no more answers or comments.",
    "norming demo.db close",
)
