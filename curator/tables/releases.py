"""Releases and what differs between them, as tables and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from curator.formats.text.notices import counted, missing_grades
from curator.tables.settings import settings_json, settings_words
from curator.tables.table import Column, Table, record

if TYPE_CHECKING:
    from curator.evaluation.releases import Release, ReleaseDifference
    from curator.store.releases import ReleaseRecord
    from curator.verbs.releases.release import Drift

SHORT = 12  # digits of a hash that people compare by eye
RATING = Column("rating", "min_rating")
RELEASE = (
    Column("release", "name"),
    Column("at", lambda one: one.at[:16].replace("T", " ")),
    *(Column("by"), Column("grader"), Column("measure")),
    *(RATING, Column("k"), Column("questions")),
    *(Column("labels"), Column("grades", "known"), Column("needed")),
    *(Column("sha256", lambda one: one.sha256[:SHORT]), Column("why")),
)


def release_table(records: Iterable[ReleaseRecord]) -> Table:
    """Releases, a line each: what was frozen, by whom, when and why."""
    releases = list(records)
    caption = (
        ""
        if releases
        else "No releases yet. `curator release WORKSPACE NAME` makes one."
    )
    value = [
        {
            **record(one, "name", "sha256", "at", "by", "why"),
            "event": one.event_id,
            "settings": settings_json(one.settings),
            **record(one, "questions", "labels"),
            "grades": record(one, "known", "needed"),
            **said_json(one),
        }
        for one in releases
    ]
    columns = list(RELEASE)
    if any(one.label != "max" for one in releases):
        columns.insert(columns.index(RATING) + 1, Column("label"))
    if any(one.min_answered != 1 for one in releases):
        columns.insert(columns.index(RATING) + 1, Column("labels by", "min_answered"))
    if any(one.certificate for one in releases):
        columns.append(Column("certificate", "certificate.sentence"))
    if any(one.stability for one in releases):
        columns.append(Column("stability", "stability.sentence"))
    return Table(columns, releases, caption, value=value)


def said_json(one: ReleaseRecord) -> dict[str, object]:
    """Return the certificate and stability of a release as JSON, if it has them."""
    said = {"certificate": one.certificate, "stability": one.stability}
    return {
        name: {**asdict(of), "sentence": of.sentence} for name, of in said.items() if of
    }


def frozen_table(record: ReleaseRecord) -> Table:
    """Make a table of one release, with the columns of the release list."""
    return release_table([record])


def frozen_board_table(frozen: Release) -> Table:
    """The board as it was frozen, with standard errors."""
    columns = [
        *(Column("rank"), Column("system")),
        *(Column(frozen.settings.measure, "score"), Column("±", "stderr")),
    ]
    return Table(columns, frozen.board, settings_words(frozen.settings))


def frozen_bank_table(frozen: Release, titles: Mapping[str, str]) -> Table:
    """A line per query: its kept questions, and what the grades make of its pool."""
    relevant = Counter(
        query_id for (query_id, _), one in frozen.labels(binary=True).items() if one
    )
    columns = [
        Column("query", lambda one: titles.get(one.query_id) or one.query_id),
        Column("questions", lambda one: sum(1 for _ in one.questions())),
        Column("passages", lambda one: len(one.passage_ids)),
        Column("relevant", lambda one: relevant[one.query_id]),
    ]
    return Table(columns, frozen.queries, settings_words(frozen.settings))


def frozen_question_table(frozen: Release) -> Table:
    """Every kept question in its words."""
    rows = [(query, one) for query in frozen.queries for one in query.questions()]
    columns = [
        Column("query", lambda row: row[0].query_id),
        Column("question", lambda row: row[1].text or row[1].item_id),
    ]
    return Table(columns, rows, counted(len(rows), "kept question"))


def drift_table(drifts: Sequence[Drift]) -> Table:
    """Make a table of the changes since each release."""
    columns = [
        Column("release", "record.name"),
        Column("labels differ", lambda one: len(one.labels)),
        Column("questions differ", "questions", "questions_differ"),
    ]
    return Table(columns, drifts)


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
        *(("removed", q, one.item_id, one.text, None) for q, one in difference.removed),
    ]
    for query_id, old, new in difference.reworded:
        for field, was, is_now in item_changes(old, new):
            change = "reworded" if field == "text" else f"other {field}"
            changes.append((change, query_id, old.item_id, was, is_now))
    keys = ("change", "query_id", "question_id", "before", "after")
    questions = [dict(zip(keys, change, strict=True)) for change in changes]
    labels = [asdict(one) for one in difference.labels]
    systems = [asdict(one) for one in difference.systems]
    notes = list(difference.notes)
    if not difference.same_settings:
        notes.append(
            "Labels and boards are not compared, because the settings differ: "
            f"{name} has {settings_words(before)}, {to} {settings_words(after)}."
        )
    else:
        notes += [
            f"{missing_grades(needed - known, needed)} in {side}; labels and scores "
            "use only the others."
            for side, (known, needed) in zip((name, to), difference.grades, strict=True)
            if known < needed
        ]
    settings = {"before": settings_json(before), "after": settings_json(after)}
    value = {"notes": notes, "settings": settings, "questions": questions}
    value |= {"labels": labels, "systems": systems}
    query, ends = Column("query", "query_id"), (Column("before"), Column("after"))
    columns = [Column("change"), query, Column("question", "question_id"), *ends]
    caption = f"from {name} to {to}: {counted(difference.questions, 'question')}"
    tables = [Table(columns, questions, caption, notes, value)]
    if difference.same_settings:
        columns = [query, Column("passage", "passage_id"), *ends]
        tables.append(Table(columns, labels, counted(len(labels), "label")))
    if difference.same_settings and not difference.notes:
        columns = [
            Column("system"),
            *(Column("before", "score_before"), Column("after", "score_after")),
            Column("rank before", "rank_before"),
            Column("rank after", "rank_after"),
        ]
        moved = counted(len(difference.moved), "system")
        caption = f"{settings_words(before)} · {moved} moved"
        tables.append(Table(columns, systems, caption))
    return tables
