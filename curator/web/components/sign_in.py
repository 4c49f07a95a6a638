"""What somebody sees who is not signed in: why, and the way in."""

from __future__ import annotations

import streamlit as st

from curator.errors import SignInError
from curator.web import identity
from curator.web.components import shell


def signed_in() -> bool:
    """Whether somebody is, or names are on trust; else the way in is drawn."""
    try:
        identity.name()
    except SignInError as error:
        line = str(error)
    else:
        return True
    failed = identity.FAILED.get(st.query_params.get(identity.SIGN_IN, ""))
    with st.container(key="sign_in"):
        shell.sign_in(failed or line, error=failed is not None)
        if identity.auth().way == "oidc":
            st.button("Sign in", key="do_sign_in", type="primary", on_click=st.login)
    return False
