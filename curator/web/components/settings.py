"""Under which settings a page stands, and how they are said.

Those its view asks for, or the nearest; graders have names short enough to stand beside
every number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
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
from curator.verbs.setup.status import GraderState
from curator.web.components.view import View
from curator.workspace import Workspace
from grading.graders.text import NAME_OPTIONS
from grading.prompts.released import FORMER_NAMES, PROMPTS

WITHOUT_QUESTIONS = "nDCG@10"  # shown where Cover is undefined


def settings_for(
    workspace: Workspace, view: View, problems: list[str]
) -> Settings | None:
    """The view's settings, else the nearest that make sense with why in ``problems``.

    None in a workspace without grades, and where no grader is chosen and none of those
    here reads the texts.
    """
    if not (view.grader or workspace.default_grader()):
        return None
    options = {"grader": view.grader, "measure": view.measure, "label": view.label}
    numbers: Any = {"k": view.k, "min_answered": view.answered}
    if view.label and LabelRule(view.label).fractional:
        del numbers["min_answered"]  # a mean has no control for it
    for left_out in (
        (),
        ("label",),
        ("measure",),
        ("grader",),
        ("grader", "measure", "label"),
    ):
        asked: dict[str, Any] = {
            n: v for n, v in options.items() if v and n not in left_out
        }
        try:
            rating = workspace.fitting_rating(asked.get("grader"), view.rating)
            numbers["min_rating"] = rating
            found = workspace.settings(**asked, **numbers)
            kinds = {one.name: one.kind for one in workspace.graders()}
            if found.grader not in kinds:
                raise EvaluationError(
                    f"No edit changes the board '{found.measure}': Compare sets it "
                    "beside other measures."
                )
            # Without another measure there would be no board, and no toolbar to
            # choose another one in.
            if found.measure == DEFAULT_MEASURE and kinds[found.grader] == "direct":
                problems.append(
                    f"{found.grader} grades passages as a whole, so Cover is "
                    f"undefined for it; this is {WITHOUT_QUESTIONS}."
                )
                asked = {"grader": found.grader, "measure": WITHOUT_QUESTIONS}
                found = workspace.settings(**asked, **numbers)
            if left_out == ("label",) and view.label:
                problems[-1] += " This board has labels by the best rating."
            return found
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
    elif view.measure not in ("", DEFAULT_MEASURE):
        problems.append(
            f"{view.measure} rests on grades, and there are none yet; this is "
            f"{offered[0]}."
        )
    return workspace.settings(measure=offered[0], k=view.k)


def board_measures(workspace: Workspace) -> tuple[str, ...]:
    """The measures to choose from: without grades those of texts alone."""
    graded = bool(workspace.graders())
    return tuple(one for one in workspace.measures() if graded or compares_texts(one))


def official_boards(collection: Collection) -> tuple[str, ...]:
    """The official boards that others can be compared with."""
    judged = any((one.judgments != UNJUDGED).any() for one in collection.pools.values())
    ranked = [OFFICIAL] if collection.official else []
    ranked += [f"{OFFICIAL}:{name}" for name in collection.official_boards]
    return (*ranked,) + (f"{JUDGMENTS}:nDCG@10",) * judged


# What may follow a model in a grader's name, after slashes.
OPTIONS = frozenset((*PROMPTS, *FORMER_NAMES, *NAME_OPTIONS))


class GraderLabels(dict[str, str]):
    """Short labels by full name; a grader that is not listed is called by its name.

    A release can name one that is gone, and `checked:A+B` can be asked for unlisted.
    """

    def __missing__(self, name: str) -> str:
        return name


def grader_labels(graders: Sequence[GraderState]) -> GraderLabels:
    """A short label by full name: the model's own name where no other shares it.

    ``google/flan-t5-large/QuestionSelfRated…`` is ``flan-t5-large (imported)``; of a
    model's folder only the last one is named.
    """
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
        # The model's folder, and whose answers it checks by their own short name.
        folder, _, number = grader.name.partition(f"+{grader.source}")
        place = folder.partition(":")[2].rstrip("/").rpartition("/")[2]
        answering = by_name.get(grader.source)
        whose = grader.source if answering is None else _short(answering, by_name)
        return f"ava:{place}+{whose}{number}"
    if grader.learned:
        # Its parts by their own short names, the longest first.
        found = grader.name
        stored = [one for one in by_name.values() if not one.learned]
        times = Counter(_short(one, by_name) for one in stored)
        for one in sorted(stored, key=lambda one: len(one.name), reverse=True):
            if times[short := _short(one, by_name)] == 1:
                found = found.replace(one.name, short)
        return found
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
    """``P@20 · flan-t5-large · rating ≥ 4``; k where the measure does not say it.

    Texts are compared with texts: ``rouge-1-f1 · no grader · top 20``. Without
    ``measure`` what stands beside its name elsewhere, without ``rating`` what holds at
    every minimum rating.
    """
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
    seen = {
        "system names": bool(collection.systems),
        "judgments": judged,
        "official ranks": bool(collection.official),
    }
    shown = ", ".join(name for name, there in seen.items() if there)
    return f"{under}; with {shown}" if shown else under
