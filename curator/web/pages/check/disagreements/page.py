"""Disagreements: where judges differ, both sides, and a key that decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st
from markupsafe import Markup

from curator.edit_words import RETIRE
from curator.formats.templates import macro
from curator.tables.adjudication import AROUND, BESIDE, adjudication_tables
from curator.verbs.adjudication.differences import KINDS, Adjudication, Difference
from curator.web.components import session, shell
from curator.web.components.background_status import drawing, model_status
from curator.web.components.html import table_html
from curator.web.components.shell import around, choice_html, framed
from curator.web.pages.check.disagreements.decisions import REASON, name_of
from curator.web.pages.settings.first_screen import no_collection
from curator.workspace import Workspace

TEMPLATE = "check/disagreements/adjudication.html"
SEEN = "Disagreements tab; both sides with reasons, names only where asked for"
KIND_WORDS = {
    "question": f"kept or {RETIRE.past}",
    "wording": "words",
    "vote": "importance",
    "check": "does the passage answer",
    "grade": "how relevant the passage is",
    "verdict": "is the answer right",
}
SHOWN = {"open": "open", "decided": "decided too"}
ABOUT = {
    AROUND: ("Before and after", "the first decision and the last; kept as it was"),
    BESIDE: ("Beside the decisions", "of the disputed ones alone"),
}
MOST = 200  # differences in the list


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """A difference in the list: its id, what it is about, and how it stands."""

    number: str
    found: Difference
    selected: bool


def page() -> None:
    """Places where judges differ in the middle, how far they agree at the right."""
    framed("Disagreements", draw)
    session.write_url()


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """All four parts of the page, the difference to decide first."""
    drawing(workspace)
    if not workspace.collection().queries:
        no_collection(columns, workspace)
        return
    now, view = session.current(), session.view()
    now.seen = SEEN
    kind = now.differences_of if now.differences_of in KINDS else None
    every = workspace.adjudication(decided=True)
    listed = [
        one
        for one in every.differences
        if kind in (None, one.place.kind)
        and (now.decided_too or not one.decided)
        and view.within in (None, one.place.query_id)
    ]
    may = workspace.standing().can_call("decide")
    selected = selected_of(listed, now.difference)
    names = {one.query_id: one.name for one in workspace.collection().queries}
    with columns.middle:
        shell.title("Disagreements", "decide what holds where judges differ")
        shell.notes()
        if may:
            write_reason(selected)  # above the list, which can be long
        elif listed:
            shell.note("The organizer decides; you see what you may see anyway.")
        if listed:
            rows = [
                DifferenceRow(name_of(one), one, one is selected)
                for one in listed[:MOST]
            ]
            drawn = macro(TEMPLATE, "differences")
            taken = now.decided_event is not None
            st.html(
                drawn(
                    rows,
                    names,
                    KIND_WORDS,
                    passage_of(workspace, selected),
                    may,
                    now.who_said,
                    taken,
                    len(listed) - len(rows),
                )
            )
        else:
            nothing(every)
    options: dict[str, str] = {"": "everything", **KIND_WORDS}
    shown = "decided" if now.decided_too else "open"
    around(
        workspace,
        columns,
        choice_html("Differ in", "differences", options, kind or ""),
        choice_html("Show", "decisions", SHOWN, shown),
    )
    with columns.left:
        with st.container(key="query_rows"):
            st.html(queries_html(every, names, view.within))
        decided = sum(one.decided for one in every.differences)
        total = len(every.differences)
        with st.container(key="query_progress"):
            share = f"{100 * decided / (total or 1):.1f}"
            st.html(macro(TEMPLATE, "progress")(decided, total, share))
    if any(kind.items for kind in every.agreement):
        with columns.right:
            st.html(agreement_html(every, now.who_said))


def place_of(one: Difference) -> str:
    """Names the place alone, whoever says what there by now."""
    return f"{one.place.query_id}/{one.place.key}"


def selected_of(listed: Sequence[Difference], wanted: str | None) -> Difference | None:
    """The one wanted if it is listed, else the first that is open, else the first."""
    open_ones = [one for one in listed if not one.decided]
    named = (one for one in listed if wanted in (name_of(one), place_of(one)))
    return next(named, None) or next(iter([*open_ones, *listed]), None)


def write_reason(selected: Difference | None) -> None:
    """A field for why it is decided so, and what was typed of other differences."""
    place = selected.place if selected else None
    on = place_of(selected) if selected else None
    REASON.draw(
        page="Disagreements",
        label="Reason",
        placeholder="Reason, kept with the decision (not needed)",
        on=on,
        title=place.title if place else "",
        pick=f"difference:{on or ''}",
    )


def passage_of(workspace: Workspace, one: Difference | None) -> str:
    """The text of the passage that is at stake, "" where none is."""
    if one is None or one.place.passage_id is None:
        return ""
    texts = workspace.passage_texts([one.place.passage_id])
    return texts.get(one.place.passage_id) or ""


def queries_html(
    every: Adjudication, names: Mapping[str, str], within: str | None
) -> Markup:
    """The queries with something open, and how many."""
    counts = dict.fromkeys(names, 0)
    for one in every.differences:
        counts[one.place.query_id] += not one.decided
    some = [(q, names[q], count) for q, count in counts.items() if count]
    return macro(TEMPLATE, "queries")(some, within)


def agreement_html(every: Adjudication, names: bool) -> Markup:
    """Agreement of the judges, and of each with the decisions."""
    _, agreement, *more = adjudication_tables(every, names=names)
    found = table_html(agreement, "Agreement", "of the judges alone, as they say now")
    notes = [f"{one.kind}: {one.note}" for one in every.agreement if one.note]
    found += macro(TEMPLATE, "notes")(notes)
    for one in more:
        found += table_html(one, *ABOUT[one.caption])
    return found


def nothing(every: Adjudication) -> None:
    """Why nothing is listed, and what to do."""
    if every.differences:
        shell.empty(
            "Nothing is open here",
            "Everything on which judges differ is decided, or left out by what is "
            "chosen above.",
        )
        return
    shell.empty(
        "Judges do not differ",
        "As soon as two judges say different things of a question, its words or its "
        "importance, of a passage or an answer, both sides are here.",
        ("Vote on questions", "goto:Votes"),
    )


page()
model_status()
