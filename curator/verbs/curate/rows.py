"""Rows of several judges, saved as edits: a batch of each judge, all rows or none."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from curator.bank.edits import CheckPair, Edit, apply_change
from curator.bank.questions import Bank
from curator.errors import CuratorError, InputFileError, NothingToChangeError
from curator.formats.text.records import FileLocation, name_of
from curator.results import Result
from curator.snapshot.access import refuse_viewer
from curator.snapshot.opened import OpenWorkspace
from curator.store import edits as store_edits

Row = TypeVar("Row")


@dataclass(frozen=True)
class Recorded(Result["Recorded"]):
    """Counts of the rows saved and of those ``unchanged``, and the judges saved for."""

    recorded: int
    unchanged: int
    judges: tuple[str, ...]


def judge_of(workspace: OpenWorkspace, place: FileLocation, name: object) -> str:
    """Return the judge of a row, that of the workspace where it names none.

    Raises RoleError for a listed viewer, InputFileError for what is no name.
    """
    judge = workspace.judge if name is None else name_of(place, name, "judge")
    if workspace.refuse_viewers is not False:
        remedy = "name another judge in the row or by --judge, or give --force"
        refuse_viewer(workspace.connection, judge, "apply", remedy)
    return judge


def record_edits(
    workspace: OpenWorkspace,
    bank: Bank,
    rows: Iterable[tuple[FileLocation, object, Row]],
    edits_of: Callable[[Bank, Row, str], Sequence[Edit]],
) -> Recorded:
    """Save the edits of rows, given with places and names. Within a transaction.

    ``edits_of`` reads a row of a judge, given the bank as the rows before leave it.
    Raises InputFileError, which names the line.
    """
    edits: defaultdict[str, list[Edit]] = defaultdict(list)
    recorded = unchanged = 0
    for place, name, row in rows:
        try:
            judge = judge_of(workspace, place, name)
            edits_read = edits_of(bank, row, judge)
            for edit in edits_read:
                bank = apply_change(bank, edit.change(bank, judge), judge=judge)
        except NothingToChangeError:
            unchanged += 1
        except InputFileError:
            raise
        except CuratorError as error:
            raise place.error(str(error)) from None
        else:
            edits[judge] += edits_read
            recorded += 1
    for judge, judge_edits in edits.items():
        checks = [edit for edit in judge_edits if isinstance(edit, CheckPair)]
        times = [check.seconds for check in checks if check.seconds is not None]
        seconds = sum(times) if times else None
        store_edits.apply(workspace.connection, judge_edits, by=judge, seconds=seconds)
    return Recorded(recorded, unchanged, tuple(sorted(edits)))
