"""Answering sentences: asked of the model in one request, and kept."""

from __future__ import annotations

import numpy as np

from curator.web.pages.judge.passages.highlights import Highlighter, Passage, are_found
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


WATER_ASKED: Passage = (WATER, {"w": "Water how?"})


def test_sentences_and_questions_are_asked_for_in_one_request_and_kept() -> None:
    worker = OneHotWorker()
    highlighter = Highlighter(worker)  # type: ignore[arg-type]
    asked: Passage = (LEAVES, {"f": "Frost how?", "l": "Leaves why?"})
    assert highlighter.spans_of(asked, ask=False) == {}
    # By hand: "Frost is cold." begins at 18 and ends with the passage, at 32.
    assert highlighter.spans_of(asked) == {"f": (18, 32), "l": (0, 17)}
    assert highlighter.spans_of(asked, ask=False) == {"f": (18, 32), "l": (0, 17)}
    assert len(worker.requests) == 1


def test_without_an_answer_a_passage_stays_unmarked_and_is_asked_for_again() -> None:
    worker = OneHotWorker(fails=True)
    highlighter = Highlighter(worker)  # type: ignore[arg-type]
    assert highlighter.prepare(WATER_ASKED).result(60) == {}
    worker._fails = False
    found = highlighter.prepare(WATER_ASKED)
    assert found.result(60)
    assert are_found(found)
    assert highlighter.spans_of(WATER_ASKED, ask=False) == {"w": (0, 13)}
