"""``record_checks``: what people said of pairs, from a file, all of it or nothing."""

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
    """How many checks were saved, by whom; ``unchanged`` stood so already."""

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

    Those of one judge are one batch, which undoes as one. A line that names no judge is
    ``judge``'s, or of whoever opened the workspace; one that says how probable its
    pair was, and not of how many drawn, is of as many pairs as the file has such.
    Raises InputFileError, which names the line.
    """
    source = Path(checks) if isinstance(checks, str) else checks
    path = source if isinstance(source, Path) else Path("checks")
    lines = read_checks(source)
    drawn = len({_pair(one) for one in lines if one.probability is not None})
    began = datetime.now(UTC)
    unchanged = 0
    edits: defaultdict[str, list[CheckPair]] = defaultdict(list)
    with exclusive(workspace.connection):
        workspace.refuse_restricted(one.query_id for one in lines)
        state = workspace.working_state().whole
        bank, said = state.bank, dict[tuple[object, ...], CheckLine]()
        highest = store_bank.highest_grade(workspace.connection)
        for place, line in enumerate(lines):
            by = line.judge or judge or workspace.judge
            # In the order of the lines, which is that in which they were drawn.
            at = began + timedelta(microseconds=place)
            edit = CheckPair(
                *(line.query_id, line.question_id, line.passage_id, line.answer),
                line.probability,
                0 if line.probability is None else line.drawn or drawn,
                line.seconds,
                at=at.isoformat(timespec="microseconds"),
            )
            try:
                _refuse_unknown(state, line, highest)
                earlier = said.setdefault((by, *_pair(line)), line)
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
        for by, of_judge in edits.items():
            looked = [one.seconds for one in of_judge if one.seconds is not None]
            saving = Saving(seconds=sum(looked) if looked else None)
            store_edits.apply(workspace.connection, of_judge, by=by, **saving)
    return Recorded(sum(map(len, edits.values())), unchanged, tuple(sorted(edits)))


def _pair(line: CheckLine) -> tuple[str, str | None, str]:
    return line.query_id, line.question_id, line.passage_id


def _refuse_unknown(state: State, line: CheckLine, highest: int) -> None:
    """Refuse a query, passage or grade that is not here."""
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
