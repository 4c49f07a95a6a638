"""``record_votes``: import of votes and verdicts of several judges."""

from __future__ import annotations

from collections import defaultdict

from curator.bank.edits import Edit, JudgeAnswer, Vote, apply_change
from curator.engine.opened import OpenWorkspace
from curator.errors import CuratorError, NothingToChangeError
from curator.formats.text.records import Record, name_of
from curator.formats.text.rows import Source, read_rows, required_text
from curator.store import edits as store_edits
from curator.store.connection import exclusive
from curator.verbs.checks.record import Recorded

EXPECTED = (
    "rows of question_id, judge and vote (vital or okay), or of question_id, judge, "
    "answer and verdict (right or wrong)"
)


def record_votes(workspace: OpenWorkspace, votes: Source) -> Recorded:
    """Save the votes and verdicts of a file or of records in one transaction.

    Each judge's edits form one batch, which is undone as a unit. A vote that differs
    from the judge's earlier vote replaces it. Rows without ``judge`` are attributed to
    the judge who opened the workspace. Raises InputFileError, which names the line.
    """
    rows = read_rows(votes, name="votes", expected=EXPECTED)
    edits: defaultdict[str, list[Edit]] = defaultdict(list)
    edits_read: dict[tuple[str, str, str | None], Edit] = {}
    unchanged = 0
    with exclusive(workspace.connection):
        bank = workspace.working_state().whole.bank
        for row in rows:
            by = workspace.judge
            if row.get("judge") is not None:
                by = name_of(row.place, row["judge"], "judge")
            edit = _edit(row)
            target = by, edit.question_id, getattr(edit, "answer", None)
            if edits_read.setdefault(target, edit) != edit:
                raise row.error(f"{by} says two things of '{edit.question_id}' here.")
            try:
                bank = apply_change(bank, edit.change(bank, by), judge=by)
            except NothingToChangeError:
                unchanged += 1
            except CuratorError as error:
                raise row.error(str(error)) from None
            else:
                edits[by].append(edit)
        for by, judge_edits in edits.items():
            store_edits.apply(workspace.connection, judge_edits, by=by)
    recorded = sum(map(len, edits.values()))
    return Recorded(recorded, unchanged, tuple(sorted(edits)))


def _edit(row: Record) -> Vote | JudgeAnswer:
    names = [name for name in ("question_id", "item_id", "id") if name in row]
    question_id = required_text(row, names[0] if names else "question_id")
    if "verdict" in row:
        verdict = required_text(row, "verdict").lower()
        return JudgeAnswer(question_id, required_text(row, "answer"), verdict)  # type: ignore[arg-type]
    return Vote(question_id, required_text(row, "vote").lower())  # type: ignore[arg-type]
