"""Events that several pages send, and how an event saves edits.

Events of a single page are handled in its own folder; ``pages/events.py`` lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import parse_qsl

from curator.bank.edits import Change, Edit, kinds
from curator.bank.marks.vote import Voted
from curator.bank.questions import Bank
from curator.bank.wording import shortened
from curator.errors import AlreadyAskedError, NothingToChangeError, StaleEditError
from curator.store.history import Batch
from curator.web.components import session
from curator.web.components.channel import Answer, Conflict, PageEvent, handles
from curator.web.components.view import from_params, to_params, whole_number
from curator.workspace import Workspace

LONGEST_LOOK = 600.0  # seconds
HISTORY_FILTERS = ("within", "who", "kind", "day")
SETTINGS = (
    *("grader", "measure", "rating", "label", "answered", "k", "by", "against"),
    *("answer", "reference", "of", "sheet"),
    *("queue", "organize"),
    *HISTORY_FILTERS,
)

SettingHandler = Callable[[str, str], None]
SETTING_HANDLERS: dict[str, SettingHandler] = {}


def handles_settings(*names: str) -> Callable[[SettingHandler], SettingHandler]:
    """Have the function take a page's own settings: it is called with name and value.

    All other settings are part of the URL.
    """

    def registered(handler: SettingHandler) -> SettingHandler:
        SETTING_HANDLERS.update(dict.fromkeys(names, handler))
        return handler

    return registered


def time_spent(seconds: float | None) -> float | None:
    """The seconds that a judge looked; None if not within ten minutes, or no number."""
    return seconds if seconds is not None and 0 <= seconds <= LONGEST_LOOK else None


def apply(
    workspace: Workspace,
    event: PageEvent,
    edits: Sequence[Edit],
    seconds: float | None = None,
) -> Batch:
    """Save the edits once for this event, with what the judge saw."""
    return workspace.apply(
        edits,
        nonce=event.nonce,
        shown=session.current().settings_seen,
        seconds=time_spent(seconds),
    )


def save_change(
    event: PageEvent,
    change: Callable[[Workspace], Batch] | Sequence[Edit],
    following: str | None = None,
    *,
    look: bool = True,
    text: str | None = None,
    seconds: float | None = None,
) -> Answer:
    """Save a change and return its answer; without ``look`` the view stays.

    ``text`` is the new text of a question, ``following`` the question to open next.
    """
    try:
        with session.workspace() as workspace:
            if callable(change):
                batch = change(workspace)
            else:
                batch = apply(workspace, event, change, seconds)
    except StaleEditError as error:
        return _stale_answer(event, error, text)
    except AlreadyAskedError as error:
        return Answer(event.nonce, False, line=str(error))
    except NothingToChangeError:
        return Answer(event.nonce, True)
    changes = [each for each in batch.changes if each.question_id]
    for each in changes:
        before = (each.before.text, each.before.choices) if each.before else None
        # A grader may be asked for something it was not asked for before.
        if each.after is not None and (each.after.text, each.after.choices) != before:
            session.current().to_grade = changes[0].query_id
    first = batch.changes[0] if batch.changes else None
    if look and first and session.view().query in (None, first.query_id):
        marks = [each.mark for each in batch.changes]
        votes = [mark.question_id for mark in marks if isinstance(mark, Voted)]
        if votes:
            session.look(question=following or votes[0])
        if changes:
            removed = changes[0].after is None  # an addition was undone
            target = following or (None if removed else changes[0].question_id)
            session.look(question=target, passage=None, solo=False)
    return Answer(
        event.nonce,
        True,
        question=first.question_id if first else None,
        revisions=tuple(
            (each.after.question_id, each.before.revision, each.after.revision)
            for each in changes
            if each.before is not None and each.after is not None
        ),
    )


def _stale_answer(event: PageEvent, error: StaleEditError, text: str | None) -> Answer:
    """A line; for a new text the two texts, and no refusal if they are the same."""
    by, theirs = error.theirs_by or "Somebody", error.theirs or ""
    if text is None:
        line = f"{by} has changed '{shortened(theirs)}' meanwhile: look at it as it is"
        return Answer(event.nonce, False, line=f"{line} now.")
    if theirs and theirs.strip() == error.mine:
        return Answer(event.nonce, True)
    both = Conflict(text or theirs, theirs, error.base, error.theirs_revision, by)
    return Answer(event.nonce, False, conflict=both)


def changed_words(changes: Sequence[Change], bank: Bank) -> str:
    """``Undone: retired · How do leaves…``; of several also how many more."""
    first, *more = changes
    change = kinds.describe(first, shortened)
    about = shortened(kinds.subject(first, bank))
    others = f"and {len(more):,} more" if more else ""
    parts = (change[:1].upper() + change[1:], about, others)
    return " · ".join(filter(None, parts))


@handles("undo", "redo")
def undo(event: PageEvent, *, query: str) -> Answer:
    """Undo or redo the judge's latest edit in the query."""

    def change(workspace: Workspace) -> Batch:
        verb = workspace.undo if event.type == "undo" else workspace.redo
        return verb(query, nonce=event.nonce, shown=session.current().settings_seen)

    return save_change(event, change)


@handles("query")
def open_query(*, name: str) -> None:
    """Open a query from its top."""
    session.look(query=name, question=None, passage=None, solo=False, words="")


@handles("judge", "curate")
def judge_query(*, name: str) -> None:
    """Open a query on the Judge page."""
    open_query(name=name)
    session.current().go_to = "Judge"


@handles("select")
def select(*, question: str) -> None:
    """Select a question of a list, or none."""
    # A late event must not end the board under this question alone.
    alone = session.view().solo and session.view().question == question
    session.look(question=question or None, solo=alone)


@handles("passage")
def open_passage(*, name: str) -> None:
    """Open a passage in the reader."""
    session.look(passage=name, pool=False)


@handles("at", "on-curate")
def open_place(*, name: str) -> None:
    """Open ``query=…&question=…&passage=…`` on the Judge page."""
    visit(name=f"Judge?{name}")


@handles("visit")
def visit(*, name: str) -> None:
    """Open a query, question or passage on the page named, ``PAGE?query=…``.

    No filter hides it there.
    """
    page, _, place = name.partition("?")
    session.look(**_place(place), solo=False, show=None, system=None, words="")
    session.look(pool=False)
    session.current().go_to = page


def _place(name: str) -> dict[str, str | None]:
    parameters = dict(parse_qsl(name))
    place = {part: parameters.get(part) for part in ("query", "question", "passage")}
    return place | ({"grader": parameters["grader"]} if "grader" in parameters else {})


@handles("goto")
def go_to(*, name: str) -> None:
    """Go to another page, ``PAGE`` or ``PAGE?SETTING=VALUE``."""
    page, _, setting = name.partition("?")
    if setting:
        choose(name=setting)
    session.current().go_to = page


@handles("guidelines")
def show_guidelines() -> None:
    """Open the organizer's guidelines, or close them."""
    session.look(guidelines=not session.view().guidelines)


@handles("set")
def choose(*, name: str) -> None:
    """Take a setting, ``NAME=VALUE`` as in the URL."""
    setting, _, value = name.partition("=")
    if setting in SETTING_HANDLERS:
        SETTING_HANDLERS[setting](setting, value)
    elif name == "events=all":
        session.look(**dict.fromkeys(HISTORY_FILTERS), sheet=None)
    elif setting in SETTINGS:
        params = to_params(session.view()) | {setting: value}
        if setting in HISTORY_FILTERS:
            params.pop("sheet", None)
        if setting == "sheet":
            params.pop("event", None)
        session.current().view = from_params(params)


@handles("forget")
def forget(*, name: str) -> None:
    """Dismiss the result of the last grading or asking."""
    if name == "begun":
        session.current().begun = None
    elif name == "asked":
        session.current().request = None


@handles("grade")
def grade(*, name: str) -> None:
    """Start a grader."""
    session.send("start", name)
    session.current().counted = None  # what is missing changes now


@handles("start")
def start(*, name: str) -> None:
    """Start a grader as it was counted, within the same budget."""
    counted = session.current().counted
    about = dict(counted.about) if counted and counted.grader == name else {}
    session.send("start", name, **about)
    session.current().counted = None


@handles("again")
def grade_again(*, name: str) -> None:
    """Ask a grader again for its unreadable responses."""
    session.send("again", name)


@handles("count")
def count(*, name: str) -> None:
    """Count what a grader would be asked, and show it on Grading."""
    session.send("count", name)
    session.current().go_to = "Grading"


@handles("unreadable")
def show_unreadable(*, name: str) -> None:
    """Open the unreadable responses of a grader."""
    session.current().unreadable_of = name
    session.current().go_to = "Grading"


@handles("pause")
def pause(*, name: str) -> None:
    """Pause a job."""
    change_job("pause", name)


@handles("resume")
def resume(*, name: str) -> None:
    """Resume a job."""
    change_job("resume", name)


def change_job(what: str, name: str) -> None:
    """Pause, resume or stop a job by its number; a refusal is noted in one line."""
    if (job_id := whole_number(name, 1, 2**31)) is not None:
        with session.noting() as workspace:
            getattr(workspace, f"{what}_job")(job_id)
