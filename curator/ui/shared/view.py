"""What a page shows, as a value that the URL carries. No Streamlit here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args

from curator.evaluation.settings import (
    DEFAULT_K,
    DEFAULT_MEASURE,
    DEFAULT_MIN_RATING,
)
from curator.verbs.passages.pool_rows import Show

Against = Literal["edit", "session", "import"]

MOST_MEASURES = 12
SEPARATOR = "|"  # stands in no measure's name


@dataclass(frozen=True)
class View:
    """Query, question and passage opened, settings, and what is compared with.

    None stands for "the first there is". ``start`` is the event at which this session
    began; ``judge`` signs edits where the URL names one; ``event`` is the one opened
    in the history; ``solo`` asks for the board under the question alone. ``show``,
    ``system`` and ``page`` are for the passages of the query; ``system`` is also the
    one whose page is opened. ``measures`` are those compared, () for the usual ones;
    ``first`` and ``second`` the systems held against each other. ``source`` is the
    grader whose answers are checked, ``between`` says which of them are listed (by an
    option of present/answer_checks.py), ``within`` the query whose answers are listed
    and ``answer`` is the short id of the one opened. ``file`` is the kind of file to
    export, ``release`` the release opened.
    """

    query: str | None = None
    question: str | None = None
    passage: str | None = None
    grader: str | None = None
    measure: str = DEFAULT_MEASURE
    rating: int = DEFAULT_MIN_RATING
    k: int = DEFAULT_K
    against: Against = "edit"
    start: int | None = None
    judge: str | None = None
    event: int | None = None
    solo: bool = False
    show: Show = "all"
    system: str | None = None
    page: int = 1
    measures: tuple[str, ...] = ()
    first: str | None = None
    second: str | None = None
    source: str | None = None
    between: str | None = None
    within: str | None = None
    answer: str | None = None
    file: str | None = None
    release: str | None = None


def from_params(params: Mapping[str, str]) -> View:
    """The view a URL asks for; what cannot be read takes its default."""
    against, show = params.get("against"), params.get("show")
    start, event = (_number(params.get(n), 0, 2**53, -1) for n in ("start", "event"))
    return View(
        query=params.get("query") or None,
        question=params.get("question") or None,
        passage=params.get("passage") or None,
        grader=params.get("grader") or None,
        measure=params.get("measure") or DEFAULT_MEASURE,
        rating=_number(params.get("rating"), 0, 5, DEFAULT_MIN_RATING),
        k=_number(params.get("k"), 1, 1000, DEFAULT_K),
        against=cast("Against", against) if against in get_args(Against) else "edit",
        start=None if start < 0 else start,
        judge=params.get("judge") or None,
        event=None if event < 0 else event,
        solo=params.get("solo") == "yes",
        show=cast("Show", show) if show in get_args(Show) else "all",
        system=params.get("system") or None,
        page=_number(params.get("page"), 1, 100_000, 1),
        measures=_names(params.get("measures")),
        first=params.get("first") or None,
        second=params.get("second") or None,
        source=params.get("source") or None,
        between=params.get("between") or None,
        within=params.get("within") or None,
        answer=params.get("answer") or None,
        file=params.get("file") or None,
        release=params.get("release") or None,
    )


def to_params(view: View) -> dict[str, str]:
    """The URL's parameters of this view; :func:`from_params` reads them back."""
    given = {
        "query": view.query,
        "question": view.question,
        "passage": view.passage,
        "grader": view.grader,
        "measure": view.measure,
        "rating": str(view.rating),
        "k": str(view.k),
        "against": None if view.against == "edit" else view.against,
        "start": str(view.start) if view.against == "session" else None,
        "judge": view.judge,
        "event": None if view.event is None else str(view.event),
        "solo": "yes" if view.solo else None,
        "show": None if view.show == "all" else view.show,
        "system": view.system,
        "page": None if view.page == 1 else str(view.page),
        "measures": SEPARATOR.join(view.measures) or None,
        "first": view.first,
        "second": view.second,
        "source": view.source,
        "between": view.between,
        "within": view.within,
        "answer": view.answer,
        "file": view.file,
        "release": view.release,
    }
    return {name: value for name, value in given.items() if value is not None}


def _names(text: str | None) -> tuple[str, ...]:
    """The names in ``text``, each once."""
    given = [one.strip() for one in (text or "").split(SEPARATOR)]
    return tuple(dict.fromkeys(one for one in given if one))[:MOST_MEASURES]


def _number(text: str | None, low: int, high: int, default: int) -> int:
    """The whole number in ``text`` if it is one in range, else the default."""
    if text is None or not text.isascii() or not text.isdigit() or len(text) > 16:
        return default
    number = int(text)
    return number if low <= number <= high else default
