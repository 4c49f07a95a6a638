"""Under which settings a page stands: those its view asks for, or the nearest."""

from __future__ import annotations

from curator.errors import CuratorError
from curator.evaluation.measures import compares_texts
from curator.evaluation.settings import DEFAULT_MEASURE, Settings
from curator.ui.shared.view import View
from curator.workspace import Workspace

WITHOUT_QUESTIONS = "nDCG@10"  # shown where Cover is undefined


def settings_for(
    workspace: Workspace, view: View, problems: list[str]
) -> Settings | None:
    """The view's settings, else the nearest that make sense with why in ``problems``.

    None in a workspace without grades.
    """
    if not workspace.graders():
        return None
    options = {"grader": view.grader, "measure": view.measure}
    for left_out in ((), ("measure",), ("grader",), ("grader", "measure")):
        asked = {n: v for n, v in options.items() if v and n not in left_out}
        try:
            found = workspace.settings(**asked, min_rating=view.rating, k=view.k)
            return _defined(workspace, found, problems)
        except CuratorError as error:
            if not problems or str(error) != problems[-1]:
                problems.append(str(error))
    return None


def board_settings(
    workspace: Workspace, view: View, problems: list[str]
) -> Settings | None:
    """The same of a page about boards, which ROUGE has without any grades.

    None in a workspace with neither grades nor ideal answers.
    """
    if workspace.graders():
        return settings_for(workspace, view, problems)
    offered = board_measures(workspace)
    if not offered:
        return None
    if compares_texts(view.measure):
        try:
            return workspace.settings(measure=view.measure, k=view.k)
        except CuratorError as error:
            problems.append(str(error))
    elif view.measure != DEFAULT_MEASURE:
        problems.append(
            f"{view.measure} rests on grades, and there are none yet; this is "
            f"{offered[0]}."
        )
    return workspace.settings(measure=offered[0], k=view.k)


def board_measures(workspace: Workspace) -> tuple[str, ...]:
    """The measures to choose from: without grades those of texts alone."""
    graded = bool(workspace.graders())
    return tuple(one for one in workspace.measures() if graded or compares_texts(one))


def _defined(workspace: Workspace, settings: Settings, problems: list[str]) -> Settings:
    """Another measure in place of Cover where the grader asks no questions.

    Without it there would be no board, and no strip to choose another measure in.
    """
    kinds = {grader.name: grader.kind for grader in workspace.graders()}
    if settings.measure != DEFAULT_MEASURE or kinds[settings.grader] != "direct":
        return settings
    problems.append(
        f"{settings.grader} grades passages as a whole, so Cover is undefined for it; "
        f"this is {WITHOUT_QUESTIONS}."
    )
    return workspace.settings(
        grader=settings.grader,
        measure=WITHOUT_QUESTIONS,
        min_rating=settings.min_rating,
        k=settings.k,
    )
