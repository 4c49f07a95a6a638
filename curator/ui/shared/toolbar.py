"""The strip on top: under which settings every number on the page stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import get_args

import streamlit as st

from curator.evaluation.measures import looks_at_k
from curator.evaluation.settings import Settings
from curator.ui.curate.page_state import BASELINE_WORDS
from curator.ui.shared import html, session, words
from curator.ui.shared.settings import grader_labels
from curator.ui.shared.view import Against
from curator.verbs.history.history import Baselines
from curator.verbs.setup.status import GraderState

RATINGS = (1, 2, 3, 4, 5)
DEPTHS = (5, 10, 20, 50, 100)
BLIND = (
    '<span class="c-blind" title="Set by the organizer: system names are masked, '
    'judgments and official ranks hidden">Blind</span>'
)


def strip(
    settings: Settings | None,
    graders: tuple[GraderState, ...],
    baselines: Baselines,
    judge: str,
    zone: tzinfo | None,
    *,
    baseline: bool,
    blind: bool = False,
    measures: Sequence[str] = (),
) -> None:
    """Settings at the left, what is saved and who signs at the right, as one element.

    Native lists: a page of them draws in a third of the time of Streamlit's own.
    """
    choices = (
        []
        if settings is None
        else _choices(settings, graders, measures, baseline=baseline)
    )
    if blind:
        choices.append(BLIND)
    st.html(
        f'<div class="c-strip">{"".join(choices)}'
        f"{saved_html(baselines, judge, zone)}</div>"
    )


def _choices(
    settings: Settings,
    graders: tuple[GraderState, ...],
    measures: Sequence[str],
    *,
    baseline: bool,
) -> list[str]:
    """Grader, measure, rating, k and, beside the editor, what is compared with."""
    labels = grader_labels(graders)
    kinds = {grader.name: grader.kind for grader in graders}
    made = [
        *(
            [choice_html("Grader", "grader", list(labels), settings.grader, labels)]
            if labels
            else []
        ),
        choice_html("Measure", "measure", measures, settings.measure, other=True),
    ]
    if kinds.get(settings.grader) == "rated":
        made.append(choice_html("Rating ≥", "rating", RATINGS, settings.min_rating))
    if looks_at_k(settings.measure):
        made.append(choice_html("Top k", "k", DEPTHS, settings.k))
    if baseline:
        against = session.view().against
        made.append(
            choice_html(
                "Against", "against", get_args(Against), against, BASELINE_WORDS
            )
        )
    return made


def choice_html(
    label: str,
    name: str,
    options: Sequence[object],
    value: object,
    words_for: Mapping[str, str] | None = None,
    *,
    other: bool = False,
) -> str:
    """A list that shows what holds now; what is chosen is sent back as a setting.

    With ``other`` its last entry makes it a field to type a name in.
    """
    given = [str(option) for option in options]
    given += [str(value)] if str(value) not in given else []
    made = "".join(
        f'<option value="{html.text(one)}"{" selected" if one == str(value) else ""}>'
        f"{html.text((words_for or {}).get(one, one))}</option>"
        for one in given
    )
    made += '<option value="">other…</option>' if other else ""
    return (
        f"<label>{html.text(label)} "
        f'<select data-setting="{name}">{made}</select></label>'
    )


def saved_html(baselines: Baselines, judge: str, zone: tzinfo | None) -> str:
    """``Saved 10:42 · rev 318`` and who signs."""
    at = words.clock(baselines.saved_at, zone)
    said = f"Saved {at} · rev {baselines.latest}" if at else "Nothing saved yet"
    return f'<p class="c-saved">{said}<b>{html.text(judge)}</b></p>'
