"""Where a passage answers a question: the words of a grader, or the sentence nearest.

Sentences are asked of the worker, and kept.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from curator.verbs.answers.extracted import ANSWERING_KINDS
from curator.web.pages.judge.page_state import PageState
from grading.errors import GradingError
from grading.highlight import best_sentence, compared_sentences
from grading.similarity import Vectors
from grading.spans import locate
from grading.worker import Worker

KEPT_TEXTS = 20_000  # of many judges' passages; more where one page needs more
PATIENCE = 5.0  # seconds; a passage without its highlight can be read, too

Asked = tuple[str, Mapping[str, str]]
"""A passage's text, and the questions to be marked in it by id."""

Spans = dict[str, tuple[int, int]]
"""Character span of the answering sentence by question id."""


class Wish:
    """Passages whose sentences a page waits for.

    ``first`` is set once those of its first passage are known, or nobody looks for
    them any more; ``known`` says that the page has something new to show, ``in_vain``
    that all was asked for and not all is known.
    """

    def __init__(self, passages: Sequence[Asked]) -> None:
        self.passages = list(passages)
        self.first = threading.Event()
        self.known = self.in_vain = False


class Highlighter:
    """Answering sentences by the closeness of their vectors.

    Vectors of texts seen lately are kept, so that going back and forth asks nothing.
    One serves all threads of a server.
    """

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Vectors] = OrderedDict()
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="highlights")
        self._running = False
        self._wishes: list[Wish] = []
        self._room = KEPT_TEXTS

    def spans_of(self, passages: Sequence[Asked], *, ask: bool = True) -> list[Spans]:
        """Spans of the best sentences of each passage; {} without a model.

        All that are new are asked for in one request. Without ``ask`` only what is
        known already: {} where the model would be asked.
        """
        if self._worker.state != "ready":
            return [{} for _ in passages]
        cut = [
            compared_sentences(text) if questions else []
            for text, questions in passages
        ]
        texts = [
            [text[start:end] for start, end in found]
            for (text, _), found in zip(passages, cut, strict=True)
        ]
        wanted = [
            wish
            for (_, questions), pieces in zip(passages, texts, strict=True)
            if pieces
            for wish in (*pieces, *questions.values())
        ]
        vectors = self._vectors(wanted, ask=ask)
        return [
            {
                question_id: found[
                    best_sentence(vectors[text], [vectors[piece] for piece in pieces])
                ]
                for question_id, text in questions.items()
            }
            if pieces and vectors.keys() >= {*pieces, *questions.values()}
            else {}
            for (_, questions), found, pieces in zip(passages, cut, texts, strict=True)
        ]

    def prepare(
        self, passages: Sequence[Asked], *, instead_of: Wish | None = None
    ) -> Wish:
        """Ask for these beside the page, one page after the other.

        It takes the place of the same page's wish of before, of which no more is asked.
        """
        wish = Wish(passages)
        with self._lock:
            if instead_of is not None:
                instead_of.passages = []
                instead_of.first.set()
            self._wishes = [one for one in self._wishes if one is not instead_of]
            self._wishes.append(wish)
            if not self._running:
                self._running = True
                self._pool.submit(self._prepare)
        return wish

    @property
    def preparing(self) -> bool:
        """Whether sentences are being looked for beside the page."""
        with self._lock:
            return self._running

    def _prepare(self) -> None:
        wish: Wish | None = None
        try:
            while True:
                with self._lock:
                    if not self._wishes:
                        # Under this very lock: a wish that comes next begins anew.
                        self._running = False
                        return
                    wish = self._wishes.pop(0)
                self._learn(wish)
                wish.first.set()
        except BaseException:
            with self._lock:
                self._running = False
            if wish is not None:
                wish.first.set()
            raise

    def _learn(self, wish: Wish) -> None:
        """Ask for what is missing, for as long as the page waits for it.

        Where all was asked for and not all is known, the wish was in vain: drawing
        the page anew would only have it asked for again.
        """
        learned = False
        wanted = wish.passages
        for one in self._missing(wanted):  # one by one: what is read comes first
            if not wish.passages:
                return  # another wish took its place
            if not self.spans_of([one])[0]:
                break  # no answer now; a later drawing asks again
            learned = True
            if one == wanted[0]:
                wish.first.set()
        else:
            wish.in_vain = learned and bool(self._missing(wanted))
        wish.known = learned and not wish.in_vain

    def _missing(self, wish: list[Asked]) -> list[Asked]:
        """What can be asked for and is not known; white space has no sentences."""
        known = self.spans_of(wish, ask=False)
        return [
            (text, questions)
            for (text, questions), found in zip(wish, known, strict=True)
            if questions and not found and text.strip()
        ]

    def _vectors(self, texts: Iterable[str], *, ask: bool) -> dict[str, Vectors]:
        """What is known of these texts, after asking for the rest if allowed."""
        wanted = list(dict.fromkeys(texts))
        with self._lock:
            known = {text: self._kept[text] for text in wanted if text in self._kept}
        new = [text for text in wanted if text not in known]
        if new and ask:
            try:
                encoded = self._worker.encode(new, timeout=PATIENCE)
            except GradingError:
                encoded = []
            known |= dict(zip(new, encoded, strict=False))
        with self._lock:
            # A page that needs more than is kept would lose what it has just learned,
            # ask for it again, and so on for ever.
            self._room = max(self._room, len(wanted))
            for text, vector in known.items():
                self._kept[text] = vector
                self._kept.move_to_end(text)
            while len(self._kept) > self._room:
                self._kept.popitem(last=False)
        return known


def answers_under(page: PageState, grader: str) -> bool:
    """Whether this grader answers in words or judges them, so that they are shown."""
    return any(
        one.name == grader and (one.kind in ANSWERING_KINDS or one.by_people)
        for one in page.graders
    )


def answer_spans(
    text: str, answers: Mapping[str, str], question_ids: Iterable[str]
) -> Spans:
    """Span of each of these questions' answer in the text, where it is found."""
    found = {
        question_id: locate(answers[question_id], text)
        for question_id in question_ids
        if question_id in answers
    }
    return {name: span for name, span in found.items() if span is not None}
