"""Answering sentences: asked of the model in one request, and kept."""

from __future__ import annotations

import numpy as np

from curator.ui.highlights import Highlighter
from grading.errors import WorkerError
from grading.similarity import Vectors

LEAVES = "Leaves are green. Frost is cold."
WATER = "Water is wet."


class OneHotWorker:
    """Texts that share their first word are the same to it; all others unlike."""

    state = "ready"

    def __init__(self, *, fails: bool = False) -> None:
        self.requests: list[list[str]] = []
        self._fails = fails
        self._seen: dict[str, int] = {}

    def encode(self, texts: list[str], timeout: float | None = None) -> list[Vectors]:
        self.requests.append(list(texts))
        if self._fails:
            raise WorkerError("busy")
        places = [self._seen.setdefault(t.split()[0], len(self._seen)) for t in texts]
        return [np.eye(16, dtype=np.float16)[[place]] for place in places]


def test_several_passages_are_asked_for_in_one_request() -> None:
    worker = OneHotWorker()
    highlighter = Highlighter(worker)  # type: ignore[arg-type]
    found = highlighter.spans_of(
        [
            (LEAVES, {"f": "Frost how?", "l": "Leaves why?"}),
            (WATER, {"w": "Water how?"}),
        ]
    )
    assert len(worker.requests) == 1
    # By hand: "Frost is cold." begins at 18 and ends with the passage, at 32.
    assert found == [{"f": (18, 32), "l": (0, 17)}, {"w": (0, 13)}]


def test_what_is_known_is_not_asked_again() -> None:
    worker = OneHotWorker()
    highlighter = Highlighter(worker)  # type: ignore[arg-type]
    asked = [(LEAVES, {"l": "Leaves why?"})]
    assert highlighter.spans_of(asked, ask=False) == [{}]
    assert highlighter.spans_of(asked) == [{"l": (0, 17)}]
    assert highlighter.spans_of(asked, ask=False) == [{"l": (0, 17)}]
    assert highlighter.spans(LEAVES, {"l": "Leaves why?"}, ask=False) == {"l": (0, 17)}
    assert len(worker.requests) == 1


def test_without_an_answer_in_time_passages_stay_unmarked() -> None:
    highlighter = Highlighter(OneHotWorker(fails=True))  # type: ignore[arg-type]
    assert highlighter.spans_of([(WATER, {"w": "Water how?"}), (LEAVES, {})]) == [
        {},
        {},
    ]


def test_a_model_that_is_not_ready_is_not_asked() -> None:
    worker = OneHotWorker()
    worker.state = "starting"
    highlighter = Highlighter(worker)  # type: ignore[arg-type]
    assert highlighter.spans_of([(WATER, {"w": "Water how?"})]) == [{}]
    assert not worker.requests
