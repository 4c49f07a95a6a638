"""Import: files of any kind, and a check of what the workspace holds."""

from __future__ import annotations

import streamlit as st

from curator.web.components import session, shell
from curator.web.components.background_status import model_status
from curator.web.components.shell import around
from curator.web.pages.frame import draw_page
from curator.web.pages.settings.first_screen import import_files
from curator.workspace import Workspace


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """Draw the form of an import, and the button that verifies the workspace."""
    around(workspace, columns)
    with columns.middle:
        shell.title("Import", str(workspace.path))
        shell.notes()
        with st.container(key="import_files_here"):
            import_files(first=False)
            st.button(
                "Verify this workspace",
                key="do_verify",
                help="Hashes every text and reads every grade from its response again",
                on_click=_verify,
            )


def _verify() -> None:
    with session.noting() as workspace:
        problems = workspace.verify().problems
        session.note(
            problems[0] if problems else "Verified: every text and grade is unchanged.",
            error=bool(problems),
        )


draw_page("Import", draw, follows=True)
model_status()
