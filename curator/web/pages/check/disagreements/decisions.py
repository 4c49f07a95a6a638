"""Events of the Disagreements tab: open a difference, decide it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from curator.errors import UnknownNameError
from curator.verbs.adjudication.differences import Difference
from curator.web.components import session
from curator.web.components.channel import Answer, Component, PageEvent, handles
from curator.web.components.events import handles_settings

REASON = Component(
    *("decide_reason", "components/drafts", "components/edits", "components/conflict"),
    *("components/remark", "pages/check/disagreements/decide_reason"),
)
CHANGED = "Somebody has said something else there meanwhile: look at it as it is now."


def name_of(one: Difference) -> str:
    """Names the place and who says what there: another word makes another name."""
    said = f"{one.place.query_id}\0{one.place.key}\0{one.state}"
    return hashlib.sha256(said.encode()).hexdigest()[:16]


@handles("difference")
def open_difference(*, name: str) -> None:
    """Look at another difference."""
    session.current().difference = name


@handles("decide")
def decide(event: PageEvent, *, name: str, reason: str = "") -> Answer:
    """Decide for a side: ``NAME=2`` is the second of the difference of this name."""
    which, _, side = name.partition("=")
    now = session.current()
    with session.workspace() as workspace:
        every = workspace.adjudication(decided=True).differences
        found = next((one for one in every if name_of(one) == which), None)
        number = int(side) if side.isascii() and side.isdigit() else 0
        if found is None or number > len(found.sides):
            raise UnknownNameError(CHANGED)
        value = found.sides[number - 1].value if number else None
        batch = workspace.decide(
            found.place.key,
            value,
            reason.strip() or None,
            query_id=found.place.query_id,
            nonce=event.nonce,
        )
    now.decided_event = batch.event_ids[0]
    if not now.decided_too and number:
        now.difference = following(every, found)
    return Answer(event.nonce, True)


def following(every: Sequence[Difference], found: Difference) -> str | None:
    """The next open one after this, from the top if need be."""
    at = every.index(found)
    left = [one for one in (*every[at + 1 :], *every[:at]) if not one.decided]
    return name_of(left[0]) if left else None


@handles("undecide")
def take_back(event: PageEvent, *, name: str) -> Answer:
    """Take back what was decided last in this session."""
    decided, session.current().decided_event = session.current().decided_event, None
    if decided is not None:
        with session.workspace() as workspace:
            workspace.undo(event=decided, nonce=event.nonce)
        session.note("Taken back.")
    return Answer(event.nonce, True)


@handles("who-said")
def show_names(*, name: str) -> None:
    """Show who says what, or no longer."""
    session.current().who_said = not session.current().who_said


@handles("within-differences")
def narrow(*, name: str) -> None:
    """List one query's differences; the same again lists all."""
    within = None if session.view().within == name else name
    session.look(within=within or None)


@handles_settings("differences", "decisions")
def choose(setting: str, value: str) -> None:
    """List one kind of difference, or the decided ones too."""
    if setting == "differences":
        session.current().differences_of = value or None
    else:
        session.current().decided_too = value == "decided"
