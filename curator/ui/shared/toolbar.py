"""The toolbar on top: under which settings every number on the page stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from curator.evaluation.measures import looks_at_k
from curator.evaluation.settings import Settings
from curator.formats.templates import macro
from curator.ui.shared import session, words
from curator.ui.shared.settings import board_measures, grader_labels
from curator.workspace import Workspace

RATINGS = (1, 2, 3, 4, 5)
DEPTHS = (5, 10, 20, 50, 100)
BASELINES = {
    "edit": "my last edit",
    "session": "start of session",
    "import": "as imported",
}


def toolbar(
    place: DeltaGenerator,
    workspace: Workspace,
    settings: Settings | None = None,
    *,
    baseline: bool = False,
) -> None:
    """Settings at the left, what is saved and who signs at the right, as one element.

    With ``baseline`` also what boards are compared with. Native lists: a page of them
    draws in a third of the time of Streamlit's own.
    """
    made = []
    if settings is not None:
        graders = workspace.graders()
        labels = grader_labels(graders)
        if labels:
            made.append(
                choice_html("Grader", "grader", labels, settings.grader, labels)
            )
        measures = board_measures(workspace)
        made.append(
            choice_html("Measure", "measure", measures, settings.measure, other=True)
        )
        if any(g.name == settings.grader and g.kind == "rated" for g in graders):
            made.append(choice_html("Rating ≥", "rating", RATINGS, settings.min_rating))
        if looks_at_k(settings.measure):
            made.append(choice_html("Top k", "k", DEPTHS, settings.k))
        if baseline:
            against = session.view().against
            made.append(
                choice_html("Against", "against", BASELINES, against, BASELINES)
            )
    events = workspace.baselines()
    saved_at = words.clock(events.saved_at, session.zone())
    blind = workspace.collection().blind
    drawn = macro("shared/shell.html", "toolbar")
    place.html(drawn(made, blind, saved_at, events.latest, workspace.judge))


def choice_html(
    label: str,
    name: str,
    options: Sequence[object] | Mapping[str, str],
    value: object,
    words_for: Mapping[str, str] | None = None,
    *,
    other: bool = False,
) -> Markup:
    """A list that shows what holds now; what is chosen is sent back as a setting.

    With ``other`` its last entry makes it a field to type a name in.
    """
    given = dict.fromkeys([*map(str, options), str(value)])
    shown = [(one, (words_for or {}).get(one, one)) for one in given]
    drawn = macro("shared/shell.html", "choice")
    return drawn(label, name, shown, str(value), other)
