"""Answering sentences: asked of the model in one request, and kept."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from curator.web.pages.judge.passages import highlights
from curator.web.pages.judge.passages.highlights import Asked, Highlighter
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


# Beside the page

LEAVES_ASKED: Asked = (LEAVES, {"l": "Leaves why?"})
WATER_ASKED: Asked = (WATER, {"w": "Water how?"})


def wait_for(highlighter: Highlighter) -> None:
    until = time.monotonic() + 60
    while highlighter.preparing:
        assert time.monotonic() < until, "it prepares for ever"
        time.sleep(0.005)


def prepared(highlighter: Highlighter, *wanted: Asked) -> bool:
    """Whether the page is to be drawn anew after this wish."""
    wish = highlighter.prepare(wanted)
    wait_for(highlighter)
    assert wish.first.is_set()
    return wish.known


def test_a_passage_of_white_space_does_not_keep_later_ones_unmarked() -> None:
    highlighter = Highlighter(OneHotWorker())  # type: ignore[arg-type]
    blank: Asked = (" \n", {"w": "Water how?"})
    assert prepared(highlighter, blank, WATER_ASKED)
    assert highlighter.spans_of([blank, WATER_ASKED], ask=False) == [{}, {"w": (0, 13)}]
    assert not prepared(highlighter, blank)


def test_a_page_that_needs_more_texts_than_are_kept_is_drawn_anew_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(highlights, "KEPT_TEXTS", 1)
    worker = OneHotWorker()
    highlighter = Highlighter(worker)  # type: ignore[arg-type]
    page = [LEAVES_ASKED, WATER_ASKED]
    assert prepared(highlighter, *page)
    assert all(highlighter.spans_of(page, ask=False))
    assert not prepared(highlighter, *page)
    # By hand: two sentences and a question, one sentence and a question.
    assert [len(texts) for texts in worker.requests] == [3, 2]


def test_what_was_asked_for_in_vain_brings_no_page_to_be_drawn_anew() -> None:
    class Forgetful(Highlighter):
        """One from which others take away whatever it has learned."""

        def spans_of(
            self, passages: list[Asked], *, ask: bool = True
        ) -> list[highlights.Spans]:
            found = super().spans_of(passages, ask=ask)
            self._kept.clear()
            return found

    highlighter = Forgetful(OneHotWorker())  # type: ignore[arg-type]
    wish = highlighter.prepare([WATER_ASKED])
    wait_for(highlighter)
    assert wish.in_vain
    assert not wish.known


def test_each_page_has_its_wish_and_a_later_one_takes_its_place() -> None:
    begun, go_on = threading.Event(), threading.Event()

    class Slow(OneHotWorker):
        def encode(
            self, texts: list[str], timeout: float | None = None
        ) -> list[Vectors]:
            begun.set()
            assert go_on.wait(60)
            return super().encode(texts, timeout)

    worker = Slow()
    highlighter = Highlighter(worker)  # type: ignore[arg-type]
    going = highlighter.prepare([WATER_ASKED, ("Ice is cold.", {"i": "Ice how?"})])
    assert begun.wait(60)
    anothers = highlighter.prepare([LEAVES_ASKED])
    over = highlighter.prepare([("Fire is hot.", {"f": "Fire how?"})])
    instead = highlighter.prepare(
        [("Air is thin.", {"a": "Air how?"})], instead_of=over
    )
    highlighter.prepare([], instead_of=going)
    go_on.set()
    wait_for(highlighter)
    # By hand: of the first only what was under way, of the third nothing.
    asked = [texts[0] for texts in worker.requests]
    assert asked == ["Water is wet.", "Leaves are green.", "Air is thin."]
    assert anothers.known
    assert instead.known
    assert not over.known
    assert not going.known


def test_a_model_that_did_not_answer_is_asked_again() -> None:
    worker = OneHotWorker(fails=True)
    highlighter = Highlighter(worker)  # type: ignore[arg-type]
    assert not prepared(highlighter, WATER_ASKED)
    worker._fails = False
    assert prepared(highlighter, WATER_ASKED)


class Interrupted:
    """A lock after which, once, something is done before its owner goes on."""

    def __init__(self, when: Callable[[], bool], act: Callable[[], None]) -> None:
        self._lock = threading.Lock()
        self._when, self._act = when, act
        self._acted = False

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()
        if not self._acted and self._when():
            self._acted = True
            self._act()


def test_a_wish_that_comes_as_the_last_one_ends_is_begun() -> None:
    highlighter = Highlighter(OneHotWorker())  # type: ignore[arg-type]
    waiting = threading.current_thread()
    wishes: list[highlights.Wish] = []

    def is_ending() -> bool:
        known = bool(wishes) and wishes[0].first.is_set()
        return known and threading.current_thread() is not waiting

    # What the worker's thread does after the last is to see that nothing is wished.
    highlighter._lock = Interrupted(  # type: ignore[assignment]
        is_ending, lambda: wishes.append(highlighter.prepare([LEAVES_ASKED]))
    )
    wishes.append(highlighter.prepare([WATER_ASKED]))
    until = time.monotonic() + 60
    while len(wishes) < 2 and time.monotonic() < until:
        time.sleep(0.005)
    assert wishes[1].first.wait(60)
    assert highlighter.spans_of([LEAVES_ASKED], ask=False) == [{"l": (0, 17)}]
