"""The guided tour: six steps, each beside the control that it speaks of."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from typing import Any

from curator.edit_words import RETIRE, REWORD
from curator.ui.server import TOUR_VARIABLE


@dataclass(frozen=True, slots=True)
class Stop:
    """A step: its page, the control it points at, what is said of it."""

    page: str
    selector: str
    title: str
    text: str


STOPS = (
    Stop(
        "Overview",
        ".st-key-pages",
        "The order of the work",
        "The pages stand in the order in which they are needed: set up, questions, "
        "results, keep. This one says where the bank stands.",
    ),
    Stop(
        "Curate",
        ".st-key-query_rows",
        "Queries",
        "Each query has its own questions. J and K go through the queries; a tick "
        "says that you are done with one.",
    ),
    Stop(
        "Curate",
        ".st-key-question_list",
        "Questions are the exam",
        "A passage is relevant if it answers one of them. j and k select; the bar says "
        "how far the scores rest on a question.",
    ),
    Stop(
        "Curate",
        ".c-question[data-selected], .c-question",
        "Edit without fear",
        f"e {REWORD.third}, x {RETIRE.third}, n adds. Pointing at a question shows "
        f"what {RETIRE.gerund} it would do, and u takes back whatever you did.",
    ),
    Stop(
        "Curate",
        ".st-key-right",
        "What an edit changes",
        "Labels that fall or rise, scores, ranks: at once, under one grader.",
    ),
    Stop(
        "Curate",
        ".q-primary",
        "Done, and on",
        "D marks the query done and opens the next. ? lists the keys, explains the "
        "words and shows this tour again. Export freezes and hands out the bank.",
    ),
)


def tour(page: str) -> dict[str, Any]:
    """What the browser is told: the steps, the page, whether it begins by itself.

    It begins once in a browser, and only over the demo.
    """
    return {
        "stops": [asdict(stop) for stop in STOPS],
        "page": page,
        "offered": bool(os.environ.get(TOUR_VARIABLE)),
    }
