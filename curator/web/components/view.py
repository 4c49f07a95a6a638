"""The view of a page, as a value that the URL carries. No Streamlit here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date
from typing import Any, Literal, get_args

from curator.bank.edits.kinds import KINDS
from curator.evaluation.settings import DEFAULT_K, DEFAULT_MIN_ANSWERED, By, Label
from curator.verbs.checks.batch import BatchSource
from curator.verbs.passages.pool_rows import Order, Show

Against = Literal["edit", "session", "import"]
Scope = Literal["all", "here"]
Queue = Literal["all", "pairs", "norming", "disagreements"]
ShownPassages = Literal[Show, "answers"]

MOST_MEASURES = 12
SEPARATOR = "|"  # stands in no measure's name


@dataclass(frozen=True)
class View:
    """Opened items and settings of a page; None is the first there is."""

    query: str | None = None
    question: str | None = None
    passage: str | None = None
    grader: str | None = None
    measure: str = ""  # that of the first board
    rating: int | None = None  # the grader's own
    k: int = DEFAULT_K
    against: Against = "edit"
    start: int | None = None  # the event at which this session began
    judge: str | None = None  # who signs edits, where names are on trust
    event: int | None = None  # the one opened in the history
    solo: bool = False  # the board under the question alone
    show: ShownPassages | None = None  # of the passages, as system to reverse
    system: str | None = None  # also the one whose page is opened
    words: str = ""
    sort: Order = "look"
    reverse: bool = False
    who: str | None = None  # which events of the history are listed
    kind: str | None = None
    day: str | None = None
    sheet: int | None = None  # the page of the history
    measures: tuple[str, ...] = ()  # compared, () for the usual ones
    first: str | None = None  # the two systems compared
    second: str | None = None
    within: str | None = None  # the query of listed events
    answer: str | None = None  # on Norming ROUND/ITEM
    file: str | None = None  # the kind of file to export
    release: str | None = None
    by: By = "query"  # what boards are the mean over
    answered: int = DEFAULT_MIN_ANSWERED  # items that make a label
    reference: str | None = None  # what “Can I trust it?” compares with
    label: Label | None = None  # that of the first board
    of: BatchSource | None = None  # what the first board's grader grades
    guidelines: bool = False  # their pane is open
    board: bool = False  # the drawer of the Judge page is open
    proposals: bool = False  # the dialog of the Judge page is open
    pool: bool = False  # the list of passages is open in the reader
    scope: Scope = "all"
    queue: Queue = "all"
    organize: bool = False  # the pane of the Check page is open


FIELDS = fields(View)
NUMBERS = {
    "rating": (0, 5),
    "k": (1, 1000),
    "answered": (1, 1000),
    "sheet": (1, 100_000),
}
NUMBERS |= dict.fromkeys(("start", "event"), (0, 2**53))
CHOICES = {
    "by": get_args(By),
    "label": get_args(Label),
    "against": get_args(Against),
    "show": get_args(ShownPassages),
    "sort": get_args(Order),
    "kind": tuple(KINDS),
    "of": get_args(BatchSource),
    "scope": get_args(Scope),
    "queue": get_args(Queue),
}
FLAGS = [field.name for field in FIELDS if field.default is False]
ALWAYS = ("measure", "k")  # in the URL, whatever they are


def from_params(params: Mapping[str, str]) -> View:
    """Return the view of a URL; what cannot be read takes its default."""
    values: dict[str, Any] = {}
    for name in params.keys() & {field.name for field in FIELDS}:
        text = params[name]
        if name in NUMBERS:
            values[name] = whole_number(text, *NUMBERS[name])
        elif name in CHOICES:
            values[name] = text if text in CHOICES[name] else None
        elif name in FLAGS:
            values[name] = text == "yes"
        elif name == "day":
            values[name] = _day(text)
        elif name == "measures":
            values[name] = _names(text)
        else:
            values[name] = text or None
    return View(**{name: value for name, value in values.items() if value is not None})


def to_params(view: View) -> dict[str, str]:
    """Return the URL's parameters of this view; ``from_params`` reads them back."""
    values = {}
    for field in FIELDS:
        name, value = field.name, getattr(view, field.name)
        if name == "start" and view.against != "session":
            continue
        if value != field.default or name in ALWAYS:
            values[name] = SEPARATOR.join(value) if name == "measures" else str(value)
    return values | {name: "yes" for name in FLAGS if name in values}


def _names(text: str) -> tuple[str, ...]:
    names = [name.strip() for name in text.split(SEPARATOR)]
    return tuple(dict.fromkeys(filter(None, names)))[:MOST_MEASURES]


def _day(text: str) -> str | None:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        return None


def whole_number(text: str, low: int, high: int) -> int | None:
    """Return the whole number in ``text``, None unless it is one in range."""
    if not text.isascii() or not text.isdigit() or len(text) > 16:
        return None
    return int(text) if low <= int(text) <= high else None
