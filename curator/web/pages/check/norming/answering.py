"""The items of a norming round in the browser, and what is pressed and written there.

The component under ``norming/norming_list.js`` gets every item of the round as data, so
that the next one is there at once. Before the reveal there is no word in it of what
others say.
"""

from __future__ import annotations

from typing import Any

from curator.evaluation.norming import NormingTask
from curator.tables.norming import said_in_words
from curator.verbs.norming.rounds import AnsweredItem, Norming
from curator.web.components import session
from curator.web.components.channel import Answer, Component, PageEvent, handles

ITEMS = Component(
    *("norming_list", "components/drafts", "components/edits", "components/conflict"),
    *("components/remark", "pages/check/norming/norming_list"),
    verb="answer_norming",
)
OF: dict[NormingTask, str] = {
    "pairs": "does the passage answer the question",
    "passages": "how relevant is the passage",
    "votes": "how important is the question",
}
KEYS = {"yes": "y", "no": "n", "unsure": "u", "vital": "v", "okay": "o"}
HIDDEN = "others’ answers are shown once it is revealed"
REMARK = {
    "page": "Norming",
    "label": "What you say of this item",
    "placeholder": "Say why; Ctrl+Enter saves it for everybody to read",
    "button": "Say it",
    "saves": "norming-comment",
}


def list_data(found: Norming) -> dict[str, Any]:
    """All that the component shows, as JSON; ``named`` is the item the URL names."""
    this, here = found.round, item_opened(found)
    number, place = opened()
    about = [this.status, OF[this.of], f"{len(found.items)} items"]
    return {
        "round": this.round_id,
        "revealed": this.revealed is not None,
        "talks": this.revealed is not None and this.closed is None,
        "says": " · ".join([*about, HIDDEN] if this.revealed is None else about),
        "choices": [
            (one, KEYS.get(one, one)) for one in (() if this.closed else this.choices)
        ],
        "rows": [row_data(one, revealed=found.all_visible) for one in found.items],
        "opened": here.item.place if here else None,
        "named": place if number == this.round_id else None,
        "remark": REMARK,
    }


def row_data(one: AnsweredItem, *, revealed: bool) -> dict[str, Any]:
    """An item as it is asked; ``mine`` is "" without my answer.

    What a passage is called may tell which system wrote it.
    """
    item = one.item
    about = [
        str(item.place + 1),
        item.query if item.question is not None else None,
        item.passage_id if revealed else None,
    ]
    return {
        "place": item.place,
        "words": item.query if item.question is None else item.question,
        "about": " · ".join(part for part in about if part is not None),
        "changed": one.changed,
        "passage": item.passage,
        "mine": one.mine or "",
        "said": [(who.judge, said_in_words(who)) for who in one.answers if revealed],
        "comments": [(each.judge, each.text) for each in one.comments if revealed],
    }


def opened() -> tuple[int | None, int | None]:
    """The round and the item that the URL names, None where it names none."""
    round_id, _, place = (session.view().answer or "").partition("/")
    return _number(round_id), _number(place)


def item_opened(found: Norming) -> AnsweredItem | None:
    """The item that was opened, else my first without an answer, else the first."""
    number, wanted = opened()
    here = (one for one in found.items if one.item.place == wanted)
    named = next(here, None) if number == found.round.round_id else None
    left = (one for one in found.items if one.mine is None)
    return named or next(left, None) or next(iter(found.items), None)


@handles("normed")
def open_item(*, name: str) -> None:
    """Look at another round, ``ROUND``, or at an item, ``ROUND/PLACE``."""
    session.look(answer=name)


@handles("norm")
def answer(
    event: PageEvent, *, about: int, place: int, answer: str, before: str = ""
) -> Answer:
    """Say something of an item of a round; "" takes it back.

    ``before`` is what I had said as far as the page showed.
    """
    with session.workspace() as workspace:
        workspace.answer_norming(
            *(about, place + 1, answer or None),
            before=before or None,
            nonce=event.nonce,
        )
    # Loaded again, the page goes on with the first item that is left.
    if opened() != (about, None):
        session.look(answer=str(about))
    return Answer(event.nonce, True)


@handles("norming-comment")
def comment(event: PageEvent, *, about: int, place: int, text: str) -> Answer:
    """Say something about an item, for everybody to read."""
    with session.workspace() as workspace:
        workspace.comment_norming(about, place + 1, text, nonce=event.nonce)
    return Answer(event.nonce, True)


def _number(text: str) -> int | None:
    """The number in what a button or a URL says, None where there is none."""
    short = text.isascii() and text.isdigit() and len(text) < 10
    return int(text) if short else None
