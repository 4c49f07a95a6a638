"""``record_checks``: import people's checks from a file, all of them or none."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from curator.bank.edits import CheckPair, apply_change
from curator.engine.opened import OpenWorkspace
from curator.engine.state import State
from curator.errors import CuratorError, EditError, NothingToChangeError
from curator.formats.checks import CheckLine, read_checks
from curator.formats.text.records import error_at
from curator.results import Result
from curator.store import bank as store_bank
from curator.store import edits as store_edits
from curator.store.connection import exclusive
from curator.store.history import Saving


@dataclass(frozen=True)
class Recorded(Result["Recorded"], table="checks.recorded_table"):
    """Counts of the checks saved and of those ``unchanged``, and their judges."""

    recorded: int
    unchanged: int
    judges: tuple[str, ...]


def record_checks(
    workspace: OpenWorkspace,
    checks: Path | str | Iterable[Mapping[str, Any]],
    *,
    judge: str | None = None,
) -> Recorded:
    """Save the checks of a file of JSON lines, or of such records, all or none.

    The checks of one judge are one batch and are undone together. A line without a
    judge counts for ``judge``, by default for the one who opened the workspace; a line
    with a probability but no count of drawn pairs takes the number of such pairs in the
    file. Raises InputFileError, which names the line.
    """
    source = Path(checks) if isinstance(checks, str) else checks
    path = source if isinstance(source, Path) else Path("checks")
    lines = read_checks(source)
    drawn = len({_pair(line) for line in lines if line.probability is not None})
    began = datetime.now(UTC)
    unchanged = 0
    edits: defaultdict[str, list[CheckPair]] = defaultdict(list)
    with exclusive(workspace.connection):
        workspace.refuse_restricted(line.query_id for line in lines)
        state = workspace.working_state().whole
        bank, first_lines = state.bank, dict[tuple[object, ...], CheckLine]()
        highest = store_bank.highest_grade(workspace.connection)
        for place, line in enumerate(lines):
            by = line.judge or judge or workspace.judge
            # The lines are in the order in which the pairs were drawn.
            at = began + timedelta(microseconds=place)
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
            try:
                _refuse_unknown(state, line, highest)
                earlier = first_lines.setdefault((by, *_pair(line)), line)
                if earlier.answer != line.answer:
                    raise EditError(
                        f"{by} says '{earlier.answer}' of the same pair in line "
                        f"{earlier.number}; expected one answer."
                    )
                bank = apply_change(bank, edit.change(bank, by), judge=by)
            except NothingToChangeError:
                unchanged += 1
            except CuratorError as error:
                raise error_at(path, line.number, str(error)) from None
            else:
                edits[by].append(edit)
        for by, judge_edits in edits.items():
            times = [edit.seconds for edit in judge_edits if edit.seconds is not None]
            saving = Saving(seconds=sum(times) if times else None)
            store_edits.apply(workspace.connection, judge_edits, by=by, **saving)
    return Recorded(sum(map(len, edits.values())), unchanged, tuple(sorted(edits)))


def _pair(line: CheckLine) -> tuple[str, str | None, str]:
    return line.query_id, line.question_id, line.passage_id


def _refuse_unknown(state: State, line: CheckLine, highest: int) -> None:
    pool = state.collection.pools[state.query_ids(line.query_id)[0]]
    if line.passage_id not in state.cached(
        ("counted", line.query_id), lambda: frozenset(pool.counted)
    ):
        raise EditError(
            f"No passage '{line.passage_id}' in the pool of query '{line.query_id}'."
        )
    is_grade = line.question_id is None and line.answer.isdecimal()
    if is_grade and int(line.answer) > highest:
        raise EditError(
            f"answer is {line.answer}; passages are graded 0 to {highest} here."
        )
