"""Events of the Judge page and its tabs: edits of questions, and what is looked at.

``based_on`` is the revision that was on the screen, ``seconds`` how long the judge
looked before deciding on a proposal, ``following`` the question to open next.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal
from urllib.parse import parse_qsl

from curator.bank.answer_keys import read_key
from curator.bank.edits import (
    Add,
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
)
from curator.bank.marks import Correctness, Importance
from curator.bank.marks.check import check_by
from curator.bank.questions import Kind
from curator.errors import AnswerKeyError, EditError, UnknownNameError
from curator.generation.pasted import pasted_texts
from curator.store.history import Batch
from curator.web.components import session
from curator.web.components.channel import Answer, PageEvent, handles
from curator.web.components.events import (
    apply,
    handles_settings,
    open_query,
    save_change,
)
from curator.web.components.settings import settings_for
from curator.web.components.view import from_params, to_params
from curator.web.pages.judge import query_list
from curator.web.pages.judge.passages.passage_text import located
from curator.web.pages.judge.rows import gate_words
from curator.workspace import Workspace

MAX_TEXTS = 200  # questions in one pasted list
MAX_AT_ONCE = 1000  # proposals kept or dropped in one step
MAX_WEIGHED = 4  # texts, of which one is asked about at a time


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
    """Add the questions or nuggets that a judge wrote: one, a list, or of a passage.

    ``key`` are the lines of one question's answer key; ``step`` is the next step that
    they follow, by key and state, and is dismissed.
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
        dismissed = [(d.key, d.state) for d in workspace.bank().dismissals_of(query)]
        if step is not None and step not in dismissed:
            edits.append(Dismiss(query, *step, "written"))
        return apply(workspace, event, edits)

    reading = passage or (session.view().passage if step is not None else None)
    answer = save_change(event, change)
    if reading is not None and answer.question:
        session.look(passage=reading)  # is it answered now?
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
    """Save another text of a question, another answer key as lines, or both."""
    answers, choices = (None, None) if key is None else read_key(key)
    if event.type == "key":
        return save_change(event, [SetKey(question, answers, choices, based_on)])
    text = "\n".join(texts)
    edit = Reword(question, text, based_on, answers, choices)
    return save_change(event, [edit], following, seconds=seconds, text=text)


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
    """Retire a question or proposal with a reason, restore it, or keep it."""
    edit: Edit
    if event.type == "retire":
        edit = Retire(question, reason, based_on)
    else:
        edit = (Restore if event.type == "restore" else Keep)(question, based_on)
    return save_change(event, [edit], following, seconds=seconds)


@handles("keep all", "drop all")
def decide_all(
    event: PageEvent, *, many: list[tuple[str, int]], seconds: float | None = None
) -> Answer:
    """Decide on every proposal shown, each with the revision that was read."""
    if len(many) > MAX_AT_ONCE:
        raise EditError(
            f"At most {MAX_AT_ONCE:,} proposals are decided at once; these are "
            f"{len(many):,}. Nothing was changed."
        )
    kind = Keep if event.type == "keep all" else Retire
    edits = [kind(question, based_on=revision) for question, revision in many]
    return save_change(event, edits, seconds=seconds)


@handles("vote")
def vote(
    event: PageEvent,
    *,
    question: str,
    vote: Importance | Literal[""],
    following: str | None = None,
) -> Answer:
    """Save a judge's vote on a question; "" takes it back."""
    return save_change(event, [Vote(question, vote or None)], following)


@handles("note")
def note(event: PageEvent, *, question: str, texts: list[str], flagged: bool) -> Answer:
    """Save a judge's note on a question and its flag; neither removes both."""
    return save_change(event, [WriteNote(question, "\n".join(texts), flagged)])


@handles("dismiss")
def dismiss(
    event: PageEvent, *, query: str, key: str, state: str, reason: str
) -> Answer:
    """Dismiss a next step until its state changes."""
    return save_change(event, [Dismiss(query, key, state, reason)], look=False)


@handles("verdict")
def verdict(
    event: PageEvent,
    *,
    question: str,
    texts: list[str],
    verdict: Correctness | Literal[""],
    based_on: int | None = None,
) -> Answer:
    """Save a judge's verdict on an answer; "" takes it back."""
    edit = JudgeAnswer(question, "\n".join(texts), verdict or None, based_on=based_on)
    return save_change(event, [edit])


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
    """Mark spans of a passage as ideal answers, or remove the marks.

    ``words`` are those that were selected in the first.
    """

    def change(workspace: Workspace) -> Batch:
        ranges = tuple(spans[:MAX_AT_ONCE])
        if marked and words and len(ranges) == 1:
            text = workspace.passage_texts([passage]).get(passage, "")
            ranges = (located(text, ranges[0], words),)
        return workspace.mark_ideals(
            query,
            passage,
            ranges,
            marked=marked,
            nonce=event.nonce,
            shown=session.current().settings_seen,
        )

    return save_change(event, change)


@handles("done", "reopen")
def done(event: PageEvent, *, query: str) -> Answer:
    """Mark a query done and open the next, or reopen it."""

    def change(workspace: Workspace) -> Batch:
        batch = apply(workspace, event, [Done(query, event.type == "done")])
        # The judge may have gone on by the time it arrives.
        if event.type == "done" and session.view().query == query:
            assigned = query_list.judge_work(workspace)
            collection, bank = workspace.collection(), workspace.bank()
            rows = query_list.query_rows(
                collection, bank, workspace.judge, query, {}, assigned
            )
            following = query_list.next_to_do(rows, query)
            if following is not None:
                open_query(name=following)
            elif assigned:
                session.note("No other query is assigned to you.")
        return batch

    return save_change(event, change, look=False)


@handles("restrict")
def restrict(*, query: str, lift: bool) -> None:
    """Show a query's texts to organizers alone, or to everybody again."""
    with session.workspace() as workspace:
        workspace.restrict(query, lift=lift)


@handles("reason")
def explain(event: PageEvent, *, question: str, reason: str) -> None:
    """Save why a question was retired."""
    with session.workspace() as workspace:
        workspace.explain(question, reason)


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


@handles("weigh")
def weigh(*, question: str, texts: list[str]) -> None:
    """Preview a text in place of a question's, or as a new question."""
    now = session.current()
    if not question:
        now.adding = now.view.query or "", " ".join(texts)
        return
    latest = (question, "\n".join(texts))
    others = (each for each in now.weighed if each != latest)
    now.weighed = (*others, latest)[-MAX_WEIGHED:]


@handles("ask")
def ask(
    event: PageEvent,
    *,
    query: str,
    subtopic: str | None = None,
    passage: str | None = None,
    again: bool = False,
) -> Answer | None:
    """Ask a model for proposals in the background."""
    with session.workspace() as workspace:
        gate = workspace.gate(query)
    if gate.closed:
        return Answer(event.nonce, False, line=gate_words(gate.remaining))
    session.ask(
        query, subtopic_id=subtopic or None, passage_id=passage or None, again=again
    )
    return None


@handles("onward")
def go_on(event: PageEvent, *, query: str) -> Answer | None:
    """Open another query, the one with the most important next step."""
    with session.workspace() as workspace:
        steps = workspace.next_steps(settings_for(workspace, session.view(), []))
    others = (step.query_id for step in steps if step.query_id != query)
    following = next(others, None)
    if following is None:
        return Answer(event.nonce, True, line="Nothing more to do in any query.")
    open_query(name=following)
    return None


@handles("pool")
def show_pool() -> None:
    """Open or close the list of passages in the reader."""
    session.look(pool=not session.view().pool)


@handles("changed")
def show_changed() -> None:
    """List the passages whose label changed."""
    session.look(show="changed", passage=None, pool=True)


@handles_settings("show", "system", "words", "sort", "reverse")
def choose_passages(setting: str, value: str) -> None:
    """Filter or sort the passages; a filter opens the first that it leaves.

    Words open the list of the passages that hold them; without any, the reader is back.
    """
    if setting == "words" and value == session.view().words:
        return
    view = from_params(to_params(session.view()) | {setting: value})
    if setting not in ("sort", "reverse"):
        view = replace(view, passage=None)
    if setting == "words":
        view = replace(view, pool=bool(value))
    session.current().view = view


@handles("solo")
def show_alone(*, name: str) -> None:
    """Show the board under this question alone; the same again ends it."""
    alone = not session.view().solo or session.view().question != name
    session.look(question=name, solo=alone)


@handles("board")
def show_board() -> None:
    """Open or close the drawer of the board."""
    session.look(board=not session.view().board)
