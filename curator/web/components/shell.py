"""The frame of every page: its parts, style, toolbar, navigation and lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, get_args

import streamlit as st
from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from curator.background.service import Task
from curator.collection.pools import Collection
from curator.errors import SignInError
from curator.evaluation.measures import uses_k
from curator.evaluation.settings import By, Settings
from curator.formats.templates import macro
from curator.tables.settings import RULES
from curator.web import identity
from curator.web.components import events, session, words
from curator.web.components.channel import pick
from curator.web.components.html import coded
from curator.web.components.listener import MOST_QUERIES
from curator.web.components.places import AREAS, JUDGES_SEE, PLACES, area_page, label
from curator.web.components.settings import board_measures, grader_labels
from curator.web.server import HERE
from curator.workspace import Workspace

FIRST_SHEETS = (
    "components/frame",
    "components/lists",
    "pages/judge/question_list",
    "pages/judge/passages/reader",
)
ROUGE_NEEDS = "ROUGE needs none, but ideal answers: `i` marks one on the Judge page."
TEXTS_ALONE = (
    "No grades yet: ROUGE compares texts with ideal answers, every other measure rests "
    "on grades"
)


def style() -> None:
    """Add the style sheets, and the script that is there with the first thing drawn."""
    style, script = style_and_script()
    st.html(f"<script>{script}</script>", unsafe_allow_javascript=True)
    st.html(style)


@lru_cache(maxsize=1)
def style_and_script() -> tuple[SimpleNamespace, str]:
    """Load the style sheets of every page, and the script that comes first."""
    pages = sorted(HERE.glob("pages/**/*.css"))
    sheets = dict.fromkeys([*(HERE / f"{name}.css" for name in FIRST_SHEETS), *pages])
    sheets[HERE / "components/windows.css"] = None  # refines all others
    style = "\n".join(path.read_text("utf-8") for path in sheets)
    early = ("directions", "keys", "early_keys")
    scripts = [(HERE / f"components/{name}.js").read_text("utf-8") for name in early]
    # In a block: it comes again with every page, and must not declare a name twice.
    script = "\n".join(("{", *scripts, "}"))
    # Of a string Streamlit would look at the start of every line, for 2 ms a drawing.
    return SimpleNamespace(_repr_html_=lambda: f"<style>{style}</style>"), script


@dataclass(frozen=True)
class Columns:
    """The parts of every page; drawer and bottom take no place while empty."""

    left: DeltaGenerator
    toolbar: DeltaGenerator
    middle: DeltaGenerator
    right: DeltaGenerator
    drawer: DeltaGenerator
    bottom: DeltaGenerator


def columns() -> Columns:
    """Left, the toolbar on top, middle, right; the style sheet gives their widths."""
    with st.container(key="page", horizontal=True, gap=None):
        # Before the left in the order of Tab, after it on the page.
        with st.container(key="main", gap=None):
            toolbar = st.container(
                key="toolbar", horizontal=True, gap="small", vertical_alignment="center"
            )
            with st.container(key="panes", horizontal=True, gap=None):
                middle = st.container(key="middle", gap=None)
                right = st.container(key="right", gap=None)
            drawer = st.container(key="drawer", gap=None)
            bottom = st.container(key="bottom", gap=None)
        left = st.container(key="left", gap=None)
    return Columns(left, toolbar, middle, right, drawer, bottom)


def no_grades(workspace: Workspace, *, ideals: bool = False) -> None:
    """Show ways to get grades in a workspace without a board.

    With ``ideals`` also the measures that need no grades.
    """
    languages, labels = workspace.languages(), grader_labels(workspace.graders())
    if labels and not languages.english:
        empty("No board is shown by default", languages.note, GRADE_BY)
        for name, label in labels.items():
            act(f"Show the board of {label}", pick(events.choose, f"grader={name}"))
        return
    needs = "A board rests on grades of passages. Make them here, or import them."
    about = [needs, ROUGE_NEEDS if ideals else "", languages.note]
    way = GRADE_HERE if languages.english else GRADE_BY
    empty("No grades yet", " ".join(filter(None, about)), way)


def not_graded(workspace: Workspace, why: str) -> None:
    """Say why no passage has a label, with a button for it."""
    languages = workspace.languages()
    note(" ".join(filter(None, [f"{why}.", languages.note])))
    act(*(GRADE_HERE if languages.english else GRADE_BY))


def title(name: str, about: str) -> None:
    """Draw a page's heading with a description."""
    st.html(_drawn("title", name, about))


def brand(title: str) -> None:
    """Curator, the collection's title, and the areas that the person's role has."""
    here = PLACES[session.current().page].area
    with session.drawing() as workspace:
        role = workspace.standing().role
        badges = {"Check": sum(waiting(workspace).values())}
    with st.container(key="brand"):
        st.html(_drawn("brand", title))
        with st.container(key="pages", gap=None):
            for area, icon in AREAS.items():
                if role in (None, "organizer") or area in JUDGES_SEE:
                    key = "area_here" if area == here else f"area_{area.lower()}"
                    with st.container(key=key):
                        page = session.current().pages[area_page(area)]
                        count = badges.get(area, 0)
                        text = f"{area} :gray-badge[{count:,}]" if count else area
                        st.page_link(page, label=text, icon=icon, width="stretch")


def waiting(workspace: Workspace) -> dict[str, int]:
    """Count what waits for the person in each queue of Check.

    Disagreements are for those who may decide them. They take longer to count than
    pairs and norming, so other pages show the last number that Check had.
    """
    this, person = session.current(), workspace.standing()
    if person.role == "viewer":
        return {}
    if not person.can_call("decide"):
        this.disagreements = 0
    elif PLACES[this.page].area == "Check":
        this.disagreements = len(workspace.adjudication().differences)
    queue = workspace.check_queue(session.view().of)
    return {
        "pairs": queue.pairs,
        "norming": queue.norming,
        "disagreements": this.disagreements,
    }


def tabs() -> list[tuple[str, str, bool]]:
    """List name and label of each tab, and whether it is shown."""
    here = session.current().page
    area = PLACES[here].area
    return [
        (name, place.tab, name == here)
        for name, place in PLACES.items()
        if place.area == area
    ]


def notes() -> None:
    """Draw the line of a callback, once."""
    kept, session.current().note = session.current().note, None
    if kept is not None:
        line(*kept)


def line(text: str, error: bool = False) -> None:
    """Draw a line above the page."""
    st.html(line_html(text, error=error))


def line_html(text: str, *, error: bool = False, act: str = "", pick: str = "") -> str:
    """Return a line with an action."""
    return _drawn("line", coded(text), error, act, pick)


def note(text: str) -> None:
    """Draw a sentence in small type."""
    st.html(_drawn("small", "c-note", coded(text)))


def sentence(text: str) -> None:
    """Draw a sentence about the page."""
    st.html(_drawn("small", "c-said", coded(text)))


IMPORT = ("Import…", pick(events.go_to, "Import"))
CURATE = ("Write questions", pick(events.go_to, "Judge"))
GRADE_BY = ("Grade by…", pick(events.go_to, "Grading"))
GRADE_HERE = ("Grade with embedding", pick(events.grade, "embedding"))


def empty(title: str, sentence: str, *acts: tuple[str, str]) -> None:
    """Say what is missing, with buttons for it: each a label and what it sends."""
    st.html(_drawn("empty", title, coded(sentence), acts))


def act(label: str, pick: str) -> None:
    """Draw a button for the next action."""
    st.html(_drawn("act", label, pick))


def ask(*about: object) -> None:
    """Have the page ask for confirmation; without arguments no longer."""
    session.current().asking = about or None


def asking(*about: object) -> bool:
    """Return True while the page asks for confirmation of this."""
    return session.current().asking == about


def confirmation(text: str, label: str, change: Callable[[Workspace], object]) -> None:
    """Draw what would be done, and the two buttons that answer."""

    def confirm() -> None:
        ask()
        session.save(change)

    with st.container(key="asking", gap=None):
        sentence(text)
        with st.container(key="asking_answers", horizontal=True, gap="small"):
            st.button(label, key="asked_yes", type="primary", on_click=confirm)
            st.button("No", key="asked_no", on_click=ask)


def signed_in() -> bool:
    """Return True for a user with a name; else draw the sign-in and return False."""
    try:
        identity.name()
    except SignInError as error:
        failed = identity.FAILED.get(st.query_params.get(identity.SIGN_IN, ""))
        with st.container(key="sign_in"):
            st.html(_drawn("sign_in", failed or str(error), failed is not None))
            if identity.auth().way == "oidc":
                st.button(
                    "Sign in", key="do_sign_in", type="primary", on_click=st.login
                )
        return False
    return True


def _drawn(piece: str, *values: object) -> Markup:
    return macro("components/shell.html", piece)(*values)


def to_find() -> dict[str, list[Any]]:
    """Return pages, queries and systems with their names, for the search by Ctrl+K."""
    names: dict[str, list[Any]] = {"queries": [], "systems": []}
    with suppress(*session.EXPECTED), session.drawing() as workspace:
        collection = workspace.collection()
        queries = [(query.query_id, query.name) for query in collection.queries]
        names["queries"] = queries if len(queries) <= MOST_QUERIES else []
        names["systems"] = list(collection.systems)[:MOST_QUERIES]
    return {"pages": [(name, label(name)) for name in PLACES], **names}


def draw_part(draw: Callable[[Workspace], None]) -> None:
    """Draw a part of a page that is drawn again by itself; a refusal is one line."""
    try:
        with session.drawing() as workspace:
            draw(workspace)
    except session.EXPECTED as error:
        line(str(error), error=True)


@st.fragment(run_every=0.5)
def wait_for(task: Task, sentence: str) -> None:
    """Draw the page again once this background task has a result."""
    if session.service().result(task) is not None:
        st.rerun()
    note(sentence)


def around(workspace: Workspace, columns: Columns, *choices: Markup) -> None:
    """Draw the left column and toolbar of a page without settings."""
    with columns.left:
        brand(workspace.collection().title)
    toolbar(columns.toolbar, workspace, choices=choices)


def guidelines(collection: Collection) -> None:
    """Draw the organizer's guidelines beneath the queries, or a line while closed."""
    if not collection.guidelines:
        return
    opened = session.view().guidelines
    with st.container(key="guidelines", gap=None):
        st.html(_drawn("guidelines", opened))
        if opened:
            with st.container(key="guidelines_text"):
                # Streamlit's Markdown shows HTML as text unless told otherwise.
                st.markdown(collection.guidelines)


ITEMS = {"1": "1 item", "2": "2 items", "3": "3 items"}  # that make a label
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
    by_topics: bool = False,
    choices: Iterable[Markup] = (),
) -> None:
    """Draw the tabs, the settings in one chip, what is saved and who signs.

    With ``baseline`` also what boards are compared with, with ``by_topics`` what they
    are the mean over; ``choices`` are the page's own. Native lists: a page of them
    draws in a third of the time of Streamlit's own.
    """
    lists, chip = list(choices), None
    if settings is not None:
        lists += _setting_lists(workspace, settings, by_topics=by_topics)
        labels = grader_labels(workspace.graders())
        chip = settings.measure, labels[settings.grader]
    if baseline and settings is not None:
        against = session.view().against
        lists.append(choice_html("Against", "against", BASELINES, against))
    events = workspace.baselines()
    template = macro("components/shell.html", "toolbar")
    place.html(
        template(
            tabs(),
            chip,
            lists,
            workspace.collection().blind,
            words.clock(events.saved_at, session.zone()),
            events.latest,
            workspace.judge,
            workspace.standing().role,
            identity.auth().way == "oidc",
        )
    )


def _setting_lists(
    workspace: Workspace, settings: Settings, *, by_topics: bool
) -> Iterator[Markup]:
    """Yield the lists of settings that this grader and measure have."""
    graders = workspace.graders()
    labels = grader_labels(graders)
    if labels:
        yield choice_html("Grader", "grader", labels, settings.grader)
    measures = board_measures(workspace)
    yield choice_html("Measure", "measure", measures, settings.measure, other=True)
    kind = next((g.kind for g in graders if g.name == settings.grader), "")
    if kind in ("rated", "direct"):
        ratings = range(1, workspace.highest_rating(settings.grader) + 1)
        yield choice_html("Rating ≥", "rating", ratings, settings.min_rating)
    if kind not in ("", "direct"):  # whose one rating is the label
        yield choice_html("Label", "label", RULES, settings.label)
    if kind == "rated" and not settings.rule.fractional:
        yield choice_html("Labels by", "answered", ITEMS, settings.min_answered)
    if uses_k(settings.measure):
        yield choice_html("Top k", "k", DEPTHS, settings.k)
    if by_topics:
        yield choice_html("By", "by", get_args(By), settings.by)


def choice_html(
    label: str,
    name: str,
    options: Iterable[object] | Mapping[str, str],
    value: object,
    *,
    other: bool = False,
) -> Markup:
    """Return a list with the current value; the choice is sent as a setting.

    Options may have words. With ``other`` the last entry is a field for a name.
    """
    words_for = options if isinstance(options, Mapping) else {}
    values = dict.fromkeys([*map(str, options), str(value)])
    choices = [(each, words_for.get(each, each)) for each in values]
    drawn = macro("components/shell.html", "choice")
    return drawn(label, name, choices, str(value), other)
