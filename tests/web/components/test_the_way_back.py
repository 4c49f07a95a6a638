"""The page follows Back and Forward, also when one comes before the other is drawn."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def page() -> None:
    """A page that may be stopped before it writes its URL, as by the next request."""
    import streamlit as st

    from curator.web.components import session

    session.follow_url()
    st.text(session.view().query or "none")
    if "stopped" in st.session_state:
        st.stop()
    session.write_url()


def at(app: AppTest, query_id: str, *, stopped: bool = False) -> str:
    """The query shown under its URL."""
    app.query_params["query"] = query_id
    if stopped:
        app.session_state["stopped"] = True
    elif "stopped" in app.session_state:
        del app.session_state["stopped"]
    app.run()
    assert not app.exception
    shown: str = app.text[0].value
    return shown


def test_back_leads_back_though_the_run_before_never_wrote_its_url() -> None:
    app = AppTest.from_function(page)
    assert at(app, "q1") == "q1"
    assert at(app, "q2") == "q2"
    assert at(app, "q1") == "q1"
    assert at(app, "q2", stopped=True) == "q2"
    assert at(app, "q1") == "q1"
    assert app.query_params["query"] == "q1"
