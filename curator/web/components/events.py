"""What each event does: a judge's edits, and what they look at.

Events of one page alone are handled beside it; importing this registers them all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal
from urllib.parse import parse_qsl, unquote

from curator.bank.answer_keys import read_key
from curator.bank.edits import (
    Add,
    Change,
    CheckPair,
    Dismiss,
    Done,
    Edit,
    JudgeAnswer,
    Keep,
    Restore,
    Retire,
    Reword,
    SetKey,
    Vote,
    WriteNote,
    kinds,
)
from curator.bank.edits.check import check_by
from curator.bank.edits.vote import Voted
from curator.bank.marks import Correctness, Importance
from curator.bank.questions import Bank, Kind
from curator.bank.wording import shortened
from curator.errors import (
    AlreadyAskedError,
    AnswerKeyError,
    EditError,
    NothingToChangeError,
    StaleEditError,
    UnknownNameError,
)
from curator.generation.pasted import pasted_texts
from curator.store.history import Batch
from curator.verbs.checks.batch import BatchSource
from curator.web.components import endpoint_trial, query_list, session
from curator.web.components.channel import Answer, Conflict, PageEvent, handles
from curator.web.components.settings import settings_for
from curator.web.components.view import NUMBERS, from_params, to_params, whole_number
from curator.web.pages.check.disagreements import decisions as differences
from curator.web.pages.check.norming import answering
from curator.web.pages.judge.passages import passage_writer
from curator.web.pages.judge.passages.passage_text import located
from curator.web.pages.judge.proposal_rows import gate_words
from curator.web.pages.judge.proposals import request_form
from curator.web.pages.releases import page_state as exporting
from curator.web.pages.results.compare import page_state as comparing
from curator.web.pages.settings import settings_form
from curator.web.pages.settings.grading import grader_events
from curator.workspace import Workspace

__all__ = [
    "answering",
    "endpoint_trial",
    "grader_events",
    "passage_writer",
    "request_form",
    "settings_form",
]  # their events are registered

MAX_TEXTS = 200  # questions in one pasted list
MAX_AT_ONCE = 1000  # proposals kept or dropped in one step
MAX_WEIGHED = 4  # texts, of which one is asked about at a time
LONGEST_LOOK = 600.0  # seconds
SETTINGS = (
    *("grader", "measure", "rating", "label", "answered", "k", "by", "against"),
    *("source", "between", "within", "answer", "reference", "of"),
    *("who", "kind", "day", "sheet"),
)
LISTED = ("within", "who", "kind", "day")  # which events of the history

# Edits. ``based_on`` is the revision that was on the screen, ``seconds`` how long the
# judge looked before deciding on a proposal, ``following`` the question looked at then.


@handles("add")
def add(
    event: PageEvent,
    *,
    query: str,
    texts: list[str],
    subtopic: str | None = None,
    passage: str | None = None,
    key: str | None = None,
    item_kind: Kind = "question",
    step: tuple[str, str] | None = None,
) -> Answer:
    """Items that a judge wrote: one, a pasted list, or one from a passage.

    Numbers, bullets, quotes and other columns of a list are left out.

    ``key`` are the lines of one question's answer key. ``step`` are the key and state
    of the next step that they follow: with them it is dismissed.
    """
    session.current().adding = "", ""
    texts = pasted_texts("\n".join(texts))
    if len(texts) > MAX_TEXTS:
        raise EditError(
            f"At most {MAX_TEXTS} questions are added at once; these are "
            f"{len(texts)}. Nothing was added."
        )
    if key and len(texts) > 1:
        raise AnswerKeyError(
            f"A key is of one question, and these are {len(texts)}: add that one by "
            "itself. Nothing was added."
        )
    answers, choices = read_key(key or "")

    def change(workspace: Workspace) -> Batch:
        if query not in workspace.collection().pools:
            raise UnknownNameError(f"No query '{query}' in this workspace.")
        edits: list[Edit] = [
            Add(query, text, item_kind, subtopic or None, answers, choices)
            for text in texts
        ]
        left = [(o.key, o.state) for o in workspace.bank().dismissals_of(query)]
        if step is not None and step not in left:
            edits.append(Dismiss(query, *step, "written"))
        return apply(workspace, event, edits)

    reading = session.view().passage
    answer = saved(event, change, look=passage is None)
    if step is not None:
        session.look(passage=reading)  # is it answered now?
    if answer.question and passage is not None:
        session.current().added = (answer.question, passage)
    return answer


@handles("reword", "key")
def reword(
    event: PageEvent,
    *,
    question: str,
    texts: list[str],
    key: str | None = None,
    based_on: int | None = None,
    seconds: float | None = None,
    following: str | None = None,
) -> Answer:
    """Other words for a question, another answer key as lines, or both.

    Where words are stale, both texts.
    """
    answers, choices = (None, None) if key is None else read_key(key)
    if event.type == "key":
        return saved(event, [SetKey(question, answers, choices, based_on)])
    text = "\n".join(texts)
    edit = Reword(question, text, based_on, answers, choices)
    return saved(event, [edit], following, seconds=seconds, text=text)


@handles("retire", "restore", "keep")
def decide(
    event: PageEvent,
    *,
    question: str,
    based_on: int | None = None,
    seconds: float | None = None,
    following: str | None = None,
    reason: str | None = None,
) -> Answer:
    """A question or proposal leaves, for this reason, comes back, or is kept."""
    kind = {"retire": Retire, "restore": Restore, "keep": Keep}[event.type]
    edit: Edit = kind(question, based_on=based_on)
    if event.type == "retire":
        edit = Retire(question, reason, based_on)
    return saved(event, [edit], following, seconds=seconds)


@handles("keep all", "drop all")
def decide_all(
    event: PageEvent,
    *,
    many: list[tuple[str, int]],
    seconds: float | None = None,
) -> Answer:
    """Every proposal on the screen at once, each with the revision that was read."""
    if len(many) > MAX_AT_ONCE:
        raise EditError(
            f"At most {MAX_AT_ONCE:,} proposals are decided at once; these are "
            f"{len(many):,}. Nothing was changed."
        )
    kind = Keep if event.type == "keep all" else Retire
    edits = [kind(question, based_on=revision) for question, revision in many]
    return saved(event, edits, seconds=seconds)


@handles("vote")
def vote(
    event: PageEvent,
    *,
    question: str,
    vote: Importance | Literal[""],
    following: str | None = None,
) -> Answer:
    """How important the judge finds a question; "" takes that back."""
    return saved(event, [Vote(question, vote or None)], following)


@handles("note")
def note(event: PageEvent, *, question: str, texts: list[str], flagged: bool) -> Answer:
    """The judge's own words on a question, and a flag; neither takes both away."""
    return saved(event, [WriteNote(question, "\n".join(texts), flagged)])


@handles("dismiss")
def dismiss(
    event: PageEvent, *, query: str, key: str, state: str, reason: str
) -> Answer:
    """A next step is left alone until its state changes."""
    return saved(event, [Dismiss(query, key, state, reason)], look=False)


@handles("verdict")
def verdict(
    event: PageEvent,
    *,
    question: str,
    texts: list[str],
    verdict: Correctness | Literal[""],
    based_on: int | None = None,
) -> Answer:
    """What the judge says of an answer; "" takes that back."""
    answer = "\n".join(texts)
    return saved(
        event, [JudgeAnswer(question, answer, verdict or None, based_on=based_on)]
    )


@handles("check")
def check(
    event: PageEvent,
    *,
    of: BatchSource,
    draw: str,
    place: int,
    answer: str,
    before: str = "",
    seconds: float | None = None,
) -> Answer:
    """What the judge says of a pair they were drawn; "" takes it back.

    ``before`` is what they had said, as their page showed it.
    """

    def change(workspace: Workspace) -> Batch:
        return workspace.answer_check(
            *(of, draw, place, answer or None),
            before=before or None,
            seconds=_looked(seconds),
            nonce=event.nonce,
            shown=session.current().seen,
        )

    return saved(event, change, look=False)


@handles("confirm-checks")
def confirm_checks(event: PageEvent, *, name: str) -> Answer:
    """Confirm the judge's answers that are set aside for their speed."""
    with session.workspace() as workspace:
        workspace.confirm_checks(nonce=event.nonce)
    return Answer(event.nonce, True)


@handles("draw")
def draw(event: PageEvent, *, of: BatchSource, draw: str) -> Answer:
    """The pairs after those of this draw; why there are none, where nothing is left.

    After the last of what is theirs a judge is asked of everything, as anybody is.
    """
    with session.workspace() as workspace:
        found = workspace.draw_batch(None if of == "assigned" else of, after=draw)
    if found.of != of and not found.note:
        session.look(of=None)
        session.note("All that is assigned to you is checked: this is of everything.")
    return Answer(event.nonce, not found.note, line=found.note)


@handles("ideal")
def ideal(
    event: PageEvent,
    *,
    query: str,
    passage: str,
    spans: list[tuple[int, int | None]],
    marked: bool,
    words: str = "",
) -> Answer:
    """Spans of a passage become ideal answers, or are so no longer.

    ``words`` are those that were selected in the first.
    """

    def change(workspace: Workspace) -> Batch:
        wanted = tuple(spans[:MAX_AT_ONCE])
        if marked and words and len(wanted) == 1:
            text = workspace.passage_texts([passage]).get(passage, "")
            wanted = (located(text, wanted[0], words),)
        return workspace.mark_ideals(
            query,
            passage,
            wanted,
            marked=marked,
            nonce=event.nonce,
            shown=session.current().seen,
        )

    return saved(event, change)


@handles("done", "reopen")
def done(event: PageEvent, *, query: str) -> Answer:
    """The query is finished, and the next is opened; or it is not after all."""

    def change(workspace: Workspace) -> Batch:
        batch = apply(workspace, event, [Done(query, event.type == "done")])
        # The judge may have gone on by the time it arrives.
        if event.type == "done" and session.view().query == query:
            rows = query_list.query_rows(
                workspace.collection(), workspace.bank(), workspace.judge, query
            )
            mine = workspace.assignments(judge=workspace.judge, work="curate")
            rows = query_list.with_work(rows, mine)
            following = query_list.next_to_do(rows, query)
            if following is not None:
                open_query(name=following)
            elif mine:
                session.note("All that is yours to curate is done.")
        return batch

    return saved(event, change, look=False)


@handles("restrict")
def restrict(*, query: str, lift: bool) -> None:
    """Show the query's texts to organizers alone, or to everybody again."""
    with session.workspace() as workspace:
        workspace.restrict(query, lift=lift)


@handles("undo", "redo")
def undo(event: PageEvent, *, query: str, stay: bool = False) -> Answer:
    """Take back the judge's latest edit in the query, or make it again.

    With ``stay`` the page says what that was, and goes on showing what it shows.
    """

    def change(workspace: Workspace) -> Batch:
        verb = workspace.undo if event.type == "undo" else workspace.redo
        return verb(query, nonce=event.nonce, shown=session.current().seen)

    return saved(event, change, look=not stay, said=stay)


@handles("reason")
def explain(event: PageEvent, *, question: str, reason: str) -> None:
    """Why a question was retired."""
    with session.workspace() as workspace:
        workspace.explain(question, reason)


@handles("weigh")
def weigh(*, question: str, texts: list[str]) -> None:
    """Have said what a text would do in place of a question's, or as a new one."""
    now = session.current()
    if not question:
        now.adding = now.view.query or "", " ".join(texts)
        return
    one = (question, "\n".join(texts))
    now.weighed = (*(each for each in now.weighed if each != one), one)[-MAX_WEIGHED:]


@handles("ask")
def ask(
    event: PageEvent,
    *,
    query: str,
    subtopic: str | None = None,
    passage: str | None = None,
    again: bool = False,
) -> Answer | None:
    """Have a model asked beside the page; what comes of it is seen there."""
    with session.workspace() as workspace:
        gate = workspace.gate(query)
    if gate.closed:
        return Answer(event.nonce, False, line=gate_words(gate.remaining))
    session.ask(
        query,
        subtopic_id=subtopic or None,
        passage_id=passage or None,
        again=again,
    )
    return None


def apply(
    workspace: Workspace,
    event: PageEvent,
    edits: Sequence[Edit],
    seconds: float | None = None,
) -> Batch:
    """Save the edits once for this event, with what the judge saw."""
    seconds, shown = _looked(seconds), session.current().seen
    return workspace.apply(edits, nonce=event.nonce, shown=shown, seconds=seconds)


def _looked(seconds: float | None) -> float | None:
    """How long a judge looked, None where nobody can have looked that long."""
    # What is no number at all is in no range either.
    return seconds if seconds is not None and 0 <= seconds <= LONGEST_LOOK else None


def saved(
    event: PageEvent,
    change: Callable[[Workspace], Batch] | Sequence[Edit],
    following: str | None = None,
    *,
    look: bool = True,
    text: str | None = None,
    seconds: float | None = None,
    said: bool = False,
) -> Answer:
    """What became of a change; without ``look`` the judge stays where they are.

    ``text`` is what a question is to be reworded to; where it is ``said`` the answer
    has what was changed in words.
    """
    try:
        with session.workspace() as workspace:
            if callable(change):
                batch = change(workspace)
            else:
                batch = apply(workspace, event, change, seconds)
            line = changed_words(batch.changes, workspace.bank()) if said else ""
    except StaleEditError as error:
        if text is None:
            who, which = error.theirs_by or "Somebody", shortened(error.theirs or "")
            line = f"{who} has changed '{which}' meanwhile: look at it as it is now."
            return Answer(event.nonce, False, line=line)
        if error.theirs is not None and error.theirs.strip() == error.mine:
            return Answer(event.nonce, True)
        theirs, by = error.theirs or "", error.theirs_by or "Someone"
        both = Conflict(text or theirs, theirs, error.base, error.theirs_revision, by)
        return Answer(event.nonce, False, conflict=both)
    except AlreadyAskedError as error:
        return Answer(event.nonce, False, line=str(error))
    except NothingToChangeError:
        return Answer(event.nonce, True)  # it is as it was to become
    changes = [one for one in batch.changes if one.question_id]
    for one in changes:
        before = (one.before.text, one.before.choices) if one.before else None
        # A grader may be asked for something it was not asked for before.
        if one.after is not None and (one.after.text, one.after.choices) != before:
            session.current().to_grade = changes[0].query_id
    first = batch.changes[0] if batch.changes else None
    if look and first and session.view().query in (None, first.query_id):
        marks = [one.mark for one in batch.changes]
        voted = [mark.question_id for mark in marks if isinstance(mark, Voted)]
        if voted:
            session.look(question=following or voted[0])
        if changes:
            gone = changes[0].after is None  # an addition taken back
            opened = following or (None if gone else changes[0].question_id)
            session.look(question=opened, passage=None, solo=False)
    return Answer(
        event.nonce,
        True,
        line=line,
        question=first.question_id if first else None,
        revisions=tuple(
            (one.after.question_id, one.before.revision, one.after.revision)
            for one in changes
            if one.before is not None and one.after is not None
        ),
    )


def changed_words(changes: Sequence[Change], bank: Bank) -> str:
    """``Undone: retired · How do leaves…``; of several also how many more."""
    first, *more = changes
    said = kinds.describe(first, shortened)
    about = shortened(kinds.subject(first, bank))
    others = f"and {len(more):,} more" if more else ""
    said = said[:1].upper() + said[1:]
    return " · ".join(filter(None, (said, about, others)))


# What is looked at. What cannot be meant changes nothing.


@handles("query")
def open_query(*, name: str) -> None:
    """Open a query from its top."""
    session.look(query=name, question=None, passage=None, solo=False)


@handles("onward")
def go_on(event: PageEvent, *, query: str) -> Answer | None:
    """Open the query, other than this one, in which most hangs on what is to do."""
    with session.workspace() as workspace:
        found = workspace.next_steps(settings_for(workspace, session.view(), []))
    others = (one.query_id for one in found if one.query_id != query)
    following = next(others, None)
    if following is None:
        return Answer(event.nonce, True, line="Nothing more to do in any query.")
    open_query(name=following)
    return None


@handles("select")
def select(*, question: str) -> None:
    """A question was selected in a list, or none any more."""
    # Received late, it must not end what was asked of this question meanwhile.
    alone = session.view().solo and session.view().question == question
    session.look(question=question or None, solo=alone)


@handles("passage")
def open_passage(*, name: str) -> None:
    """Open a passage in the reader."""
    session.look(passage=name)


@handles("page")
def open_passage_page(*, name: str) -> None:
    """Open a passage on its page, among all of the pool: filters might leave it out."""
    session.look(passage=name, question=None, show="all", system=None, words="")
    session.current().go_to = "Passages"


@handles("at")
def open_passage_at(*, name: str) -> None:
    """Open a passage under a question of any query, on the Passages tab."""
    session.look(**_place(name), solo=False, show="all", system=None, words="")
    session.current().go_to = "Passages"


@handles("visit")
def visit(*, name: str) -> None:
    """Open a query, a question or a passage of it on the page named, ``PAGE?query=…``.

    No filter hides it there.
    """
    page, _, place = name.partition("?")
    session.look(**_place(place), solo=False, show="all", system=None, words="")
    session.current().go_to = page


@handles("ballot")
def open_ballot(*, name: str) -> None:
    """Open a question of any query where it is voted on."""
    session.look(**_place(name) | {"passage": None}, solo=False)


@handles("on-curate")
def open_on_curate(*, name: str) -> None:
    """Open a question or a passage of any query on the Judge page."""
    session.look(**_place(name), solo=False)
    session.current().go_to = "Judge"


def _place(name: str) -> dict[str, str | None]:
    given = dict(parse_qsl(name))
    return {part: given.get(part) for part in ("query", "question", "passage")}


@handles("event")
def open_event(*, name: str) -> None:
    """Open an event of the history."""
    if (event := whole_number(name, *NUMBERS["event"])) is not None:
        session.look(event=event)


@handles("solo")
def show_alone(*, name: str) -> None:
    """The board under this question alone; the same again ends it."""
    alone = not session.view().solo or session.view().question != name
    session.look(question=name, solo=alone)


@handles("browse")
def browse(*, name: str) -> None:
    """Go through these passages in the reader."""
    session.current().browse = name


@handles("goto")
def go_to(*, name: str) -> None:
    """Go to another page."""
    session.current().go_to = name


@handles("release-on-export")
def open_release_on_export(*, name: str) -> None:
    """Open a release on Export."""
    session.look(release=unquote(name))
    session.current().go_to = "Export"


@handles("judge")
def judge_query(*, name: str) -> None:
    """Open a query on the Judge page."""
    session.look(query=name, question=None, passage=None)
    session.current().go_to = "Judge"


@handles("pair")
def answer_pair(event: PageEvent, *, name: str) -> None:
    """Save whether a passage answers a question; ``name`` is what the reader sends.

    The answer that holds already is taken back.
    """
    fields = dict(parse_qsl(name))
    passage_id, answer = fields.get("passage", ""), fields.get("answer", "")
    with session.noting() as workspace:
        bank = workspace.bank()
        question = bank.question(fields.get("question", ""))
        if question.state != "kept" or str(question.revision) != fields.get("revision"):
            raise EditError(
                f"'{question.title}' has changed since you opened it; not saved."
            )
        pair = question.text, passage_id
        last = check_by(bank, question.query_id, pair, workspace.judge)
        check = CheckPair(
            question.query_id,
            question.question_id,
            passage_id,
            None if last is not None and last.answer == answer else answer,
            based_on=question.revision,
        )
        apply(workspace, event, [check])


@handles("board")
def show_board() -> None:
    """Open or close the drawer of the board."""
    session.look(board=not session.view().board)


@handles("guidelines")
def show_guidelines() -> None:
    """Open the organizer's guidelines beside the work, or close them."""
    session.look(guidelines=not session.view().guidelines)


@handles("set")
def choose(*, name: str) -> None:
    """Take a setting, ``NAME=VALUE`` as the URL would have it."""
    setting, _, value = name.partition("=")
    if any(page.choose(setting, value) for page in (comparing, exporting, differences)):
        return
    if name == "events=all":
        session.look(**dict.fromkeys(LISTED), sheet=None)
    elif setting in SETTINGS:
        asked = to_params(session.view()) | {setting: value}
        if setting in LISTED:
            asked.pop("sheet", None)
        if setting == "sheet":
            asked.pop("event", None)
        view = from_params(asked)
        session.current().view = view


@handles("forget")
def forget(*, name: str) -> None:
    """Show no longer what became of the last grading or asking."""
    if name == "begun":
        session.current().begun = None
    elif name == "asked":
        session.current().asked = None


def undo_event(event_id: int) -> None:
    """Take back the batch of one event; why it cannot be is noted in one line."""
    with session.noting() as workspace:
        by = [one.by for one in workspace.events([event_id])]
        batch = workspace.undo(event=event_id)
        said = changed_words(batch.changes, workspace.bank())
        whose = [f" · it was {one}’s" for one in by if one != workspace.judge]
        session.note("".join([said, *whose]))
