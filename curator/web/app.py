"""Curator's app: the pages, and what they share.

Started by ``curator serve``; ``streamlit run`` on this file serves the demo.
"""

from __future__ import annotations

import os
from functools import partial

import streamlit as st

import curator.web.pages.events  # noqa: F401, registers the handlers of events
from curator.web.components import session, shell
from curator.web.components.places import PLACES
from curator.web.server import WORKSPACE_VARIABLE, demo_workspace

st.set_page_config(page_title="Curator", page_icon="✎", layout="wide")
if not os.environ.get(WORKSPACE_VARIABLE):
    os.environ[WORKSPACE_VARIABLE] = demo_workspace()
session.boot()
session.leave_last_page()
session.service()
session.follow_url()
shell.style()

# The default page is found at "" alone, but reserves an address.
session.current().pages = {
    name: st.Page(
        f"pages/{place.script}",
        title=place.area,
        url_path="home" if name == "Judge" else place.address,
        default=name == "Judge",
    )
    for name, place in PLACES.items()
}
former = [(name, address) for name, place in PLACES.items() for address in place.former]
leading_on = [
    st.Page(
        partial(session.go_on, name, view),
        title=PLACES[name].area,
        url_path=path,
    )
    for name, address in [*former, ("Judge", PLACES["Judge"].address)]
    for path, _, view in [address.partition("?")]
]
page = st.navigation(
    [*session.current().pages.values(), *leading_on], position="hidden"
)
names = {page.url_path: name for name, page in session.current().pages.items()}
name = names.get(page.url_path)
if name is not None:
    session.current().page = name
# Streamlit knows what draws itself by its place alone: no two pages share one.
for _ in range(list(PLACES).index(session.current().page)):
    st.empty()
if name == "Judge" and session.is_new_visit():
    session.current().go_to = "Overview"
if shell.signed_in():
    with session.run(), st.container(key="app"):
        page.run()
    session.come_back()
    session.write_url()
