"""``record_checks``: import people's checks from a file, all of them or none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from curator.bank.edits import CheckPair
from curator.bank.questions import Bank
from curator.errors import EditError
from curator.formats.checks import CheckLine, read_checks
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.snapshot import Snapshot
from curator.store import bank as store_bank
from curator.store.connection import write_transaction
from curator.verbs.curate.edits import Recorded, record_edits


def record_checks(
    workspace: OpenWorkspace,
    checks: Path | str | Iterable[Mapping[str, Any]],
    *,
    judge: str | None = None,
) -> Recorded:
    """Save the checks of a file of JSON lines, or of such records, all or none.

    A line has query_id, item_id (null for a check of the passage alone), passage_id and
    answer: yes, no or unsure, or a grade. docs/formats.md lists the optional fields.
    The checks of one judge are one batch and are undone together.

    A line without a judge counts for ``judge``, by default for the one who opened the
    workspace; a line with a probability but no count of drawn pairs takes the number of
    such pairs in the file. Raises InputFileError, which names the line, also for a
    listed viewer unless ``refuse_viewers`` is False.

    Args:
        checks (FILE): File of checks.
    """
    source = Path(checks) if isinstance(checks, str) else checks
    lines = read_checks(source)
    drawn = len({_pair(line) for line in lines if line.probability is not None})
    began = datetime.now(UTC)
    first_lines = dict[tuple[object, ...], CheckLine]()
    with write_transaction(workspace.connection):
        workspace.refuse_restricted(line.query_id for line in lines)
        snapshot = workspace.current_snapshot().full
        highest = store_bank.highest_grade(workspace.connection)

        def edits_of(_: Bank, line: CheckLine, by: str) -> list[CheckPair]:
            _refuse_unknown(snapshot, line, highest)
            earlier = first_lines.setdefault((by, *_pair(line)), line)
            if earlier.answer != line.answer:
                raise EditError(
                    f"{by} answers '{earlier.answer}' for the same pair in "
                    f"{earlier.place.where}; expected one answer."
                )
            # The lines are in the order in which the pairs were drawn.
            at = began + timedelta(microseconds=len(first_lines))
            edit = CheckPair(
                line.query_id,
                line.question_id,
                line.passage_id,
                line.answer,
                line.probability,
                0 if line.probability is None else line.drawn or drawn,
                line.seconds,
                at=at.isoformat(timespec="microseconds"),
            )
            return [edit]

        named = ((line.place, line.judge or judge, line) for line in lines)
        return record_edits(workspace, snapshot.bank, named, edits_of)


def _pair(line: CheckLine) -> tuple[str, str | None, str]:
    return line.query_id, line.question_id, line.passage_id


def _refuse_unknown(snapshot: Snapshot, line: CheckLine, highest: int) -> None:
    pool = snapshot.collection.pools[snapshot.query_ids(line.query_id)[0]]
    if line.passage_id not in snapshot.cached(
        ("counted passages", line.query_id), lambda: frozenset(pool.counted)
    ):
        raise EditError(
            f"No passage '{line.passage_id}' in the pool of query '{line.query_id}'."
        )
    is_grade = line.question_id is None and line.answer.isdecimal()
    if is_grade and int(line.answer) > highest:
        raise EditError(
            f"answer is {line.answer}; passages are graded 0 to {highest} here."
        )
