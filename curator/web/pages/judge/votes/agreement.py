"""The right column of the Votes tab: how far judges agree, and where they do not.

Only questions that the reader has voted on are used. The words for a
coefficient are those of Landis & Koch 1977, who proposed them for kappa; they are a
habit of the field and no test.
"""

from __future__ import annotations

import streamlit as st

from curator.collection.pools import Collection
from curator.evaluation.votes import VoteAgreement
from curator.formats.templates import render
from curator.verbs.judges.agreement import Judges
from curator.verbs.judges.ballots import VotingProgress
from curator.web.components import words

BANDS = (
    (0.0, "no more than by chance"),
    (0.2, "slight"),
    (0.4, "fair"),
    (0.6, "moderate"),
    (0.8, "substantial"),
    (1.0, "almost perfect"),
)
SYMBOLS = {"Cohen's kappa": "κ", "Krippendorff's alpha": "α"}
LISTED = 50  # disagreements; the rest is counted


def agreement_panel(
    judges: Judges,
    collection: Collection,
    mine: VotingProgress,
    opened: str,
    selected: str | None,
    noun: str = "question",
) -> None:
    """Agreement in a sentence, disagreements first, then who voted how.

    ``opened`` and ``selected`` are the query and the question on the page;
    ``noun`` is what the items here are.
    """
    value, sentence = agreement_words(judges.agreement)
    st.html(
        render(
            "judge/votes/agreement.html",
            voted=mine.voted,
            found=judges.agreement,
            value=value,
            sentence=sentence,
            splits=judges.disagreements,
            most=LISTED,
            names={query.query_id: query.name for query in collection.queries},
            opened=opened,
            selected=selected,
            noun=noun,
            judges=judges.judges,
            sources=judges.sources,
            with_sources=judges.with_sources,
            score=words.score,
        )
    )


def agreement_words(found: VoteAgreement) -> tuple[str, str]:
    """``κ .412`` and ``, moderate agreement: 2 judges over 37 questions. …``.

    The value is "" where there is none, and the sentence then says why.
    """
    alike = ""
    if found.questions:
        alike = (
            f" All voted alike on {found.same:,} "
            f"({words.percent(found.same / found.questions)})."
        )
    if found.value is None:
        return "", f"{found.note}{alike}"
    over = (
        f"{words.count(len(found.judges), 'judge')} over "
        f"{words.count(found.questions, 'question')}"
    )
    value = f"{SYMBOLS[found.coefficient]} {words.score(found.value)}"
    return value, f", {band(found.value)}: {over}.{alike}"


def band(value: float) -> str:
    """``moderate agreement``, by Landis & Koch's bands; 0 and below is by chance."""
    for top, name in BANDS:
        if value <= top:
            return f"{name} agreement" if top else f"agreement {name}"
    return f"{BANDS[-1][1]} agreement"
