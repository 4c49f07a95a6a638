"""A workspace as its organizer wants to see it: progress, state and settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from curator.edit_words import STATES
from curator.formats.text.notices import counted
from curator.results import FILE, Rows, to_json
from curator.tables.files import counted_kind
from curator.tables.forms import Cell, percent
from curator.tables.settings import RULES, label_words, measure_words
from curator.tables.table import Column, Table, columns_of, fields_table, record

if TYPE_CHECKING:
    from curator.snapshot.languages import Languages
    from curator.verbs.overview import GraderEvidence, JudgeActivity, Overview
    from curator.verbs.setup import Setup, Statistics, Status


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
    row_type = type(graders[0]) if graders else None
    layout = [
        Column("grader", "name", page=lambda row: names.get(row.name, row.name)),
        Column("known", title="Grades", page=_share_known),
        *columns_of(row_type, "needed kappa"),
        Column("kappa of", kappa_words, missing="", only=FILE),
        *columns_of(row_type, "auc judged tau"),
        Column("tau of", format_tau, missing="", only=FILE),
        *columns_of(row_type, "against"),
        Column("checks", "certificate.sentence", missing="", page=_certified),
    ]
    caption = "Graders, compared with judgments, ranks and checks"
    return Table(layout, graders, caption, current=lambda row: row.name == current)


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


def status_table(status: Status) -> Table:
    """The six steps, then counts and graders."""
    rows = [
        [f"{'✓' if step.done else '·'} {step.name}", step.state, step.command]
        for step in status.steps
    ]
    value = {
        **status.counts,
        **record(status, "title", "blind", "guidelines", "human_first"),
        "languages": asdict(status.languages),
        "steps": [asdict(step) for step in status.steps],
        "graders": [
            record(g, *g.columns.split())
            | ({"left_out": g.left_out} if g.left_out else {})
            for g in status.graders
        ],
        "releases": [
            record(row.record, "name", "sha256", "at", "by")
            | {"questions_differ": row.questions, "labels_differ": len(row.labels)}
            for row in status.releases
        ],
    }
    rows += [
        [f"  {g.name}", f"{g.known:,} of {g.needed:,} grades", g.kind]
        for g in status.graders
    ]
    counts = ", ".join(
        counted_kind(count, STATES.get(name, name).replace("_", " "))
        for name, count in status.counts.items()
        if count
    )
    set_up = [f"{'with' if status.guidelines else 'no'} guidelines for judges"]
    if status.blind:
        set_up.append("judges are blind to systems and scores")
    if status.human_first:
        set_up.append(_writes_first(status.human_first))
    caption = f"{status.title or status.path}\n{counts or 'empty'}\n{', '.join(set_up)}"
    caption += f"\n{status.languages.summary}" if status.languages.summary else ""
    headings = ["step or grader", "state", "command or kind"]
    return Table.of(headings, rows, caption, status.notes, value)


def statistics_table(statistics: Statistics) -> Table:
    """A line for each size of the collection."""
    value = asdict(statistics)
    rows = [[name.replace("_", " "), number] for name, number in value.items()]
    return Table.of(["collection", "number"], rows, value=value)


def language_table(languages: Languages) -> Table:
    """A line a language of queries, and of passages."""
    rows = [
        [role, language, round(share, 2)]
        for role, shares in asdict(languages).items()
        for language, share in shares.items()
    ]
    notes = (languages.note,) if languages.note else ()
    value = asdict(languages)
    return Table.of(["texts", "language", "share"], rows, "", notes, value)


def setup_table(setup: Setup) -> Table:
    """Make a table of the settings of a workspace."""
    guidelines, request = setup.guidelines, setup.generation
    relevance = setup.min_relevance
    rows: dict[str, Cell] = {
        "title": setup.title or None,
        "guidelines": None if guidelines is None else f"{len(guidelines):,} characters",
        "blind": "yes" if setup.blind else "no",
        "min-relevance": None if relevance is None else str(relevance),
        "human-first": _writes_first(setup.human_first) if setup.human_first else "no",
        "model": (request and request.model) or None,
    }
    value = asdict(setup) | {"generation": None}
    if request is not None:
        rows["temperature"] = request.parameters["temperature"]
        rows |= {"prompt": request.prompt_name, "count": str(request.count)}
        at = {"endpoint": request.endpoint} if request.endpoint else {}
        rows |= at
        generation = record(request, "model", "temperature") | at
        generation |= {"prompt": request.prompt_name, "count": request.count}
        prompt = request.prompt
        if prompt is not None and prompt.is_custom:
            generation |= {"template": prompt.template, "asks_for": prompt.kind}
        value["generation"] = generation
    return Table.of(["setting", "value"], list(rows.items()), value=value)


def _writes_first(number: int) -> str:
    return f"judges write {counted(number, 'question')} before they see proposals"
