"""Freezing a release, and those there are."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from curator.ui.files import page_state
from curator.ui.releases import rows as releases
from curator.ui.releases.rows import ReleaseRow
from curator.ui.shared import html
from curator.verbs.releases.readiness import Readiness

HEADINGS = ("Release", "When", "Who", "Settings", "Questions", "Labels", "SHA-256")


def release_form(found: Readiness, why_not: str, *, regardless: bool) -> None:
    """A name, why, and the button; one sentence where it is closed."""
    st.html(
        '<div class="c-listhead"><b>Release</b><span>the kept bank, its settings and '
        "its labels, frozen under a name</span></div>"
    )
    with (
        st.form("release_form", border=False),
        st.container(
            key="release_fields", horizontal=True, vertical_alignment="center"
        ),
    ):
        st.text_input(
            "Name of the release",
            key="release_name",
            placeholder="Name, such as v1  f",
            max_chars=100,
            width=170,
            label_visibility="collapsed",
        )
        st.text_input(
            "Why it is made",
            key="release_why",
            placeholder="Why: what it is made for",
            max_chars=2000,
            label_visibility="collapsed",
        )
        st.form_submit_button(
            "Freeze",
            key="freeze",
            disabled=bool(why_not) or found.settings is None,
            help=why_not or "Under the settings at the top",
            on_click=page_state.freeze,
            args=(found.settings, found, regardless),
        )
    if why_not:
        st.html(f'<p class="c-note">{html.text(why_not)}</p>')


def releases_html(rows: Sequence[ReleaseRow]) -> str:
    """The table, a click on a name opens it; a sentence where there are none."""
    if not rows:
        return f'<p class="c-note x-none">{html.text(releases.NO_RELEASE)}</p>'
    head = "".join(f"<th scope='col'>{name}</th>" for name in HEADINGS)
    body = "".join(map(row_html, rows))
    return (
        '<table class="x-releases"><caption class="x-unseen">Releases, the latest first'
        f"</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def row_html(row: ReleaseRow) -> str:
    """One release: what was frozen, by whom and when; why and drift beneath."""
    name = html.text(row.name)
    current = ' aria-current="true"' if row.opened else ""
    button = (
        f'<button type="button" class="c-release" title="{name}" '
        f'data-pick="release:{html.encoded(row.name)}"{current}>{name}</button>'
    )
    cells = (row.when, row.by, row.settings, row.questions, row.labels)
    body = "".join(
        f'<td title="{html.text(one)}">{html.text(one)}</td>' for one in cells
    )
    said = html.text(row.why)
    if row.drift:
        said += f'<em class="c-warning">{html.text(row.drift)}</em>'
    opened = " x-opened" if row.opened else ""
    css = "x-row x-told" if said else "x-row"
    beneath = ""
    if said:
        beneath = f'<tr class="x-why{opened}"><td colspan="7">{said}</td></tr>'
    return (
        f'<tr class="{css}{opened}"><th scope="row">{button}</th>{body}'
        f'<td title="{row.sha256}"><code>{row.short}</code></td></tr>{beneath}'
    )
