"""Events of the Check page: answers to its items, decisions, and the next draw."""

from __future__ import annotations

from curator.errors import UnknownNameError
from curator.store.history import Batch
from curator.verbs.checks.batch import BatchSource
from curator.web.components import session
from curator.web.components.channel import Answer, PageEvent, handles
from curator.web.components.events import handles_settings, save_change, time_spent
from curator.web.components.view import whole_number
from curator.web.pages.check.queue import difference_name
from curator.workspace import Workspace

CHANGED = "Somebody has said something else there meanwhile: look at it as it is now."


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
    """Save the answer to a drawn pair; "" takes it back.

    ``before`` is the answer that the judge's page showed.
    """

    def change(workspace: Workspace) -> Batch:
        return workspace.answer_check(
            *(of, draw, place, answer or None),
            before=before or None,
            seconds=time_spent(seconds),
            nonce=event.nonce,
            shown=session.current().settings_seen,
        )

    return save_change(event, change, look=False)


@handles("norm")
def answer_norming(
    event: PageEvent, *, about: int, place: int, answer: str, before: str = ""
) -> None:
    """Save the answer to an item of a round; "" takes it back."""
    with session.workspace() as workspace:
        workspace.answer_norming(
            *(about, place + 1, answer or None),
            before=before or None,
            nonce=event.nonce,
        )
    session.look(answer=str(about))  # loaded again, the first that is left


@handles("norming-comment")
def comment(event: PageEvent, *, about: int, place: int, text: str) -> None:
    """Save a comment on an item of a round, for everybody to read."""
    with session.workspace() as workspace:
        workspace.comment_norming(about, place + 1, text, nonce=event.nonce)


@handles("decide")
def decide(event: PageEvent, *, name: str, answer: str, reason: str = "") -> None:
    """Decide for the side of this number, counted from 1; "" takes a decision back.

    The last decision of this session is undone with all that it changed.
    """
    now = session.current()
    number = whole_number(answer, 0, 99) or 0
    with session.workspace() as workspace:
        differences = workspace.adjudication(decided=True).differences
        chosen = next((d for d in differences if difference_name(d) == name), None)
        if chosen is None or number > len(chosen.sides):
            raise UnknownNameError(CHANGED)
        place = chosen.place.query_id, chosen.place.key
        last, now.last_decision = now.last_decision, None
        if not number and last is not None and last[0] == place:
            workspace.undo(event=last[1], nonce=event.nonce)
        else:
            batch = workspace.decide(
                chosen.place.key,
                chosen.sides[number - 1].value if number else None,
                reason.strip() or None,
                query_id=chosen.place.query_id,
                nonce=event.nonce,
            )
            if number:
                now.last_decision = place, batch.event_ids[0]
    session.look(answer=None)


@handles("open-item")
def open_item(*, name: str) -> None:
    """Open an item of the queue."""
    session.look(answer=name)


@handles("who-said")
def show_names(*, name: str) -> None:
    """Show who says what where judges differ, or hide it."""
    session.current().who_said = not session.current().who_said


@handles_settings("differences")
def list_kind(setting: str, value: str) -> None:
    """List one kind of difference, or with "" all."""
    session.current().differences_of = value or None


@handles("confirm-checks")
def confirm_checks(event: PageEvent, *, name: str) -> None:
    """Confirm the judge's answers that are set aside for their speed."""
    with session.workspace() as workspace:
        workspace.confirm_checks(nonce=event.nonce)


@handles("gold")
def mark_gold(*, of: BatchSource, draw: str, place: int, gold: bool) -> None:
    """Make my answer to a drawn pair a gold item, or no longer."""
    with session.workspace() as workspace:
        batch = workspace.check_batch(of)
        pair = batch.pairs[place] if 0 <= place < len(batch.pairs) else None
        if pair is None or pair.mine is None or batch.at != draw:
            raise UnknownNameError(CHANGED)
        drawn = pair.drawn
        row = {
            "query": drawn.query_id,
            "question": drawn.question_id,
            "passage": drawn.passage_id,
        }
        workspace.mark_gold([row | {"answer": pair.mine.answer} if gold else row])


@handles("draw")
def draw(event: PageEvent, *, of: BatchSource, draw: str) -> Answer:
    """Draw the pairs after those of this draw; a line says why there are none.

    After the last of their own a judge is asked about everything.
    """
    with session.workspace() as workspace:
        batch = workspace.draw_batch(None if of == "assigned" else of, after=draw)
    if batch.of != of and not batch.note:
        session.look(of=None)
        session.note("All that is assigned to you is checked: this is of everything.")
    return Answer(event.nonce, not batch.note, line=batch.note)
