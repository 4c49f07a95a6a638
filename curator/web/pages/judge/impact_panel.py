"""The impact of edits: a line at the bottom, boards in the drawer, missing grades.

Each part is one element of HTML, because every element costs a click milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st

from curator.evaluation.impact import Impact
from curator.formats.templates import macro
from curator.verbs.grading.jobs import Job
from curator.verbs.setup import GraderState
from curator.web.components import events, html, session, words
from curator.web.components.background_status import StatusLine
from curator.web.components.channel import pick
from curator.web.components.settings import settings_words
from curator.web.components.view import Scope
from curator.web.components.words import Sentence
from curator.web.pages.judge import impact_words
from curator.web.pages.judge.page_state import PageState
from curator.web.pages.judge.slope import slope_html
from curator.web.pages.judge.small_board import Compared, board_html, rests_on
from curator.web.pages.results.stability import stability

SCOPES: dict[Scope, str] = {"here": "this query", "all": "all queries"}
TEMPLATE = "judge/impact.html"
# What is compared, and the baseline.
BASELINES = {
    "edit": ("before my last edit → after it", "my last edit here"),
    "session": ("start of session → now", "the session began"),
    "import": ("as imported → now", "the import"),
}
SCOPE = "scope"  # the key of the control
ROWS = 10  # of a board while others are drawn with it


def missing_grades(
    grader: GraderState,
    label: str,
    *,
    job: Job | None,
    starting: bool,
    refused: str,
    instant: str,
    offers_instant: bool,
    is_replaced: bool,
    ungraded: int = 0,
) -> StatusLine | None:
    """Return what a grader lacks and an action; None for one that computes at once.

    ``job`` is its latest; ``offers_instant`` if ``instant`` can grade in its place,
    ``is_replaced`` True if the boards of ``instant`` are displayed; ``ungraded`` counts
    questions of other queries without grades.
    """
    if grader.computed:
        return None
    share = f"{job.done:,} of {job.total:,}" if job else ""
    action = ("", "")
    missing = words.missing_grades(grader.unasked)
    if grader.by_people:
        text = f"{missing}: what nobody has judged is unknown."
    elif not grader.can_grade:
        text = f"{label} cannot grade new text here."
        action = ("Grade with …", pick(events.go_to, "Grading"))
        if offers_instant:
            action = (f"Grade with {instant}", pick(events.grade, instant))
    elif not grader.unasked and grader.unreadable:
        text = (
            f"{words.count(grader.unreadable, 'response')} of {label} without a rating."
        )
        action = ("See them", pick(events.show_unreadable, grader.name))
    elif not grader.unasked:
        text = f"{label} has not graded the text before, so nothing is compared."
    elif starting or (job is not None and job.state == "running"):
        text = f"{label} is grading{f': {share}' if share and not starting else ''}."
    elif job is not None and job.state != "done":
        why = f" {job.error}" if job.error else ""
        text = f"{label} {job.state} at {share} grades.{why}"
        action = ("Resume", pick(events.resume, job.job_id))
    else:
        text = refused or f"{missing} under {label}."
        action = (f"Grade with {label}", pick(events.grade, grader.name))
        if grader.paid:
            action = (f"Count for {label}", pick(events.count, grader.name))
    if is_replaced:
        text += f" Questions, passages and ranks of this query are by {instant}."
    elif ungraded:
        text += " Ranks are ranges; moves count what it has graded."
    return StatusLine(text, *action)


def impact_panel(page: PageState) -> None:
    """Draw the drawer: sentence, plot, boards, changed labels and stability."""
    if page.boards is None or page.settings is None:
        return
    scope = scope_control(page)
    if page.solo is not None:
        st.html("".join(solo_parts(page, page.solo)))
        return
    compared = BASELINES[session.view().against][0] if page.impact else ""
    st.html(
        "".join(
            [
                macro(TEMPLATE, "column")("Impact", compared or "nothing to compare"),
                missing_html(page),
                done_html(page, page.boards.overall),
                *board_parts(page, scope),
                changed_html(page),
                stability.panel_html(page.stability, page.query.query_id, page.by),
            ]
        )
    )


def impact_bar(page: PageState) -> None:
    """Draw the line at the bottom: sentence, slope plot, missing grades."""
    if page.boards is None or page.selected is None:
        return
    is_here = session.view().scope == "here"
    compared = page.selected.here if is_here else page.boards.overall
    impact = compared.complete_impact
    plot = slope_html(impact) if impact and impact.movers else ""
    done, missing = done_html(page, page.boards.overall), missing_html(page)
    st.html(macro(TEMPLATE, "bar")(plot, done, missing, session.view().board))


def done_html(page: PageState, compared: Compared) -> str:
    """Draw the edits' effect, later edits by others, and the basis of the board."""
    grader = compared.board.settings.grader
    basis = rests_on(compared.board, words.noun_under(page.bank, page.graders, grader))
    later = impact_words.later_words(page.later)
    return sentence_html(impact_sentence(page), basis, later)


def missing_html(page: PageState) -> str:
    """Draw what the selected grader lacks, with an action."""
    grader, selected = page.grader, page.selected
    if grader is None or selected is None:
        return ""
    complete = selected.here.is_complete
    if complete and not page.ungraded:
        return ""
    instant = next((g for g in page.graders if g.name == page.instant), None)
    instant_complete = instant is not None and instant.known == instant.needed
    begun = session.current().begun
    is_begun = begun is not None and begun.grader == grader.name
    result = session.service().result(begun) if is_begun else None
    notice = missing_grades(
        grader,
        page.labels[grader.name],
        job=page.job,
        starting=session.starting(grader.name),
        refused=result.line if result else "",
        instant=page.instant,
        offers_instant=page.instant_reads and not instant_complete,
        is_replaced=page.fallback is not None,
        ungraded=page.ungraded,
    )
    may = not session.why_not("start_job")
    return macro(TEMPLATE, "missing")(notice, may, complete) if notice else ""


def scope_control(page: PageState) -> Scope:
    """Draw the choice of this query or all queries; it is first, so it never moves."""
    scope = session.view().scope
    st.session_state[SCOPE] = scope
    st.segmented_control(
        "Ranks over",
        list(SCOPES),
        key=SCOPE,
        format_func=SCOPES.__getitem__,
        required=True,
        disabled=page.solo is not None,  # which is of this query alone
        on_change=choose_scope,
        label_visibility="collapsed",
    )
    return scope


def choose_scope() -> None:
    """Remember the scope that was chosen."""
    session.look(scope=st.session_state[SCOPE])


def board_parts(page: PageState, scope: Scope) -> Iterator[str]:
    """Yield the slope plot and the boards of this scope."""
    assert page.selected is not None
    assert page.boards is not None
    selected, displayed = page.selected.overall, page.boards.overall
    if scope == "here":
        selected, displayed = page.selected.here, page.boards.here
    if displayed.complete_impact:
        yield slope_html(displayed.complete_impact)
    where = " · this query" if scope == "here" else ""
    if page.fallback:
        about = _bounds(displayed) or "against its own earlier board"
        only = where if displayed.all_queries else " · this query"
        yield board_html(page.instant, f"{about}{only}", displayed, ROWS)
    settings = page.selected.settings
    if selected.board.standings:
        about = _bounds(selected) or _moved(selected)
        about = about or settings_words(settings, page.graders)
        heading = page.labels[settings.grader] if page.fallback else "Board"
        changed = page.impact is not None and page.impact.labels
        rows = ROWS if page.fallback or changed else None
        yield board_html(heading, f"{about}{where}", selected, rows)
    for note in dict.fromkeys(selected.board.notes):
        yield macro(TEMPLATE, "note")(html.coded(note))


def solo_parts(page: PageState, solo: Compared) -> Iterator[str]:
    """Yield the query's board under one question alone, its moves dashed."""
    assert solo.impact is not None
    question = page.bank.question(session.view().question or "")
    yield macro(TEMPLATE, "column")("This question alone", "all kept → this one")
    by = f" · by {page.by}" if page.by else ""
    basis = f"this query only · {words.count(len(solo.board.standings), 'system')}{by}"
    yield sentence_html(impact_words.solo_sentence(solo.impact, question), basis)
    if solo.complete_impact is not None:
        yield slope_html(solo.impact, solo=True)
    if solo.board.standings:
        yield board_html("Board", _moved(solo), solo)


def impact_sentence(page: PageState) -> Sentence:
    """Return the effect of the edits, or the board's basis without a baseline."""
    assert page.selected is not None
    assert page.boards is not None
    if page.impact is None:
        return impact_words.nothing_compared(
            page.selected.overall.board,
            queries=len(page.collection.queries),
            counts=bool(page.selected.here.board.queries),
        )
    return impact_words.impact_sentence(
        page.impact,
        page.edits,
        page.collection.official if page.boards.overall.all_queries else {},
        against=BASELINES[session.view().against][1],
        by=page.by,
    )


def _bounds(compared: Compared) -> str:
    missing = compared.board.needed - compared.board.known
    bounded = all(row.upper is not None for row in compared.board.standings)
    what = "bounds" if bounded else "provisional"
    return f"{what}, {words.missing_grades(missing)}" if missing else ""


def _moved(compared: Compared) -> str:
    impact = compared.complete_impact
    if impact is None:
        return ""
    moved = len(impact.movers)
    later = f" · later edits moved {n}" if (n := compared.moved_since) else ""
    return f"{moved} moved, {len(impact.moves) - moved} did not{later}"


def sentence_html(parts: Sentence, rests_on: str, later: str = "") -> str:
    """Draw the sentence, what others did later, and the basis of the board."""
    unbroken = html.sentence(parts).replace(" → ", "\u00a0→\u00a0")
    return macro(TEMPLATE, "sentence")(unbroken, rests_on, later)


def changed_html(page: PageState) -> str:
    """Draw how many labels of this query changed; nothing for none."""
    impact = page.impact
    if impact is None or not impact.labels:
        return ""
    summary = "known once the missing grades are"
    if impact.complete:
        summary = changed_summary(page, impact)
    return macro(TEMPLATE, "changed")(len(page.changed), summary)


def changed_summary(page: PageState, impact: Impact) -> str:
    """Return ``56 of 62 fall below 4: 33 judged non-relevant``."""
    assert page.settings is not None
    labels, minimum = page.changed, page.settings.relevant_from()
    fell = [
        label.passage_id
        for label in labels
        if label.before is not None and label.before >= minimum > (label.after or 0)
    ]
    parts = [f"{len(fell)} of {len(labels)} fall below {minimum}"] if labels else []
    relevant_from = page.collection.min_relevance
    if fell and relevant_from is not None:
        wrong = sum(
            page.judgments.get(passage_id, relevant_from) < relevant_from
            for passage_id in fell
        )
        parts[0] += f": {wrong} judged non-relevant"
    if elsewhere := len(impact.listed) - len(labels):
        parts.append(f"{elsewhere} in other queries")
    if shifted := len(impact.labels) - len(impact.listed):
        parts.append(f"{shifted} more shift, without a rank or the threshold")
    return " · ".join(parts)
