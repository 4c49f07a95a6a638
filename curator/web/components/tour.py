"""The guided tour: six steps, each beside the control that it speaks of."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from typing import Any

from curator.edit_words import RETIRE
from curator.web.server import TOUR_VARIABLE


@dataclass(frozen=True, slots=True)
class Stop:
    """A step: its page, the control it points at, what is said of it."""

    page: str
    selector: str
    title: str
    text: str


STOPS = (
    Stop(
        "Judge",
        ".st-key-question_list",
        f"{RETIRE.base.capitalize()} a question",
        "A passage is relevant if it answers one of these. Press x: the first question "
        f"is {RETIRE.past}, and u takes that back.",
    ),
    Stop(
        "Judge",
        ".st-key-bottom",
        "See who moves",
        "Labels, scores and ranks change at once, under one grader. b opens the board.",
    ),
    Stop(
        "Judge",
        ".st-key-right",
        "Read what answers it",
        "The words that answer are marked. y and Y say whether the grader is right; ] "
        "goes to the next passage.",
    ),
    Stop(
        "Judge",
        ".q-primary",
        "Done, and on",
        "D marks the query done and opens the next. J and K go through all queries.",
    ),
    Stop(
        "Check",
        ".st-key-middle",
        "Check the grader",
        "A few pairs drawn by lot tell how far its labels can be trusted.",
    ),
    Stop(
        "Export",
        ".st-key-middle",
        "Release and export",
        "A release freezes the bank with its labels. Ctrl+K finds "
        "anything. Keys and this tour are under ? as well.",
    ),
)


STOPS_DATA = [asdict(stop) for stop in STOPS]


def tour(page: str) -> dict[str, Any]:
    """What the browser is told: the steps, the page, whether it begins by itself.

    It begins once in a browser, and only over the demo.
    """
    return {
        "stops": STOPS_DATA,
        "page": page,
        "offered": bool(os.environ.get(TOUR_VARIABLE)),
    }
