"""Curator's app: the pages, and what they share.

Started by ``curator serve``; ``streamlit run`` on this file serves the demo.
"""

from __future__ import annotations

import os

import streamlit as st

import curator.ui.shared.events  # noqa: F401, every handler is registered there
from curator.ui.server import WORKSPACE_VARIABLE, demo_workspace
from curator.ui.shared import session, shell, sign_in

st.set_page_config(page_title="Curator", page_icon="✎", layout="wide")
if not os.environ.get(WORKSPACE_VARIABLE):
    os.environ[WORKSPACE_VARIABLE] = demo_workspace()
session.boot()
session.leave_last_page()
session.service()
session.follow_url()
shell.style()

session.current().pages = {
    title: st.Page(
        str(path), title=title, url_path=title.lower(), default=title == "Curate"
    )
    for title, path in shell.PLACES.items()
}
page = st.navigation([*session.current().pages.values()], position="hidden")
# Streamlit knows what draws itself by its place alone: no two pages share one.
for _ in range(list(shell.PLACES).index(page.title)):
    st.empty()
if page.title == "Curate" and session.asks_for_nothing():
    session.current().go_to = "Overview"
if sign_in.signed_in():
    with session.run(), st.container(key="app"):
        page.run()
    session.come_back()
    session.write_url()
