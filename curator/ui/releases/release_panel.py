"""The release opened: what differs by now, its files, and the way back to it."""

from __future__ import annotations

from functools import partial
from shlex import quote

import streamlit as st

from curator.collection.pools import Collection
from curator.evaluation.releases import Difference
from curator.store.releases import ReleaseRecord
from curator.ui.files import page_state
from curator.ui.files.words import plain
from curator.ui.releases import rows as releases
from curator.ui.releases.rows import Changed, ChangedList
from curator.ui.shared import html, session, words
from curator.workspace import Workspace

FILES = (
    # Button, kind, binary, ending, help.
    ("Qrels", "qrels", False, ".qrels", "Every passage’s label as it was frozen"),
    ("Binary qrels", "qrels", True, "-binary.qrels", "1 from the threshold on, else 0"),
    ("Board", "leaderboard", False, ".tsv", "The board as it was frozen"),
    ("JSON", "json", False, ".json", "The canonical form that the hash is of"),
)


def release_panel(
    workspace: Workspace,
    record: ReleaseRecord,
    settings: str,
    drifted: int,
    found: Difference | None,
    refused: str,
) -> None:
    """Everything about one release; ``refused`` says why it cannot be compared."""
    collection = workspace.collection()
    st.html(head_html(record, settings, drifted))
    _downloads(workspace, record, blind=collection.blind)
    if found is None:
        st.html(f'<p class="c-note">{html.text(refused)}</p>')
        return
    st.html(now_html(found))
    _restoring(record.name, found)
    lists = lists_html(found, collection, workspace.path.name, record.name)
    if lists:
        st.html(lists)


def head_html(record: ReleaseRecord, settings: str, drifted: int) -> str:
    """Name, hash, what it rests on, and why it was made."""
    drift = releases.drift_words(drifted)
    when = words.day_and_time(record.at, session.zone())
    told = (
        f'<p class="x-drift">{html.text(drift)}: grades came, or were read otherwise. '
        "Its qrels stay as they were.</p>"
        if drift
        else ""
    )
    why = f"<p>{html.text(record.why)}</p>" if record.why else ""
    close = f"release:{html.encoded(record.name)}"
    return (
        f'<div class="c-listhead"><b>{html.text(record.name)}</b>'
        f"<span>{when} by {html.text(record.by)}</span>"
        f'<button type="button" data-pick="{close}" title="Close">Close</button></div>'
        f'<div class="x-release">{why}<p class="c-note">{html.text(settings)}<br>'
        f"{html.text(releases.rests_on(record))}</p>"
        f'<p class="c-note x-hash" title="SHA-256 of the canonical form">'
        f"{record.sha256[:32]}<wbr>{record.sha256[32:]}</p>{told}</div>"
    )


def _downloads(workspace: Workspace, record: ReleaseRecord, *, blind: bool) -> None:
    stem = "-".join((plain(workspace.path.stem), plain(record.name) or "release"))
    with st.container(key="released", horizontal=True, gap="small"):
        for label, kind, binary, ending, about in FILES:
            if blind and kind == "leaderboard":
                continue
            name = f"{stem}{ending}"
            st.download_button(
                label,
                data=partial(
                    page_state.released_file,
                    workspace.path,
                    workspace.judge,
                    record.name,
                    kind,
                    binary,
                    name,
                ),
                file_name=name,
                mime="application/octet-stream",
                key=f"released_{label.lower().replace(' ', '_')}",
                on_click="ignore",
                help=about,
            )
    if blind:
        st.html(f'<p class="c-note">{html.text(releases.BLIND)}</p>')


def now_html(found: Difference) -> str:
    """What differs now, in one sentence."""
    return (
        '<div class="c-listhead"><b>By now</b><span>the workspace against this release'
        "</span></div>"
        f'<p class="c-said x-said">{html.text(releases.changes_words(found))}</p>'
    )


def lists_html(found: Difference, collection: Collection, path: str, name: str) -> str:
    """The questions, labels and systems that differ, or the first of them."""
    names = {query.query_id: query.name for query in collection.queries}
    lists = releases.changed_lists(found, names)
    more = ""
    if any(one.more for one in lists):
        said = html.coded(f"`curator diff {quote(path)} {quote(name)}` lists all.")
        more = f'<p class="c-note">{said}</p>'
    return f"{''.join(map(list_html, lists))}{more}"


def list_html(one: ChangedList) -> str:
    """A heading and a line for each, in a list."""
    more = f'<li class="x-more">and {one.more:,} more</li>' if one.more else ""
    rows = "".join(map(changed_html, one.rows))
    css = "x-list x-short" if one.short else "x-list"
    head = f'<p class="x-group">{html.text(one.heading)}</p>'
    return f'{head}<ul class="{css}">{rows}{more}</ul>'


def changed_html(row: Changed) -> str:
    """What it is about, how it differs, and in which query."""
    where = f"<small>{html.text(row.where)}</small>" if row.where else ""
    return (
        f'<li title="{html.text(row.about)}"><b>{html.text(row.about)}</b>'
        f"<span>{html.sentence(row.said)}</span>{where}</li>"
    )


def _restoring(name: str, found: Difference) -> None:
    """The button that asks, and the two that answer."""
    would = releases.restore_words(found)
    asked = session.current().restoring == name
    with st.container(key="restoring", gap=None):
        if not would:
            st.html('<p class="c-note">The kept bank is that of this release.</p>')
        elif not asked:
            st.button(
                "Restore…",
                key="restore_ask",
                on_click=page_state.ask_to_restore,
                args=(name,),
                help="Make the kept bank that of this release again (R)",
            )
        else:
            st.html(
                f'<p class="x-ask">Restoring changes the bank: {html.text(would)}. It '
                "is one step that undo takes back whole.</p>"
            )
            with st.container(key="restore_answers", horizontal=True, gap="small"):
                st.button(
                    "Restore",
                    key="restore",
                    type="primary",
                    on_click=page_state.restore,
                    args=(name, found),
                )
                st.button(
                    "No",
                    key="restore_no",
                    on_click=page_state.ask_to_restore,
                    args=(None,),
                )
