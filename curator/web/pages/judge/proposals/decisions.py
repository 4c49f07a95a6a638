"""Who wrote and who decided what: one table, a bar beneath each row."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from curator.bank.questions import active, noun_of
from curator.formats.templates import render
from curator.tables import proposals
from curator.verbs.proposals.decisions import DecisionCounts, Decisions
from curator.web.components import downloads, words
from curator.workspace import Workspace


def decision_table(workspace: Workspace) -> None:
    """The table, its download, and the command that prints the same."""
    found = workspace.decisions()
    # Called outside the session, where nobody is signed in.
    make = partial(proposals.decision_table, found)
    with st.container(key="decisions", gap=None):
        st.html(decisions_html(found, noun_of(active(workspace.bank(), "any"))))
        if not found.judges:
            return
        with st.container(
            key="decisions_out", horizontal=True, vertical_alignment="center"
        ):
            st.download_button(
                "Download TSV",
                data=partial(downloads.written, make, "TSV"),
                file_name=f"{workspace.path.stem}-decisions.tsv",
                mime="text/tab-separated-values",
                key="download_decisions",
                on_click="ignore",
            )


def decisions_html(found: Decisions, noun: str = "question") -> str:
    """A row for the bank, one for each judge, or why there is none.

    ``noun`` is what the items are called.
    """
    bank = found.bank
    shares = (bank, *found.judges) if found.judges else ()
    left = []
    if bank.undecided:
        left.append(f"{words.count(bank.undecided, 'proposal')} undecided")
    if bank.imported:
        left.append(f"{words.count(bank.imported, noun)} imported")
    return render(
        "judge/proposals/decisions.html",
        left=" · ".join(left),
        undecided=bank.undecided,
        rows=[decision_row(one) for one in shares],
    )


def decision_row(one: DecisionCounts) -> dict[str, Any]:
    """A judge's numbers, each with what it rests on; ``bar`` are widths in percent."""
    parts = (one.written, one.reworded, one.unedited, one.dropped)
    written = reworded = timed = ""
    if one.share_written is not None:
        kept = one.written + one.still_kept
        written = f"{words.percent(one.share_written)} of {kept:,}"
    if one.edit_distance is not None:
        reworded = f"by {one.edit_distance:.0f} characters"
    if one.seconds is not None:
        timed = f"of {one.timed:,} timed"
        timed += f", {one.at_once:,} at once" if one.at_once else ""
    return {
        "who": "All judges" if one.judge is None else one.judge,
        "cells": [
            {"number": f"{one.written:,}", "note": written},
            {"number": f"{one.reworded:,}", "note": reworded},
            {"number": f"{one.unedited:,}", "note": ""},
            {"number": f"{one.dropped:,}", "note": ""},
            {
                "number": "–" if one.seconds is None else f"{one.seconds:.1f} s",
                "note": timed,
            },
        ],
        "bar": [f"{100 * part / sum(parts):.2f}" if part else "" for part in parts],
    }
