"""The organizer's guidelines, opened over the page when a judge asks for them."""

from __future__ import annotations

from functools import partial

import streamlit as st

from curator.collection.pools import Collection
from curator.ui.shared import session


def guidelines(collection: Collection) -> None:
    """Show them once if they were asked for."""
    wanted, session.current().guidelines = session.current().guidelines, False
    if wanted and collection.guidelines:
        session.dialog(True)
        _opened(collection.guidelines)


@st.dialog("Guidelines", width="large", on_dismiss=partial(session.dialog, False))
def _opened(text: str) -> None:
    # Streamlit's Markdown shows HTML as text unless told otherwise.
    st.markdown(text)
