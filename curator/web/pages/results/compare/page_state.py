"""Load the data of the tabs Compare and One system, and handle their clicks."""

from __future__ import annotations

import streamlit as st

from curator.errors import CuratorError, EvaluationError
from curator.evaluation.measures import compared, title
from curator.evaluation.settings import Settings
from curator.web.components import session
from curator.web.components.channel import handles
from curator.web.components.events import handles_settings
from curator.web.components.settings import board_measures, official_boards
from curator.web.components.view import MOST_MEASURES, View
from curator.workspace import Workspace


@handles("system")
def open_system(*, name: str) -> None:
    """Open a system's page."""
    session.look(system=name)
    session.current().go_to = "System"


@handles("ranking")
def open_ranking(*, name: str) -> None:
    """List what the system chosen has for a query on the Judge page."""
    session.look(query=name, question=None, passage=None, show="all", pool=True)
    session.current().go_to = "Judge"


@handles_settings("first", "second")
def choose_system(setting: str, value: str) -> None:
    """Take one of the two systems compared."""
    session.look(**{setting: value})


def choose_measures(workspace: Workspace, names: list[str]) -> None:
    """Draw the list of measures; the first one is that of the toolbar."""
    offered = board_measures(workspace) + official_boards(workspace.collection())
    first, st.session_state["measures"] = names[0], names

    def choose() -> None:
        chosen = [name for name in st.session_state["measures"] if name != first]
        session.look(measures=tuple(chosen or [first]))

    st.multiselect(
        *("Measures", list(dict.fromkeys([*names, *offered]))),
        key="measures",
        format_func=title,
        max_selections=MOST_MEASURES + 1,
        accept_new_options=True,
        on_change=choose,
        label_visibility="collapsed",
    )


def columns(
    workspace: Workspace, view: View, settings: Settings, problems: list[str]
) -> tuple[Settings, ...]:
    """Return the settings of the toolbar, then those of the measures chosen.

    Without a choice the usual measures that have a board here. A chosen one without is
    a sentence in ``problems``.
    """
    offered = board_measures(workspace)
    boards = [settings]
    for measure in view.measures or [m for m in compared() if m in offered]:
        try:
            board = workspace.settings(
                settings.grader or None,
                measure,
                settings.min_rating,
                view.k,
                settings.min_answered,
                settings.label,
            )
            if not workspace.leaderboard(board).standings:
                raise EvaluationError(f"{measure} has no board here.")
            boards.append(board)
        except CuratorError as error:
            problems += [str(error)] if view.measures else []
    return tuple(dict.fromkeys(boards))


def pair(
    view: View, systems: tuple[str, ...], problems: list[str]
) -> tuple[str, str] | None:
    """Return the two systems chosen, else the first two; None without two.

    An unknown one is a sentence in ``problems``.
    """
    if len(systems) < 2:
        return None
    first = view.first if view.first in systems else systems[0]
    others = [system for system in systems if system != first]
    second = view.second if view.second in others else others[0]
    problems += [
        f"No system '{wished}' in this workspace; {instead} stands in its place."
        for wished, instead in ((view.first, first), (view.second, second))
        if wished and wished not in systems
    ]
    return first, second
