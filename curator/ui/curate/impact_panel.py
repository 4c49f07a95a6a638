"""The right column: what the edit did, at a glance, and which grades are missing.

One element of HTML and one control, whatever there is to show: an element more costs a
click some milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import streamlit as st

from curator.ui.curate import impact_words
from curator.ui.curate.changed_passages import changed_html
from curator.ui.curate.impact_words import SCOPES, Scope
from curator.ui.curate.page_state import (
    EMBEDDING,
    Compared,
    PageState,
    shown_impact,
    whole,
)
from curator.ui.curate.slope import slope_html
from curator.ui.curate.small_board import board_html
from curator.ui.shared import board_rows, html, session, words
from curator.ui.shared.board_rows import comparable
from curator.ui.shared.settings import settings_words
from curator.ui.shared.words import Sentence
from curator.verbs.grading.jobs import Job
from curator.verbs.setup.status import GraderState

STAND_IN = "embedding"
BESIDE = "Beside this page, over every query"
PAID = "On the Grading page: what it would take, before anything is asked"


@dataclass(frozen=True, slots=True)
class Lack:
    """A sentence; what can be done about it, and what the page sends then."""

    text: str
    act: str = ""
    pick: str = ""
    title: str = ""


def imported_lacks(label: str, *, stands_in: bool, everywhere: bool) -> Lack:
    """That an imported grader cannot grade what is missing, and who can."""
    said = f"{label} cannot grade new text here.{_ranks(stands_in)}"
    if everywhere:
        return Lack(said)
    return Lack(said, f"Grade with {STAND_IN}", f"grade:{STAND_IN}", BESIDE)


def grader_lacks(
    grader: GraderState,
    label: str,
    *,
    job: Job | None,
    starting: bool,
    refused: str,
    edited: bool,
    stands_in: bool,
) -> Lack | None:
    """What a grader that can grade here lacks; None for one of vectors, which has it
    in a moment.

    ``job`` is its latest; ``edited`` says that something was written since what the
    board is compared with.
    """
    if grader.computed:
        return None
    ranks, what = _ranks(stands_in), " the new text" if edited else ""
    if not grader.unasked:
        return _asked_in_vain(grader, label, ranks)
    if job is not None and job.state == "running":
        return Lack(f"{label} is grading{what}: {_share(job)}.{ranks}")
    if starting:
        return Lack(f"{label} begins to grade{what}.{ranks}")
    if job is not None and job.state != "done":
        return _halted(job, label, ranks)
    act, title = (f"Grade with {label}", f"grade:{grader.name}"), BESIDE
    if grader.paid:
        act, title = (f"Count for {label}", f"count:{grader.name}"), PAID
    if refused:
        return Lack(f"{refused}{ranks}", *act, title)
    missing = words.missing_grades(grader.unasked)
    vain = f", {grader.unreadable:,} more unreadable" if grader.unreadable else ""
    return Lack(f"{missing} under {label}{vain}.{ranks}", *act, title)


def _asked_in_vain(grader: GraderState, label: str, ranks: str) -> Lack:
    if not grader.unreadable:
        said = f"{label} has not graded the text before, so nothing is compared."
        return Lack(f"{said}{ranks}")
    many = words.count(grader.unreadable, "response")
    state = "states" if grader.unreadable == 1 else "state"
    return Lack(
        f"{many} of {label} {state} no rating.{ranks}",
        "See them",
        f"unreadable:{grader.name}",
        "On the Grading page",
    )


def _halted(job: Job, label: str, ranks: str) -> Lack:
    """A job that waits for somebody's word."""
    how = {"paused": "is paused", "failed": "failed"}.get(job.state, "was stopped")
    why = f" {job.error}" if job.error else ""
    return Lack(
        f"{label} {how} at {_share(job)} grades.{why}{ranks}",
        "Resume",
        f"resume:{job.job_id}",
        "Goes on with what is still missing",
    )


def _share(job: Job) -> str:
    return f"{job.done:,} of {job.total:,}"


def _ranks(stands_in: bool) -> str:
    return f" Ranks by {STAND_IN}." if stands_in else ""


__all__ = ["board_html", "impact_panel", "sentence_html"]

# What the column compares, and since when nothing may have changed.
BASELINES = {
    "edit": "before my last edit",
    "session": "start of session",
    "import": "as imported",
}
SINCE = {
    "edit": "my last edit here",
    "session": "the session began",
    "import": "the import",
}
SCOPE = "scope"  # the key of the control
ROWS = 10  # of a board, while changed passages want to be seen too


def impact_panel(page: PageState, texts: Mapping[str, str], opened: str | None) -> None:
    """Sentence, plot, boards, changed passages; ``opened`` is the one in the reader."""
    if page.selected is None or page.settings is None:
        return
    rests_on = board_rows.rests_on(page.selected.board)
    page = without_half_a_board(page)
    scope = scope_control(page)
    if page.solo is not None:
        st.html(solo_html(page, page.solo))
        return
    st.html(
        heading_html("Impact", _compares(page))
        + lack_html(page)
        + sentence_html(_sentence(page), rests_on)
        + boards_html(page, scope)
        + changed_html(page, texts, opened)
    )


def without_half_a_board(page: PageState) -> PageState:
    """The page without ``embedding`` while that is still reading the new text.

    What stands in for the selected grader is shown once it is whole.
    """
    if page.embedding is None or whole(page.embedding):
        return page
    return replace(page, embedding=None, embedding_here=None)


def lack_html(page: PageState) -> str:
    """What the selected grader lacks, and what can be done about it."""
    assert page.selected is not None
    if page.grader is None or whole(page.selected):
        return ""
    found = lack(page, page.grader)
    if found is None:
        return ""
    act = (
        f'<button type="button" data-pick="{html.text(found.pick)}" '
        f'title="{found.title}">{html.text(found.act)}</button>'
        if found.act
        else ""
    )
    return f'<div class="c-cannot"><p>{html.text(found.text)}</p>{act}</div>'


def lack(page: PageState, grader: GraderState) -> Lack | None:
    """What there is to say of missing grades, None for nothing."""
    label, stands_in = page.labels[grader.name], page.embedding is not None
    if not grader.can_grade:
        everywhere = page.embedding is not None and page.embedding.all_queries
        return imported_lacks(label, stands_in=stands_in, everywhere=everywhere)
    return grader_lacks(
        grader,
        label,
        job=page.job,
        starting=session.starting(grader.name),
        refused=refused(page, grader.name),
        edited=bool(page.edits),
        stands_in=stands_in,
    )


def refused(page: PageState, grader: str) -> str:
    """Why the grading that this session asked for did not begin, or ""."""
    begun = session.current().begun
    if begun is None or begun.grader != grader:
        return ""
    result = session.service().result(begun)
    return result.line if result else ""


def scope_control(page: PageState) -> Scope:
    """This query or all queries; first in the column, so that nothing ever moves it.

    The judge's own choice holds in this query until the next edit; then it opens on
    what has something to show.
    """
    only = only_scope(page)
    about = (page.query.query_id, page.baselines.last_edit)
    kept = session.current().scope
    if only is not None:
        wanted = only
    elif kept is not None and kept[0] == about:
        wanted = kept[1]
    else:
        all_queries = page.embedding or page.selected
        here = page.embedding_here if page.embedding else page.here
        wanted = impact_words.opening_scope(
            all_queries.impact if all_queries else None, here.impact if here else None
        )
    st.session_state[SCOPE] = wanted
    st.segmented_control(
        "Ranks over",
        list(SCOPES),
        key=SCOPE,
        format_func=SCOPES.__getitem__,
        required=True,
        disabled=only is not None,
        on_change=_chosen,
        args=(about,),
        label_visibility="collapsed",
    )
    return wanted


def only_scope(page: PageState) -> Scope | None:
    """The one scope there is something to show of; None where both have something."""
    if page.solo is not None:
        return "here"
    if page.embedding is not None and not page.embedding.all_queries:
        return "here"
    if page.here is None or not page.here.board.standings:
        return "all"
    return None


def _chosen(about: object) -> None:
    session.current().scope = (about, st.session_state[SCOPE])


def boards_html(page: PageState, scope: Scope) -> str:
    """The plot of what moved and the boards it is read off, in this scope."""
    selected = page.here if scope == "here" else page.selected
    embedding = page.embedding_here if scope == "here" else page.embedding
    assert selected is not None
    assert page.settings is not None
    shown = embedding or selected
    changed = shown_impact(page)
    wanted_below = embedding is not None or (changed is not None and changed.labels)
    folded = ROWS if wanted_below else None
    where = " · this query" if scope == "here" else ""
    parts = []
    if shown.impact is not None and comparable(shown.impact):
        parts.append(slope_html(shown.impact))
    if embedding is not None:
        about = f"against its own earlier board{where}"
        if not embedding.board.complete:
            missing = embedding.board.needed - embedding.board.known
            about = f"bounds, {words.missing_grades(missing)}{where}"
        parts.append(board_html(EMBEDDING, about, embedding, ROWS))
    if selected.board.standings:
        missing = selected.board.needed - selected.board.known
        about = _moved(selected) or settings_words(page.settings, page.graders)
        if missing:
            about = f"bounds, {words.missing_grades(missing)}"
        grader = page.labels[page.settings.grader]
        heading = "Board" if embedding is None else grader
        parts.append(board_html(heading, f"{about}{where}", selected, folded))
    notes = dict.fromkeys(selected.board.notes)
    return "".join(parts) + "".join(map(note_html, notes))


def solo_html(page: PageState, solo: Compared) -> str:
    """The query's board under one question alone, its moves dashed."""
    assert solo.impact is not None
    question = next(
        line.question
        for line in page.lines
        if line.question.question_id == session.view().question
    )
    parts = [
        heading_html("This question alone", "all kept → this one"),
        sentence_html(
            impact_words.solo_sentence(solo.impact, question),
            f"this query only · {words.count(len(solo.board.standings), 'system')}",
        ),
    ]
    if comparable(solo.impact):
        parts.append(slope_html(solo.impact, solo=True))
    if solo.board.standings:
        parts.append(board_html("Board", _moved(solo), solo))
    return "".join(parts)


def _sentence(page: PageState) -> Sentence:
    assert page.selected is not None
    against = SINCE[session.view().against]
    official = page.collection.official
    if page.selected.impact is None:
        counts = page.here is not None and bool(page.here.board.queries)
        asked = any(line.influence is not None for line in page.lines)
        return impact_words.nothing_compared(
            page.selected.board,
            queries=len(page.collection.queries),
            kept_here=counts or asked,
            left_out=asked and not counts,
        )
    told, here = page.selected, page.here
    if page.embedding is not None and page.embedding.impact is not None:
        told, here = page.embedding, page.embedding_here
    assert told.impact is not None
    return impact_words.impact_sentence(
        told.impact,
        page.edits,
        official,
        against=against,
        all_queries=told.all_queries,
        moved_here=len(here.impact.movers) if here and here.impact else 0,
    )


def _compares(page: PageState) -> str:
    if shown_impact(page) is None:
        return "nothing to compare"
    return f"{BASELINES[session.view().against]} → now"


def _moved(compared: Compared) -> str:
    if compared.impact is None or not comparable(compared.impact):
        return ""
    moved = len(compared.impact.movers)
    return f"{moved} moved, {len(compared.impact.moves) - moved} did not"


def heading_html(heading: str, about: str) -> str:
    """What the column is about, on the control's line."""
    return (
        f'<div class="c-column"><b>{html.text(heading)}</b>'
        f"<span>{html.text(about)}</span></div>"
    )


def sentence_html(said: Sentence, rests_on: str) -> str:
    """The sentence, and what it rests on in small."""
    unbroken = html.sentence(said).replace(" → ", "\u00a0→\u00a0")
    return (
        f'<div class="c-impact" role="status" aria-live="polite">'
        f"<p>{unbroken}</p><small>{html.text(rests_on)}</small></div>"
    )


def note_html(note: str) -> str:
    """A sentence beneath a board: what it does not rest on."""
    return f'<p class="c-note">{html.text(note)}</p>'
