"""The strip on top: under which settings every number on the page stands."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Any, get_args

import streamlit as st

from curator.evaluation.settings import Settings
from curator.ui import session
from curator.ui.desk import BASELINE_WORDS
from curator.ui.present import words
from curator.ui.present.graders import grader_labels
from curator.ui.view import COMMON_MEASURES, Against
from curator.verbs.reading import Baselines
from curator.verbs.stating import GraderState

RATINGS = (1, 2, 3, 4, 5)
DEPTHS = (5, 10, 20, 50, 100)


def settings_strip(
    settings: Settings, graders: tuple[GraderState, ...], *, baseline: bool
) -> None:
    """Grader, measure, rating, k and, beside the editor, what is compared with."""
    names = [grader.name for grader in graders]
    kinds = {grader.name: grader.kind for grader in graders}
    labels = grader_labels(graders)
    _choice("Grader", "grader", names, settings.grader, words_for=labels)
    _choice("Measure", "measure", COMMON_MEASURES, settings.measure, free=True)
    if kinds[settings.grader] == "rated":
        _choice("Rating ≥", "rating", RATINGS, settings.min_rating)
    if settings.measure == "cover":
        _choice("Top k", "k", DEPTHS, settings.k)
    if baseline:
        _choice(
            "Against",
            "against",
            get_args(Against),
            session.view().against,
            words_for=BASELINE_WORDS,
        )


def saved(baselines: Baselines, judge: str, zone: tzinfo | None) -> None:
    """``Saved 10:42 · rev 318`` and who signs."""
    at = words.clock(baselines.saved_at, zone)
    said = f"Saved {at} · rev {baselines.latest}" if at else "Nothing saved yet"
    st.html(f'<p class="c-saved">{said}<b>{html.escape(judge)}</b></p>')


def _choice(
    label: str,
    name: str,
    options: Sequence[Any],
    value: Any,
    *,
    free: bool = False,
    words_for: Mapping[str, str] | None = None,
) -> None:
    """A select box that shows what holds now and writes a choice into the view."""
    shown = list(options) if value in options else [*options, value]
    st.session_state[name] = value
    st.selectbox(
        label,
        shown,
        key=name,
        accept_new_options=free,
        format_func=lambda option: (words_for or {}).get(str(option), str(option)),
        on_change=_chosen,
        args=(name,),
    )


def _chosen(name: str) -> None:
    value = st.session_state[name]
    if value not in (None, ""):
        session.look(**{name: value})
