"""Correlations of boards with references, sweeps, and the stability of a board."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from markupsafe import Markup

from curator.evaluation.measures import title
from curator.formats.text.notices import counted
from curator.results import FILE, PAGE, to_json
from curator.tables.forms import score
from curator.tables.leaderboard import isolated
from curator.tables.settings import (
    RULES,
    answered_json,
    label_words,
    measure_words,
    settings_words,
    topics_json,
)
from curator.tables.table import Column, Table, columns, named_notes, record

if TYPE_CHECKING:
    from curator.evaluation.correlation import Correlation
    from curator.evaluation.stability import Figures
    from curator.verbs.leaderboard.leaderboard import BoardCorrelation
    from curator.verbs.stability.stability import Stability


COEFFICIENTS = {
    "spearman": Column("spearman", title="Spearman’s ρ"),
    "kendall": Column("kendall", title="Kendall’s τ"),
    "tau_ap": Column("tau_ap", title="τAP"),
    "tau_top10": Column(
        "tau_top10",
        title="τ top 10",
        help="Kendall’s τ over the ten systems best in the reference",
        only=("file", "page"),
    ),
}


def coefficient_table(correlation: Correlation) -> Table:
    """Make a table of one correlation's coefficients and number of systems."""
    notes = [correlation.note] if correlation.note else []
    return Table(coefficients(correlation), [correlation], notes=notes)


def coefficients(correlation: Correlation, within: str = "") -> list[Column]:
    """The columns of such a correlation, of which a row holds it ``within``."""
    if correlation.repeats:
        names = ("systems", "spearman", "spearman_sd", "kendall", "kendall_sd")
        columns = [Column(name) for name in names]
    else:
        columns = [Column("systems"), *COEFFICIENTS.values()]
        if correlation.resamples:  # after Kendall's tau
            ends = ("low", "high")
            columns[3:3] = [Column(end, f"kendall_interval.{end}") for end in ends]
        columns += [Column(name, f"also.{name}") for name in correlation.also]
    return [
        replace(column, value=f"{within}{column.value or column.heading}")
        for column in columns
    ]


def correlation_table(lines: Sequence[BoardCorrelation]) -> Table:
    """Make a table of correlation coefficients and numbers of systems.

    As JSON, one board against one reference is an object, several are
    ``{"rows": [...]}`` of such objects.
    """

    def measure(line: BoardCorrelation) -> Markup:
        return isolated(title(line.settings.measure))

    layout = [
        Column("measure", "settings.measure", page=measure),
        Column("against"),
        *coefficients(lines[0].correlation, "correlation."),
    ]
    values = [correlation_json(line) for line in lines]
    notes = dict.fromkeys(
        f"{line.settings.measure} against {line.against}: {note}"
        for line in lines
        for note in _notes(line)
    )
    caption = dict.fromkeys(settings_words(line.settings) for line in lines)
    caption |= {lines[0].correlation.procedure: None}
    value = values[0] if len(lines) == 1 else {"rows": values}
    return Table(layout, lines, "\n".join(filter(None, caption)), [*notes], value)


def _drawn(correlation: Correlation) -> dict[str, object]:
    if correlation.repeats:
        return record(correlation, "repeats", "seed")
    return record(correlation, "resamples", "seed") if correlation.resamples else {}


def correlation_json(row: BoardCorrelation) -> dict[str, object]:
    """Return the correlation of one board with one reference as JSON."""
    coefficient_columns = coefficients(row.correlation, "correlation.")[1:]
    label = row.settings.label if row.uses_label_rule else None
    settings = row.settings.to_json() | {"label": label, "against": row.against}
    return {
        "settings": settings,
        "systems": row.correlation.systems,
        "left_out": _one_sided(row),
        **_drawn(row.correlation),
        **{column.heading: column.cell(row) for column in coefficient_columns},
        "note": row.correlation.note,
    }


def _one_sided(row: BoardCorrelation) -> list[str]:
    return [*row.correlation.without_reference, *row.correlation.without_score]


def _notes(row: BoardCorrelation) -> list[str]:
    notes = [row.correlation.note] if row.correlation.note else []
    if left_out := _one_sided(row):
        systems = counted(len(left_out), "system")
        notes.append(f"{systems} on only one of the boards: {', '.join(left_out)}.")
    return notes


def sweep_table(
    rows: Sequence[BoardCorrelation], *, current: int | None = None
) -> Table:
    """A row per measure and minimum rating; ``current`` is the page's own."""
    by_measure = defaultdict(list)
    for row in rows:
        by_measure[row.settings.measure].append(row)
    value = []
    for points in by_measure.values():
        settings = points[0].settings
        point_notes = dict.fromkeys(row.correlation.note for row in points)
        value.append(
            {
                **record(settings, "grader", "measure", "k", "label"),
                **answered_json(settings.min_answered),
                **topics_json(settings),
                "against": points[0].against,
                "points": [
                    record(row.settings, "min_rating")
                    | record(row.correlation, "systems", *COEFFICIENTS)
                    for row in points
                ],
                "note": " ".join(filter(None, point_notes)),
            }
        )
    all_settings = [row.settings for row in rows]
    parts = [
        [measure_words(settings) for settings in all_settings],
        [settings.grader for settings in all_settings],
        label_words(all_settings),
        [f"against {row.against}" for row in rows],
        ["by subtopic" for settings in all_settings if topics_json(settings)],
    ]
    return Table(
        [
            Column("measure", "settings.measure", only=FILE),
            Column("rating ≥", "settings.min_rating"),
            *coefficients(rows[0].correlation, "correlation."),
        ],
        rows,
        " · ".join(", ".join(dict.fromkeys(part)) for part in parts if part),
        [*dict.fromkeys(row.correlation.note for row in rows if row.correlation.note)],
        value,
        current=lambda row: row.settings.min_rating == current,
    )


def validity_table(
    lines: Sequence[BoardCorrelation], names: Mapping[str, str] = MappingProxyType({})
) -> Table:
    """A row for each measure, grader, label rule and reference, reference by reference.

    A board that there cannot be has empty cells, and a note. On pages it is of one
    measure and reference, and ``names`` are graders' shorter ones.
    """

    def grader_name(row: BoardCorrelation) -> str:
        return names.get(row.settings.grader, row.settings.grader)

    def label(row: BoardCorrelation) -> str:
        return row.settings.label if row.uses_label_rule else ""

    columns = [
        Column("against", only=FILE),
        Column("measure", "settings.measure", only=FILE),
        Column("grader", "settings.grader", page=grader_name),
        Column("label", label, page=lambda row: RULES.get(label(row), "")),
        Column("rating from", "settings.min_rating", only=FILE),
        Column("τ", "correlation.kendall", title="τ", only=PAGE),
        Column("95 %", _within, missing="", only=PAGE),
    ]
    in_files = ("systems", "spearman", "kendall", "low", "high")
    for coefficient in coefficients(lines[0].correlation, "correlation."):
        only = FILE if coefficient.heading in in_files else coefficient.only
        columns.append(replace(coefficient, only=only))
    notes = named_notes(
        (
            f"{row.settings.measure} of {row.settings.grader} against {row.against}",
            row.correlation.note,
        )
        for row in lines
    )
    notes += getattr(lines, "notes", ())
    value = {"rows": [correlation_json(row) for row in lines]}
    return Table(columns, lines, validity_words(lines), notes, value)


def validity_words(lines: Sequence[BoardCorrelation]) -> str:
    """Settings of all rows: ``rating >= 4, low and high: ...``."""
    ratings = {row.settings.min_rating for row in lines}
    shared = f"rating ≥ {ratings.pop()}" if len(ratings) == 1 else ""
    return " · ".join(filter(None, [shared, lines[0].correlation.procedure]))


def _within(row: BoardCorrelation) -> str | None:
    """``.540, .854``."""
    lies = getattr(row.correlation, "kendall_interval", None)
    return lies and f"{score(lies.low)}, {score(lies.high)}"


INTERVAL = "expected.tau expected.low expected.high"
QUERY = (
    f"query_id questions {INTERVAL} change.order change.members "
    "covered.relevant? covered.covered?"
)


def stability_tables(stability: Stability) -> list[Table]:
    """The queries, the board's own figures, and how they grow with more questions.

    A sentence alone where nothing can be said.
    """
    words, value = settings_words(stability.settings), to_json(stability)
    if stability.figures is None:
        return [Table(columns(QUERY), (), words, (stability.sentence,), value)]
    notes = (stability.sentence, *stability.notes)
    tables = [
        Table(columns(QUERY), stability.queries, words, notes, value),
        _figures(stability.figures),
        Table(
            columns(f"questions {INTERVAL}"),
            stability.grown,
            "two banks of this number of questions",
        ),
    ]
    if stability.fewer:
        caption = f"boards of fewer questions per query, against {stability.against}"
        spec = f"per_query questions {INTERVAL}"
        tables.append(Table(columns(spec), stability.fewer, caption))
    return tables


def _figures(figures: Figures) -> Table:
    halves = {"tau": figures.halves, "low": None, "high": None}
    rows = [
        {"against": "another bank of this size", **asdict(figures.expected)},
        {"against": "two halves of this bank", **halves},
        {"against": "resampled questions of this bank", **asdict(figures.again)},
    ]
    if figures.over_queries is not None:
        others = asdict(figures.over_queries)
        rows.append({"against": "as many other queries", **others})
    counts = f"{counted(figures.questions, 'question')}, {figures.draws:,} draws"
    return Table(columns("against tau low high"), rows, counts)
