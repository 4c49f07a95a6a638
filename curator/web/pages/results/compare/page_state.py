"""Load the data of the tabs Compare and One system, and handle their clicks."""

from __future__ import annotations

from curator.errors import CuratorError
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
    session.look(measures=tuple(one for one in shown_measures() if one != name))


def shown_measures() -> tuple[str, ...]:
    """The measures that are on the page beside the one in the toolbar."""
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
    """The settings to compare: those of the toolbar first, then the measures chosen.

    Without a choice the usual ones that this workspace has what it takes for; of those
    chosen, one that cannot be had is a sentence in ``problems``.
    """
    offered = board_measures(workspace)
    chosen = view.measures or tuple(m for m in compared() if m in offered)
    found = [settings]
    for measure in chosen:
        try:
            one = workspace.settings(
                grader=settings.grader or None,
                measure=measure,
                min_rating=settings.min_rating,
                min_answered=settings.min_answered,
                label=settings.label,
                k=view.k,
            )
            if workspace.leaderboard(one).standings:
                found.append(one)
            elif view.measures:
                problems.append(f"{measure} has no board here.")
        except CuratorError as error:
            if view.measures:
                problems.append(str(error))
    return tuple(dict.fromkeys(found))


def pair(
    view: View, systems: tuple[str, ...], problems: list[str]
) -> tuple[str, str] | None:
    """The two systems chosen, else the first two; None where there are not two.

    One that there is not is a sentence in ``problems``.
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
