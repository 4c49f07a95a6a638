"""Load the data of the tabs Compare and One system, and handle their clicks."""

from __future__ import annotations

from curator.errors import CuratorError, EvaluationError
from curator.evaluation.measures import compared
from curator.evaluation.settings import Settings
from curator.web.components import session
from curator.web.components.channel import handles
from curator.web.components.events import handles_settings
from curator.web.components.settings import board_measures
from curator.web.components.view import MOST_MEASURES, View
from curator.workspace import Workspace

NONE = "…"  # what the list of measures to add stands at


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


@handles("drop")
def drop_measure(*, name: str) -> None:
    """Compare without this measure."""
    session.look(measures=tuple(shown for shown in shown_measures() if shown != name))


def shown_measures() -> tuple[str, ...]:
    """Return the measures on the page without the one in the toolbar."""
    return session.view().measures or session.current().measures


@handles_settings("more", "first", "second")
def choose(setting: str, value: str) -> None:
    """Add a measure, or take one of the two systems compared."""
    shown = shown_measures()
    if setting != "more":
        session.look(**{setting: value})
    elif value not in (*shown, NONE):
        session.look(measures=(*shown, value)[-MOST_MEASURES:])


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
