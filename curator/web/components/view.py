"""What a page shows, as a value that the URL carries. No Streamlit here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date
from typing import Any, Literal, get_args

from curator.bank.edits.kinds import KINDS
from curator.evaluation.settings import DEFAULT_K, DEFAULT_MIN_ANSWERED, By, Label
from curator.verbs.checks.batch import BatchSource
from curator.verbs.passages.order import Order
from curator.verbs.passages.pool_rows import Show

Against = Literal["edit", "session", "import"]
Scope = Literal["all", "here"]
Queue = Literal["all", "pairs", "norming", "disagreements"]

MOST_MEASURES = 12
SEPARATOR = "|"  # stands in no measure's name


@dataclass(frozen=True)
class View:
    """Query, question and passage opened, settings, and what is compared with.

    None stands for "the first there is". ``start`` is the event at which this session
    began; ``judge`` signs edits where the URL names one; ``event`` is the one opened
    in the history; ``solo`` asks for the board under the question alone. ``show``,
    ``system``, ``words``, ``sort``, ``reverse`` and ``page`` are for the passages of
    the query; ``system`` is also the one whose page is opened. ``who``, ``kind``,
    ``day`` and ``within`` say which events of the history are listed, ``sheet`` which
    page of them. ``measures`` are those
    compared, () for the usual ones; ``first`` and ``second`` the systems held against
    each other. ``source`` is the grader whose answers are checked, ``between`` says
    which of them are listed (by an option of present/answer_checks.py), ``within`` the
    query whose answers are listed and ``answer`` is the short id of the one opened; on
    Check the item opened, or the round.
    ``file`` is the kind of file to export, ``release`` the release opened, ``by`` what
    the board of the Ranking tab is the mean over. ``answered`` is how many items make a
    label, ``label`` by which rule ratings do. ``reference`` is what the tab
    “Can I trust it?” holds boards against, ``of`` what pairs the Check page
    draws, ``queue`` what it asks about. ``scope`` is over which queries the Judge page
    shows ranks.
    """

    query: str | None = None
    question: str | None = None
    passage: str | None = None
    grader: str | None = None
    measure: str = ""  # that of the first board
    rating: int | None = None  # the grader's own
    k: int = DEFAULT_K
    against: Against = "edit"
    start: int | None = None
    judge: str | None = None
    event: int | None = None
    solo: bool = False
    show: Show = "all"
    system: str | None = None
    page: int = 1
    words: str = ""
    sort: Order = "look"
    reverse: bool = False
    who: str | None = None
    kind: str | None = None
    day: str | None = None
    sheet: int | None = None
    measures: tuple[str, ...] = ()
    first: str | None = None
    second: str | None = None
    source: str | None = None
    between: str | None = None
    within: str | None = None
    answer: str | None = None
    file: str | None = None
    release: str | None = None
    by: By = "query"
    answered: int = DEFAULT_MIN_ANSWERED
    reference: str | None = None
    label: Label | None = None  # that of the first board
    of: BatchSource | None = None  # what the first board's grader grades
    guidelines: bool = False  # their pane is open
    board: bool = False  # the drawer of the Judge page is open
    scope: Scope = "all"
    queue: Queue = "all"
    organize: bool = False  # the pane of the Check page is open


FIELDS = fields(View)
NUMBERS = {
    "rating": (0, 5),
    "k": (1, 1000),
    "answered": (1, 1000),
    "page": (1, 100_000),
    "sheet": (1, 100_000),
}
NUMBERS |= dict.fromkeys(("start", "event"), (0, 2**53))
CHOICES = {
    "by": get_args(By),
    "label": get_args(Label),
    "against": get_args(Against),
    "show": get_args(Show),
    "sort": get_args(Order),
    "kind": tuple(KINDS),
    "of": get_args(BatchSource),
    "scope": get_args(Scope),
    "queue": get_args(Queue),
}
FLAGS = ("solo", "reverse", "guidelines", "board", "organize")
ALWAYS = ("measure", "k")  # in the URL, whatever they are


def from_params(params: Mapping[str, str]) -> View:
    """The view a URL asks for; what cannot be read takes its default."""
    given: dict[str, Any] = {}
    for name in params.keys() & {field.name for field in FIELDS}:
        text = params[name]
        if name in NUMBERS:
            given[name] = whole_number(text, *NUMBERS[name])
        elif name in CHOICES:
            given[name] = text if text in CHOICES[name] else None
        elif name in FLAGS:
            given[name] = text == "yes"
        elif name == "day":
            given[name] = _day(text)
        elif name == "measures":
            given[name] = _names(text)
        else:
            given[name] = text or None
    return View(**{name: value for name, value in given.items() if value is not None})


def to_params(view: View) -> dict[str, str]:
    """The URL's parameters of this view; :func:`from_params` reads them back."""
    given = {}
    for field in FIELDS:
        name, value = field.name, getattr(view, field.name)
        if name == "start" and view.against != "session":
            continue
        if value != field.default or name in ALWAYS:
            given[name] = SEPARATOR.join(value) if name == "measures" else str(value)
    return given | {name: "yes" for name in FLAGS if name in given}


def _names(text: str) -> tuple[str, ...]:
    """The names in ``text``, each once."""
    given = [one.strip() for one in text.split(SEPARATOR)]
    return tuple(dict.fromkeys(filter(None, given)))[:MOST_MEASURES]


def _day(text: str) -> str | None:
    """The day in ``text``, as ``2026-03-14``."""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        return None


def whole_number(text: str, low: int, high: int) -> int | None:
    """Return the whole number in ``text``, None unless it is one in range."""
    if not text.isascii() or not text.isdigit() or len(text) > 16:
        return None
    return int(text) if low <= int(text) <= high else None
