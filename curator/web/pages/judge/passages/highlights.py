"""Find where a passage answers: the words of a grader, or the nearest sentence."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor

from grading.errors import GradingError
from grading.highlight import best_sentence, compared_sentences, locate
from grading.similarity import Vectors
from grading.worker import Worker

KEPT_TEXTS = 20_000  # of many judges' passages
PATIENCE = 5.0  # seconds; a passage without its highlight can be read, too

Passage = tuple[str, Mapping[str, str]]
"""A passage's text, and the questions to be marked in it by id."""

Spans = dict[str, tuple[int, int]]
"""Character span of the answering sentence by question id."""


def are_found(sentences: Future[Spans]) -> bool:
    """Return True if the model has answered with a sentence."""
    over = sentences.done() and not sentences.cancelled()
    return over and not sentences.exception() and bool(sentences.result())


class Highlighter:
    """Finds answering sentences by the closeness of their vectors.

    Vectors of recent texts are cached, so that going back and forth asks nothing. One
    serves all threads of a server.
    """

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._lock = threading.Lock()
        self._cache: OrderedDict[str, Vectors] = OrderedDict()
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="highlights")

    def spans_of(self, passage: Passage, *, ask: bool = True) -> Spans:
        """Return the spans of the best sentences; {} without a model or its answer.

        Without ``ask`` only what is cached.
        """
        text, questions = passage
        if self._worker.state != "ready" or not questions:
            return {}
        spans = compared_sentences(text)
        sentences = [text[start:end] for start, end in spans]
        if not sentences:
            return {}
        vectors = self._vectors([*sentences, *questions.values()], ask=ask)
        if not vectors.keys() >= {*sentences, *questions.values()}:
            return {}
        of_sentences = [vectors[sentence] for sentence in sentences]
        return {
            question_id: spans[best_sentence(vectors[question], of_sentences)]
            for question_id, question in questions.items()
        }

    def prepare(
        self, passage: Passage, *, instead_of: Future[Spans] | None = None
    ) -> Future[Spans]:
        """Find a passage's sentences in the background, in place of earlier ones."""
        if instead_of is not None:
            instead_of.cancel()
        return self._pool.submit(self.spans_of, passage)

    def _vectors(self, texts: Iterable[str], *, ask: bool) -> dict[str, Vectors]:
        """Vectors of these texts from the cache, and if allowed from the model."""
        unique_texts = list(dict.fromkeys(texts))
        with self._lock:
            vectors = {
                text: self._cache[text] for text in unique_texts if text in self._cache
            }
        new = [text for text in unique_texts if text not in vectors]
        if new and ask:
            try:
                encoded = self._worker.encode(new, timeout=PATIENCE)
            except GradingError:
                encoded = []
            vectors |= dict(zip(new, encoded, strict=False))
        with self._lock:
            for text, vector in vectors.items():
                self._cache[text] = vector
                self._cache.move_to_end(text)
            while len(self._cache) > max(KEPT_TEXTS, len(unique_texts)):
                self._cache.popitem(last=False)
        return vectors


def answer_spans(
    text: str, answers: Mapping[str, str], question_ids: Iterable[str]
) -> Spans:
    """Return the span of each question's answer in the text, where it is found."""
    spans = {
        question_id: locate(answers[question_id], text)
        for question_id in question_ids
        if question_id in answers
    }
    return {name: span for name, span in spans.items() if span is not None}
