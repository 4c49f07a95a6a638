"""The right column: what the edit did, at a glance, and which grades are missing.

One element of HTML and one control, whatever there is to show: an element more costs a
click some milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import streamlit as st

from curator.evaluation.impact import Impact
from curator.formats.templates import macro
from curator.verbs.grading.jobs import Job
from curator.verbs.setup.status import GraderState
from curator.web.components import events, html, session, words
from curator.web.components.channel import pick
from curator.web.components.settings import settings_words
from curator.web.components.view import Scope
from curator.web.components.words import Sentence
from curator.web.pages.judge import impact_words
from curator.web.pages.judge.page_state import PageState
from curator.web.pages.judge.slope import slope_html
from curator.web.pages.judge.small_board import Compared, board_html, rests_on
from curator.web.pages.results.stability import stability
from grading.registry import DEFAULT_GRADER

SCOPES: dict[Scope, str] = {"here": "this query", "all": "all queries"}
BESIDE = "Beside this page, over every query"
OTHERS = "Under Settings > Grading: every grader that can grade here"
PAID = "Under Settings > Grading: what it would take, before anything is asked"


TEMPLATE = "judge/impact.html"
# What the column compares, and since when nothing may have changed.
BASELINES = {
    "edit": ("before my last edit → after it", "my last edit here"),
    "session": ("start of session → now", "the session began"),
    "import": ("as imported → now", "the import"),
}
SCOPE = "scope"  # the key of the control
ROWS = 10  # of a board, while changed passages want to be seen too


@dataclass(frozen=True, slots=True)
class MissingGrades:
    """A sentence; what can be done about it, and what the page sends then."""

    text: str
    act: str = ""
    pick: str = ""
    title: str = ""


def missing_grades(
    grader: GraderState,
    label: str,
    *,
    job: Job | None,
    starting: bool,
    refused: str,
    edited: bool,
    stands_in: bool,
    everywhere: bool = False,
    ungraded: int = 0,
    instant: str = DEFAULT_GRADER,
) -> MissingGrades | None:
    """What a grader lacks; None for one of vectors, which has it in a moment.

    ``job`` is its latest; ``edited`` says that something was written since what the
    board is compared with, ``stands_in`` that all else is the ``instant`` one's,
    ``everywhere`` that it has graded all queries, ``ungraded`` how many questions of
    other queries lack grades.
    """
    if grader.computed:
        return None
    what = " the new text" if edited else ""
    share = f"{job.done:,} of {job.total:,}" if job else ""
    offer: tuple[str, ...] = ()
    if grader.by_people:
        missing = words.missing_grades(grader.unasked)
        text = f"{missing}: what nobody has judged is unknown."
    elif not grader.can_grade:
        text = f"{label} cannot grade new text here."
        if ungraded:
            new = words.count(ungraded, "question")
            text = f"{label} cannot grade {new} of other queries."
        offer = (f"Grade with {instant}", pick(events.grade, instant), BESIDE)
        if everywhere:
            offer = ("Grade with …", pick(events.go_to, "Grading"), OTHERS)
    elif not grader.unasked and grader.unreadable:
        many = words.count(grader.unreadable, "response")
        state = "states" if grader.unreadable == 1 else "state"
        text = f"{many} of {label} {state} no rating."
        offer = (
            "See them",
            pick(events.show_unreadable, grader.name),
            "Under Settings > Grading",
        )
    elif not grader.unasked:
        text = f"{label} has not graded the text before, so nothing is compared."
    elif job is not None and job.state == "running":
        text = f"{label} is grading{what}: {share}."
    elif starting:
        text = f"{label} begins to grade{what}."
    elif job is not None and job.state != "done":
        how = {"paused": "is paused", "failed": "failed"}.get(job.state, "was stopped")
        why = f" {job.error}" if job.error else ""
        text = f"{label} {how} at {share} grades.{why}"
        rest = "Goes on with what is still missing"
        offer = ("Resume", pick(events.resume, job.job_id), rest)
    else:
        vain = f", {grader.unreadable:,} more unreadable" if grader.unreadable else ""
        text = f"{words.missing_grades(grader.unasked)} under {label}{vain}."
        text = refused or text
        offer = (f"Grade with {label}", pick(events.grade, grader.name), BESIDE)
        if grader.paid:
            offer = (f"Count for {label}", pick(events.count, grader.name), PAID)
    if stands_in:
        text += f" Questions, passages and ranks of this query are by {instant}."
    elif ungraded:
        text += " Ranks are ranges; moves count what it has graded."
    return MissingGrades(text, *offer)


def impact_panel(page: PageState) -> None:
    """Draw sentence, plot, boards and the number of changed passages."""
    shown = page.shown
    if shown is None or page.settings is None:
        return
    scope = scope_control(page)
    if page.solo is not None:
        st.html("".join(solo_parts(page, page.solo)))
        return
    compared = BASELINES[session.view().against][0] if shown.impact else ""
    st.html(
        "".join(
            [
                macro(TEMPLATE, "column")("Impact", compared or "nothing to compare"),
                missing_html(page),
                done_html(page, shown),
                *board_parts(page, scope),
                changed_html(page),
                stability.panel_html(page.stability, page.query.query_id, page.by),
            ]
        )
    )


def impact_bar(page: PageState) -> None:
    """Draw what the last edit did in a line, with the plot of the ranks that moved."""
    if page.shown is None or page.settings is None:
        return
    scope = session.view().scope
    compared = page.here if scope == "here" else page.shown
    impact = compared and compared.moves_known
    plot = slope_html(impact) if impact and impact.movers else ""
    done, missing = done_html(page, page.shown), missing_html(page)
    st.html(macro(TEMPLATE, "bar")(plot, done, missing, session.view().board))


def done_html(page: PageState, compared: Compared) -> str:
    """Draw the edits' effect, later edits by others, and the basis of the board."""
    grader = compared.board.settings.grader
    basis = rests_on(compared.board, words.noun_under(page.bank, page.graders, grader))
    later = impact_words.later_words(page.later, page.edits)
    return sentence_html(impact_sentence(page), basis, later)


def missing_html(page: PageState) -> str:
    """What the selected grader lacks, and what can be done about it."""
    grader, here = page.grader, page.here
    if grader is None or here is None or (here.whole and not page.ungraded):
        return ""
    instant = next((one for one in page.graders if one.name == page.instant), None)
    begun = session.current().begun
    asked = begun is not None and begun.grader == grader.name
    result = session.service().result(begun) if asked else None
    notice = missing_grades(
        grader,
        page.labels[grader.name],
        job=page.job,
        starting=session.starting(grader.name),
        refused=result.line if result else "",
        edited=bool(page.edits),
        stands_in=page.stands_in,
        instant=page.instant,
        ungraded=page.ungraded,
        everywhere=(instant is not None and instant.known == instant.needed)
        or not page.instant_reads,
    )
    if notice and session.why_not("start_job"):
        notice = replace(notice, act="")
    return macro(TEMPLATE, "missing")(notice, here.whole) if notice else ""


def scope_control(page: PageState) -> Scope:
    """This query or all queries; first in the column, so that nothing ever moves it.

    The judge's choice holds in every query and after every edit.
    """
    wanted = session.view().scope
    st.session_state[SCOPE] = wanted
    st.segmented_control(
        "Ranks over",
        list(SCOPES),
        key=SCOPE,
        format_func=SCOPES.__getitem__,
        required=True,
        disabled=page.solo is not None,  # which is of this query alone
        on_change=_chosen,
        label_visibility="collapsed",
    )
    return wanted


def _chosen() -> None:
    session.look(scope=st.session_state[SCOPE])


def board_parts(page: PageState, scope: Scope) -> Iterator[str]:
    """The plot of what moved and the boards it is read off, in this scope."""
    selected, shown = page.selected, page.shown
    if scope == "here":
        selected, shown = page.here, page.shown_here
    assert selected is not None
    assert shown is not None
    assert page.settings is not None
    if shown.moves_known:
        yield slope_html(shown.moves_known)
    where = " · this query" if scope == "here" else ""
    if page.stands_in:
        about = _bounds(shown) or "against its own earlier board"
        only = where if shown.all_queries else " · this query"
        yield board_html(page.instant, f"{about}{only}", shown, ROWS)
    if selected.board.standings:
        about = _bounds(selected) or _moved(selected)
        about = about or settings_words(page.settings, page.graders)
        heading = page.labels[page.settings.grader] if page.stands_in else "Board"
        changed = page.shown_impact is not None and page.shown_impact.labels
        rows = ROWS if page.stands_in or changed else None
        yield board_html(heading, f"{about}{where}", selected, rows)
    for note in dict.fromkeys(selected.board.notes):
        yield macro(TEMPLATE, "note")(html.coded(note))


def solo_parts(page: PageState, solo: Compared) -> Iterator[str]:
    """The query's board under one question alone, its moves dashed."""
    assert solo.impact is not None
    question = page.bank.question(session.view().question or "")
    yield macro(TEMPLATE, "column")("This question alone", "all kept → this one")
    by = f" · by {page.by}" if page.by else ""
    basis = f"this query only · {words.count(len(solo.board.standings), 'system')}{by}"
    yield sentence_html(impact_words.solo_sentence(solo.impact, question), basis)
    if solo.moves_known is not None:
        yield slope_html(solo.impact, solo=True)
    if solo.board.standings:
        yield board_html("Board", _moved(solo), solo)


def impact_sentence(page: PageState) -> Sentence:
    """What the edits did, or what the board rests on where nothing is compared."""
    assert page.selected is not None
    compared, here = page.selected, page.here
    if compared.impact is None:
        counts = here is not None and bool(here.board.queries)
        asked = any(line.influence is not None for line in page.lines)
        return impact_words.nothing_compared(
            compared.board,
            queries=len(page.collection.queries),
            kept_here=counts or asked,
            left_out=asked and not counts,
        )
    assert page.shown_impact is not None
    here = page.shown_here
    return impact_words.impact_sentence(
        page.shown_impact,
        page.edits,
        page.collection.official,
        against=BASELINES[session.view().against][1],
        all_queries=bool(page.shown and page.shown.all_queries),
        moved_here=len(here.impact.movers) if here and here.impact else 0,
        by=page.by,
    )


def _bounds(compared: Compared) -> str:
    missing = compared.board.needed - compared.board.known
    bounded = all(one.upper is not None for one in compared.board.standings)
    what = "bounds" if bounded else "provisional"
    return f"{what}, {words.missing_grades(missing)}" if missing else ""


def _moved(compared: Compared) -> str:
    impact = compared.moves_known
    if impact is None:
        return ""
    moved = len(impact.movers)
    later = f" · later edits moved {n}" if (n := compared.moved_since) else ""
    return f"{moved} moved, {len(impact.moves) - moved} did not{later}"


def sentence_html(parts: Sentence, rests_on: str, later: str = "") -> str:
    """The sentence, what others did ``later``, and what it rests on in small."""
    unbroken = html.sentence(parts).replace(" → ", "\u00a0→\u00a0")
    return macro(TEMPLATE, "sentence")(unbroken, rests_on, later)


def changed_html(page: PageState) -> str:
    """Draw how many labels of this query changed; nothing for none."""
    impact = page.shown_impact
    if impact is None or not impact.labels:
        return ""
    # A label rests on every grade: with some missing none is known to have fallen.
    summary = "known once the missing grades are"
    if impact.complete:
        summary = changed_summary(page, impact)
    return macro(TEMPLATE, "changed")(len(page.changed), summary)


def changed_summary(page: PageState, impact: Impact) -> str:
    """``56 of 62 fall below 4: 33 judged non-relevant``."""
    assert page.settings is not None
    own, minimum = page.changed, page.settings.relevant_from()
    fell = [
        label.passage_id
        for label in own
        if label.before is not None and label.before >= minimum > (label.after or 0)
    ]
    parts = [f"{len(fell)} of {len(own)} fall below {minimum}"] if own else []
    relevant_from = page.collection.min_relevance
    if fell and relevant_from is not None:
        wrong = sum(
            page.judgments.get(one, relevant_from) < relevant_from for one in fell
        )
        parts[0] += f": {wrong} judged non-relevant"
    if len(impact.listed) > len(own):
        parts.append(f"{len(impact.listed) - len(own)} in other queries")
    if shifted := len(impact.labels) - len(impact.listed):
        parts.append(f"{shifted} more shift, without a rank or the threshold")
    return " · ".join(parts)
