"""Tables of requests for proposals and of decisions on proposals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curator.results import to_json
from curator.tables.grading import DOLLARS, TOKENS, restricted_words
from curator.tables.table import Table, columns

if TYPE_CHECKING:
    from curator.verbs.proposals.request import GenerateSummary


def generated_table(summary: GenerateSummary) -> Table:
    """Make a table of a request for proposals; of a dry run, with all prompts."""
    layout = [*columns("model prompts=asked"), *TOKENS]
    if not summary.dry_run:
        layout += columns("proposed repeated unreadable")
    if summary.dollars is not None:
        layout.append(DOLLARS)
    value = to_json(summary)
    return Table(layout, [summary], _prompts(summary), _notes(summary), value)


def _prompts(summary: GenerateSummary) -> str:
    """Every prompt in full, a line above each that says what it is about."""
    parts = []
    for row in summary.texts:
        about = [f"query {row.query_id}"]
        if row.subtopic_id is not None:
            about.append(f"subtopic {row.subtopic_id}")
        if row.passage_id is not None:
            about.append(f"passage {row.passage_id}")
        parts.append(f"--- {', '.join(about)}, prompt {row.prompt}\n{row.text}\n")
    return "\n".join(parts)


def _notes(summary: GenerateSummary) -> list[str]:
    nothing = "no query has what the prompt asks about"
    if summary.covered_by:
        nothing = "kept questions cover every passage"
    answered = summary.asked or summary.had or summary.elsewhere
    notes = {
        f"No kept question covers these passages, by grades of {summary.covered_by}, "
        "or of a vector grader where they are missing.": summary.covered_by,
        f"Nothing to ask: {nothing}.": not answered,
        f"{summary.had:,} were sent before; --again sends them again.": summary.had,
        f"{summary.elsewhere:,} are being sent by another process.": summary.elsewhere,
        f"{summary.without_title:,} queries are known by their id only and are left "
        "out; import their texts.": summary.without_title,
        restricted_words(summary.restricted): summary.restricted,
        f"Answers that broke off in the middle of their list: {summary.cut:,}; their "
        "complete questions are proposed.": summary.cut,
        f"Texts beyond twice the number asked for: {summary.left_out:,}; they are not "
        "proposed, but shown under Proposals on Judge.": summary.left_out,
        "Stopped: the remaining prompts were not sent.": summary.stopped,
        f"Responses without a list: {summary.unreadable:,}{_reasons(summary)}; read "
        "them, or ask again, under Proposals on Judge.": (summary.unreadable),
        f"The prompts would be sent to {summary.host}.": (
            summary.host and summary.dry_run
        ),
        "Dry run: nothing was sent. Tokens are estimated at four bytes each.": (
            summary.dry_run
        ),
    }
    return [note for note, holds in notes.items() if holds]


def _reasons(summary: GenerateSummary) -> str:
    """Name the first reason, and how many others there are."""
    if not summary.faults:
        return ""
    more = len(summary.faults) - 1
    return f" ({summary.faults[0]}{f', and {more:,} other reasons' if more else ''})"
