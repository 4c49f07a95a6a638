"""Tables of verifications and repairs, and of releases and their differences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from curator.formats.text.notices import counted, missing_grades
from curator.results import to_json
from curator.tables.settings import settings_words
from curator.tables.table import Column, Table, columns

if TYPE_CHECKING:
    from curator.evaluation.releases import Release, ReleaseDifference
    from curator.store.bundles.integrity import Verification
    from curator.verbs.files.backup import Repaired


PLURAL = re.compile(r"(ies|s)\b")


def counted_kind(count: int, plural: str) -> str:
    """``2 queries done``, ``1 query done``: the number before what it counts."""
    if count == 1:
        plural = PLURAL.sub(lambda end: "y" if end[0] == "ies" else "", plural, 1)
    return f"{count:,} {plural}"


def verification_table(verification: Verification) -> Table:
    """Make a table of the problems that a verification found."""
    problems, files = verification.problems, verification.files
    caption = (
        f"{counted_kind(verification.texts, 'texts')}, "
        f"{counted_kind(verification.items, 'items')} "
        f"and {counted_kind(verification.vectors, 'rating vectors')} checked; "
        f"{counted_kind(len(problems), 'problems') if problems else 'all as stored'}"
    )
    if files:
        numbers = counted_kind(sum(row.numbers for row in files), "exported numbers")
        unequal = sum(not row.equal for row in files)
        caption += (
            f"\n{counted_kind(len(files), 'files')} with {numbers} computed again; "
            f"{f'{unequal:,} not equal' if unequal else 'equal'}"
        )
    columns = [Column("problem", str)] if problems else []
    return Table(columns, problems, caption, verification.notes, to_json(verification))


def repair_table(repaired: Repaired) -> Table:
    """Make a table of repaired and of remaining problems."""
    rows = [("mended", row) for row in repaired.mended]
    rows += [("left", row) for row in repaired.remaining]
    note = f"The file as it was is kept as '{repaired.copy}'."
    notes = [note] if repaired.copy else []
    caption = "nothing to repair: all as stored"
    if rows:
        mended, remaining = len(repaired.mended), len(repaired.remaining)
        caption = f"{mended:,} repaired, {remaining:,} left: restore a backup"
    found_columns = [Column("state", [0]), Column("what", [1])] if rows else []
    return Table(found_columns, rows, caption, notes, to_json(repaired))


def frozen_board_table(frozen: Release) -> Table:
    """The board as it was frozen, with standard errors."""
    score = Column(frozen.settings.measure, "score")
    layout = [*columns("rank system"), score, *columns("±=stderr")]
    return Table(layout, frozen.board, settings_words(frozen.settings))


def frozen_bank_table(frozen: Release, titles: Mapping[str, str]) -> Table:
    """A line per query: its kept questions, and what the grades make of its pool."""
    relevant = Counter(
        query_id for (query_id, _), row in frozen.labels(binary=True).items() if row
    )
    columns = [
        Column("query", lambda row: titles.get(row.query_id) or row.query_id),
        Column("questions", lambda row: sum(1 for _ in row.questions())),
        Column("passages", lambda row: len(row.passage_ids)),
        Column("relevant", lambda row: relevant[row.query_id]),
    ]
    return Table(columns, frozen.queries, settings_words(frozen.settings))


def frozen_question_table(frozen: Release) -> Table:
    """Every kept question in its words."""
    rows = [(query, entry) for query in frozen.queries for entry in query.questions()]
    columns = [
        Column("query", lambda row: row[0].query_id),
        Column("question", lambda row: row[1].text or row[1].item_id),
    ]
    return Table(columns, rows, counted(len(rows), "kept question"))


def difference_tables(
    difference: ReleaseDifference, name: str = "the release", other: str | None = None
) -> list[Table]:
    """The differences as up to three tables; the first one's value is that of all.

    A question has a line for each thing that is other about it. What was not compared
    has no table.
    """
    # Every command imports this module, and few have releases to compare.
    from curator.evaluation.releases import item_changes

    before, after = difference.settings
    to = "the workspace" if other is None else other
    changes: list[tuple[str | None, ...]] = [
        *(("added", q, item.item_id, None, item.text) for q, item in difference.added),
        *(("removed", q, row.item_id, row.text, None) for q, row in difference.removed),
    ]
    for query_id, old, new in difference.reworded:
        for field, was, is_now in item_changes(old, new):
            change = "reworded" if field == "text" else f"other {field}"
            changes.append((change, query_id, old.item_id, was, is_now))
    keys = ("change", "query_id", "question_id", "before", "after")
    questions = [dict(zip(keys, change, strict=True)) for change in changes]
    labels = [asdict(row) for row in difference.labels]
    systems = [asdict(row) for row in difference.systems]
    notes = list(difference.notes)
    if not difference.same_settings:
        notes.append(
            "Labels and boards are not compared, because the settings differ: "
            f"{name} has {settings_words(before)}, {to} {settings_words(after)}."
        )
    else:
        for side, (graded, needed) in zip((name, to), difference.grades, strict=True):
            missing = f"{missing_grades(needed - graded, needed)} in {side}"
            if graded < needed:
                notes.append(f"{missing}; labels and scores use only the others.")
    settings = {"before": before.to_json(), "after": after.to_json()}
    value = {"notes": notes, "settings": settings, "questions": questions}
    value |= {"labels": labels, "systems": systems}
    caption = f"from {name} to {to}: {counted(difference.questions, 'question')}"
    spec = "change query_id question_id before after"
    tables = [Table(columns(spec), questions, caption, notes, value)]
    if difference.same_settings:
        spec = "query_id passage_id before after"
        tables.append(Table(columns(spec), labels, counted(len(labels), "label")))
    if difference.same_settings and not difference.notes:
        spec = "system before=score_before after=score_after rank_before rank_after"
        moved = counted(len(difference.moved), "system")
        caption = f"{settings_words(before)} · {moved} moved"
        tables.append(Table(columns(spec), systems, caption))
    return tables
