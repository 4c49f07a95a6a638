"""``record_votes``: import of votes and verdicts of several judges."""

from __future__ import annotations

from curator.bank.edits import Edit, JudgeAnswer, Vote
from curator.bank.questions import Bank
from curator.formats.text.records import Record
from curator.formats.text.rows import Source, read_rows, required_text
from curator.snapshot.opened import OpenWorkspace
from curator.store.connection import write_transaction
from curator.verbs.curate.rows import Recorded, record_edits

EXPECTED = (
    "rows of question_id, judge and vote (vital or okay), or of question_id, judge, "
    "answer and verdict (right or wrong)"
)


def record_votes(workspace: OpenWorkspace, votes: Source) -> Recorded:
    """Save the votes and verdicts of a file or of records in one transaction.

    Each judge's edits form one batch, which is undone as a unit. A vote that differs
    from the judge's earlier vote replaces it. Rows without ``judge`` are attributed to
    the judge who opened the workspace. Raises InputFileError, which names the line,
    also for a listed viewer unless ``refuse_viewers`` is False.
    """
    rows = read_rows(votes, name="vote", expected=EXPECTED)
    edits_read: dict[tuple[str, str, str | None], Edit] = {}

    def edits_of(_: Bank, row: Record, judge: str) -> list[Edit]:
        edit = _edit(row)
        target = judge, edit.question_id, getattr(edit, "answer", None)
        if edits_read.setdefault(target, edit) != edit:
            raise row.error(
                f"{judge} gives '{edit.question_id}' two different marks; expected one."
            )
        return [edit]

    with write_transaction(workspace.connection):
        bank = workspace.current_snapshot().full.bank
        named = ((row.place, row.get("judge"), row) for row in rows)
        return record_edits(workspace, bank, named, edits_of)


def _edit(row: Record) -> Vote | JudgeAnswer:
    names = [name for name in ("question_id", "item_id", "id") if name in row]
    question_id = required_text(row, names[0] if names else "question_id")
    if "verdict" in row:
        verdict = required_text(row, "verdict").lower()
        return JudgeAnswer(question_id, required_text(row, "answer"), verdict)  # type: ignore[arg-type]
    return Vote(question_id, required_text(row, "vote").lower())  # type: ignore[arg-type]
