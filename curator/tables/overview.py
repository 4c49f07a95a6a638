"""A bank as its organizer wants to see it: queries, judges, graders, what next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from curator.formats.text.notices import counted
from curator.tables.forms import percent
from curator.tables.next import next_table
from curator.tables.settings import (
    RULES,
    label_words,
    measure_words,
    settings_json,
)
from curator.tables.table import Column, Table, record

if TYPE_CHECKING:
    from curator.verbs.overview.overview import (
        GraderEvidence,
        JudgeActivity,
        Overview,
        QueryProgress,
        ReleaseChanges,
    )


def overview_tables(overview: Overview) -> list[Table]:
    """Queries, then judges, graders, the latest release, and what to do next.

    What is not there has no table; the first one's value is all of it.
    """
    tables = [queries_table(overview)]
    if overview.judges:
        tables.append(activity_table(overview.judges))
    if overview.graders:
        tables.append(evidence_table(overview.graders))
    if overview.since is not None:
        tables.append(release_changes_table(overview.since))
    if overview.steps:
        tables.append(next_table(overview.steps))
    return tables


def queries_table(overview: Overview) -> Table:
    """A line per query: its state, its questions, who worked on it, what it needs."""
    columns = [
        *(Column("query", "query_id"), Column("title", "name"), Column("state")),
        *(Column("kept"), Column("proposed"), Column("retired"), Column("edits")),
        Column("edited", _day("edited")),
        Column("done by", lambda one: ", ".join(one.done_by)),
        *(Column("steps"), Column("need")),
    ]
    states = overview.states.items()
    caption = f"{counted(len(overview.queries), 'query', 'queries')}: " + ", ".join(
        f"{number:,} {state}" for state, number in states if number
    )
    since = overview.since
    value = {
        "settings": settings_json(overview.settings) if overview.settings else None,
        "states": overview.states,
        "queries": [_query(one) for one in overview.queries],
        "judges": [_judge(one) for one in overview.judges],
        "graders": [_grader(one) for one in overview.graders],
        "since_release": None if since is None else asdict(since),
        "next": next_table(overview.steps).value,
    }
    return Table(columns, overview.queries, caption, value=value)


def activity_table(judges: Sequence[JudgeActivity]) -> Table:
    """A line per judge: edits, time for one, decisions, when they were last here."""
    columns = [
        *(Column("judge"), Column("edits")),
        Column(
            "s an edit",
            "seconds",
            title="s an edit",
            digits=1,
            help="Median of those measured",
        ),
        Column("timed", only=("file",)),
        Column("proposals decided", "decided", title="Decided", help="Proposals"),
        Column("queries done", "done", title="Done", help="Queries marked done"),
        Column("last seen", _day("last_saved"), help="UTC"),
    ]
    return Table(columns, judges, "Judges, with the work of theirs that was not undone")


def evidence_table(
    graders: Sequence[GraderEvidence],
    labels: Mapping[str, str] | None = None,
    current: str = "",
) -> Table:
    """A line per grader: grades known, and how well it agrees with what people say.

    ``labels`` are the names on pages; the row of the ``current`` grader is marked.
    """
    labels = labels or {}
    columns = [
        Column(
            "grader", "name", page=lambda grader: labels.get(grader.name, grader.name)
        ),
        Column("known", title="Grades", page=_share_known),
        Column("needed", only=("file",)),
        Column(
            "kappa",
            title="κ",
            help="Cohen's kappa of relevant passages with the judgments",
        ),
        Column("kappa of", kappa_words, missing="", only=("file",)),
        Column(
            "auc",
            title="AUC",
            help="How often a relevant passage has a higher label than another",
        ),
        Column("judged", only=("file",)),
        Column(
            "tau",
            title="τ",
            help="Kendall's tau with the official ranks, or the judgments' board",
        ),
        Column("tau of", format_tau, missing="", only=("file",)),
        Column("against", missing="", only=("file",)),
        Column("checks", "certificate.sentence", missing="", page=_certified),
    ]
    caption = "Graders, compared with judgments, ranks and checks"
    return Table(
        columns, graders, caption, current=lambda grader: grader.name == current
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


def release_changes_table(since: ReleaseChanges) -> Table:
    """Make a table of the number of changes since the latest release."""
    columns = [
        Column("since release", "name", only=("file",)),
        *(Column("added"), Column("reworded"), Column("removed")),
        *(Column("labels"), Column("systems moved", "moved")),
        Column("note", page=lambda since: since.note),
    ]
    return Table(columns, [since])


def _day(name: str) -> Any:
    """The minute of a time, as people read it."""
    return lambda one: (getattr(one, name) or "")[:16].replace("T", " ") or None


def _query(one: QueryProgress) -> dict[str, Any]:
    words = record(one, "query_id", "name", "state", "kept", "proposed", "retired")
    return words | record(one, "edits", "edited", "done_by", "steps", "need")


def _judge(judge: JudgeActivity) -> dict[str, Any]:
    values = asdict(judge)
    return values | {"seen": values.pop("last_saved")}


def _grader(one: GraderEvidence) -> dict[str, Any]:
    words = record(one, "name", "kind", "known", "needed", "kappa", "auc", "judged")
    found = one.certificate.sentence if one.certificate else None
    under = {
        name: settings_json(settings) if settings else None
        for name, settings in (
            ("kappa_settings", one.kappa_settings),
            ("tau_settings", one.tau_settings),
        )
    }
    return words | record(one, "tau", "against") | under | {"certificate": found}
