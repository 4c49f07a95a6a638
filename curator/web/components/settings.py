"""The settings of a page and their words; short labels of graders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from curator.collection.pools import UNJUDGED, Collection
from curator.errors import CuratorError, EvaluationError
from curator.evaluation.measures import compares_texts
from curator.evaluation.settings import (
    DEFAULT_MEASURE,
    JUDGMENTS,
    OFFICIAL,
    LabelRule,
    Settings,
)
from curator.tables.settings import shared_words
from curator.verbs.setup import GraderState
from curator.web.components.view import View
from curator.workspace import Workspace
from grading.graders.text import NAME_OPTIONS
from grading.prompts.released import FORMER_NAMES, PROMPTS

WITHOUT_QUESTIONS = "nDCG@10"  # shown where Cover is undefined


def settings_for(
    workspace: Workspace, view: View, problems: list[str]
) -> Settings | None:
    """Return the view's settings, or the nearest valid ones with why in ``problems``.

    None in a workspace without grades, or without a grader chosen that reads the texts.
    """
    if not (view.grader or workspace.default_grader()):
        return None
    names = {"grader": view.grader, "measure": view.measure, "label": view.label}
    numbers: Any = {"k": view.k, "min_answered": view.answered}
    if view.label and LabelRule(view.label).fractional:
        del numbers["min_answered"]  # a mean has no control for it
    kinds = {grader.name: grader.kind for grader in workspace.graders()}
    for left_out in ((), ("label",), ("measure",), ("grader",), tuple(names)):
        chosen: dict[str, Any] = {
            name: value
            for name, value in names.items()
            if value and name not in left_out
        }
        try:
            rating = workspace.fitting_rating(chosen.get("grader"), view.rating)
            numbers["min_rating"] = rating
            settings = workspace.settings(**chosen, **numbers)
            if settings.grader not in kinds:
                raise EvaluationError(
                    f"No edit changes the board '{settings.measure}': Compare sets it "
                    "beside other measures."
                )
            # A toolbar needs a board, to choose another measure in.
            if (settings.measure, kinds[settings.grader]) == (
                DEFAULT_MEASURE,
                "direct",
            ):
                problems.append(
                    f"{settings.grader} grades passages as a whole, so Cover is "
                    f"undefined for it; this is {WITHOUT_QUESTIONS}."
                )
                chosen = {"grader": settings.grader, "measure": WITHOUT_QUESTIONS}
                settings = workspace.settings(**chosen, **numbers)
            if left_out == ("label",) and view.label:
                problems[-1] += " This board has labels by the best rating."
            return settings
        except CuratorError as error:
            if not problems or str(error) != problems[-1]:
                problems.append(str(error))
    return None


def board_settings(
    workspace: Workspace, view: View, problems: list[str]
) -> Settings | None:
    """Return settings for a page about boards; ROUGE has one without any grades.

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
    elif view.measure not in ("", DEFAULT_MEASURE):
        problems.append(
            f"{view.measure} rests on grades, and there are none yet; this is "
            f"{offered[0]}."
        )
    return workspace.settings(measure=offered[0], k=view.k)


def board_measures(workspace: Workspace) -> tuple[str, ...]:
    """Return the measures to choose from: without grades those of texts alone."""
    measures = workspace.measures()
    return measures if workspace.graders() else tuple(filter(compares_texts, measures))


def official_boards(collection: Collection) -> tuple[str, ...]:
    """Return the official boards that others can be compared with."""
    pools = collection.pools.values()
    judged = any((pool.judgments != UNJUDGED).any() for pool in pools)
    ranked = [OFFICIAL] if collection.official else []
    ranked += [f"{OFFICIAL}:{name}" for name in collection.official_boards]
    return (*ranked,) + (f"{JUDGMENTS}:nDCG@10",) * judged


# What may follow a model in a grader's name, after slashes.
OPTIONS = frozenset((*PROMPTS, *FORMER_NAMES, *NAME_OPTIONS))


class GraderLabels(dict[str, str]):
    """Short labels by full name; a grader that is not listed has its name."""

    def __missing__(self, name: str) -> str:
        return name


def grader_labels(graders: Sequence[GraderState]) -> GraderLabels:
    """Return short labels by full name, where no two are the same.

    ``google/flan-t5-large/QuestionSelfRated…`` is ``flan-t5-large (imported)``.
    """
    return _grader_labels(tuple(graders))


@lru_cache(maxsize=16)
def _grader_labels(graders: tuple[GraderState, ...]) -> GraderLabels:
    by_name = {grader.name: grader for grader in graders}
    short = {grader.name: _short(grader, by_name) for grader in graders}
    times = Counter(short.values())
    labels = GraderLabels()
    for name, grader in by_name.items():
        here = grader.can_grade or grader.source or grader.by_people or grader.learned
        imported = "" if here else " (imported)"
        labels[name] = (short[name] if times[short[name]] == 1 else name) + imported
    return labels


def _short(grader: GraderState, by_name: Mapping[str, GraderState]) -> str:
    if grader.source:
        folder, _, number = grader.name.partition(f"+{grader.source}")
        place = folder.partition(":")[2].rstrip("/").rpartition("/")[2]
        answering = by_name.get(grader.source)
        whose = grader.source if answering is None else _short(answering, by_name)
        return f"ava:{place}+{whose}{number}"
    if grader.learned:
        label = grader.name
        parts = [part for part in by_name.values() if not part.learned]
        times = Counter(_short(part, by_name) for part in parts)
        for part in sorted(parts, key=lambda part: len(part.name), reverse=True):
            if times[short := _short(part, by_name)] == 1:
                label = label.replace(part.name, short)
        return label
    if grader.can_grade:
        return without_folders(grader.name)
    if grader.by_people or not grader.model:
        return grader.name
    return grader.model.rstrip("/").rpartition("/")[2] or grader.name


def without_folders(name: str) -> str:
    """``flan-t5:/models/mine/qa`` as ``flan-t5:mine/qa``; any other name as it is."""
    family, _, place = name.partition(":")
    if not place.startswith("/"):
        return name
    *parts, last = place.rstrip("/").split("/")
    kept = [last]
    # A second grader of a name has a number behind it.
    while parts[1:] and kept[0].partition(" (")[0] in OPTIONS:
        kept.insert(0, parts.pop())
    return f"{family}:{'/'.join(kept)}"


def settings_words(
    settings: Settings,
    graders: Sequence[GraderState],
    *,
    measure: bool = True,
    rating: bool = True,
) -> str:
    """``P@20 · flan-t5-large · rating ≥ 4``, or ``rouge-1-f1 · no grader · top 20``."""
    label = grader_labels(graders)[settings.grader] if settings.grader else ""
    kinds = {grader.kind for grader in graders if grader.name == settings.grader}
    rated = bool(kinds & {"rated", "direct"})
    return shared_words(
        [settings], measure=measure, rating=rated and rating, named=label
    )


BLIND = "blind: system names masked, judgments and official ranks hidden"


def shown_words(
    collection: Collection,
    query_id: str,
    settings: Settings | None,
    graders: Sequence[GraderState],
) -> str:
    """``P@20 · flan-t5-large · rating ≥ 4; with system names, judgments``."""
    under = "no grades" if settings is None else settings_words(settings, graders)
    if collection.blind:
        return f"{under}; {BLIND}"
    judged = bool((collection.pools[query_id].judgments != UNJUDGED).any())
    parts = {
        "system names": collection.systems,
        "judgments": judged,
        "official ranks": collection.official,
    }
    visible_parts = ", ".join(name for name, visible in parts.items() if visible)
    return f"{under}; with {visible_parts}" if visible_parts else under
