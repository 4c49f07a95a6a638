"""A bank as its organizer wants to see it: queries, judges, graders, what next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from curator.formats.text.notices import counted
from curator.results import FILE, Rows, to_json
from curator.tables.forms import percent
from curator.tables.settings import RULES, label_words, measure_words
from curator.tables.table import Column, Table, columns_of, fields_table

if TYPE_CHECKING:
    from curator.verbs.overview import (
        GraderEvidence,
        JudgeActivity,
        Overview,
    )


def overview_tables(overview: Overview) -> list[Table]:
    """Queries, then judges, graders, the latest release, and what to do next."""
    states = ", ".join(
        f"{number:,} {state}" for state, number in overview.states.items() if number
    )
    queries = counted(len(overview.queries), "query", "queries")
    first = fields_table(Rows(overview.queries, caption=f"{queries}: {states}"))
    tables = [replace(first, value=lambda: to_json(overview))]
    if overview.judges:
        tables.append(activity_table(overview.judges))
    if overview.graders:
        tables.append(evidence_table(overview.graders))
    if overview.since is not None:
        tables.append(fields_table(Rows([overview.since])))
    if overview.steps:
        tables.append(fields_table(Rows(overview.steps)))
    return tables


def activity_table(judges: Sequence[JudgeActivity]) -> Table:
    """A line per judge: edits, time for one, decisions, when they were last here."""
    caption = "Judges, with the work of theirs that was not undone"
    return fields_table(Rows(judges, caption=caption))


def evidence_table(
    graders: Sequence[GraderEvidence],
    labels: Mapping[str, str] | None = None,
    current: str = "",
) -> Table:
    """A line per grader: grades known, and how well it agrees with what people say.

    ``labels`` are the names on pages; the row of the ``current`` grader is marked.
    """
    names = labels or {}

    def of(spec: str) -> list[Column]:
        return columns_of(type(graders[0]) if graders else None, spec)

    return Table(
        [
            Column(
                "grader",
                "name",
                page=lambda grader: names.get(grader.name, grader.name),
            ),
            Column("known", title="Grades", page=_share_known),
            *of("needed kappa"),
            Column("kappa of", kappa_words, missing="", only=FILE),
            *of("auc judged tau"),
            Column("tau of", format_tau, missing="", only=FILE),
            *of("against"),
            Column("checks", "certificate.sentence", missing="", page=_certified),
        ],
        graders,
        "Graders, compared with judgments, ranks and checks",
        current=lambda grader: grader.name == current,
    )


def _share_known(grader: GraderEvidence) -> str:
    return percent(grader.known / grader.needed) if grader.needed else "–"


def _certified(grader: GraderEvidence) -> str:
    certificate = grader.certificate
    return f"≤ {certificate.most:g} % wrong" if certificate else "–"


def kappa_words(grader: GraderEvidence) -> str | None:
    """Labels and threshold of a kappa: ``best rating ≥ 4``."""
    if (settings := grader.kappa_settings) is None:
        return None
    label = "grade" if grader.kind == "direct" else RULES[settings.label]
    return f"{label} ≥ {settings.relevant_from()}"


def format_tau(grader: GraderEvidence) -> str | None:
    """Measure, label and threshold of a tau: ``nDCG@10 · mean rating · rating ≥ 4``."""
    if (settings := grader.tau_settings) is None:
        return None
    labels = label_words([settings]) or [f"label: {RULES[settings.label]}"]
    if grader.kind == "direct":
        labels = []
    rating = f"rating ≥ {settings.min_rating}"
    return " · ".join([measure_words(settings), *labels, rating])
