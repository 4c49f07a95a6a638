"""Events of the Check page: answers to pairs, and the next draw."""

from __future__ import annotations

from curator.store.history import Batch
from curator.verbs.checks.batch import BatchSource
from curator.web.components import session
from curator.web.components.channel import Answer, PageEvent, handles
from curator.web.components.events import save_change, time_spent
from curator.workspace import Workspace


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
            shown=session.current().seen,
        )

    return save_change(event, change, look=False)


@handles("confirm-checks")
def confirm_checks(event: PageEvent, *, name: str) -> Answer:
    """Confirm the judge's answers that are set aside for their speed."""
    with session.workspace() as workspace:
        workspace.confirm_checks(nonce=event.nonce)
    return Answer(event.nonce, True)


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
