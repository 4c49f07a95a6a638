"""Which sentence of a passage answers which question: asked of the worker, kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from grading.errors import GradingError
from grading.highlight import best_sentence, sentences
from grading.similarity import Vectors
from grading.worker import Worker

KEPT_TEXTS = 5000
PATIENCE = 5.0  # seconds; a passage without its highlight can be read, too

Spans = dict[str, tuple[int, int]]
"""Character span of the answering sentence by question id."""


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
        self._preparing: Future[None] | None = None
        self._wish: list[tuple[str, Mapping[str, str]]] = []
        self.news = 0

    def spans(
        self, passage: str, questions: Mapping[str, str], *, ask: bool = True
    ) -> Spans:
        """Span of the best sentence by question id; {} without a model.

        Without ``ask`` only what is known already: {} where the model would be asked.
        """
        return self.spans_of([(passage, questions)], ask=ask)[0]

    def spans_of(
        self, passages: Sequence[tuple[str, Mapping[str, str]]], *, ask: bool = True
    ) -> list[Spans]:
        """The spans of each passage, of all that are new in one request."""
        if self._worker.state != "ready":
            return [{} for _ in passages]
        cut = [sentences(text) if questions else [] for text, questions in passages]
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

    def prepare(self, passages: Sequence[tuple[str, Mapping[str, str]]]) -> None:
        """Ask for these beside the page; ``news`` counts up when they are known.

        A later wish takes the place of one that is not yet begun.
        """
        with self._lock:
            self._wish = list(passages)
            if self._preparing is not None and not self._preparing.done():
                return
            self._preparing = self._pool.submit(self._prepare)

    @property
    def preparing(self) -> bool:
        """Whether sentences are being looked for beside the page."""
        with self._lock:
            return self._preparing is not None and not self._preparing.done()

    def _prepare(self) -> None:
        while True:
            with self._lock:
                wish, self._wish = self._wish, []
            known = self.spans_of(wish, ask=False)
            missing = [
                one
                for one, found in zip(wish, known, strict=True)
                if one[1] and not found
            ]
            if not missing:
                return
            for one in missing:  # one by one, so that the reader's own wish gets in
                if not self.spans_of([one])[0]:
                    return
            self.news += 1

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
            for text, vector in known.items():
                self._kept[text] = vector
                self._kept.move_to_end(text)
            while len(self._kept) > KEPT_TEXTS:
                self._kept.popitem(last=False)
        return known
