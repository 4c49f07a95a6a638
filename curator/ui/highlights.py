"""Which sentence of a passage answers which question: asked of the worker, kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping

from grading.errors import GradingError
from grading.highlight import best_sentence, sentences
from grading.similarity import Vectors
from grading.worker import Worker

KEPT_TEXTS = 5000
PATIENCE = 5.0  # seconds; a passage without its highlight can be read, too


class Highlighter:
    """Answering sentences by the closeness of their vectors.

    Vectors of texts seen lately are kept, so that going back and forth asks nothing.
    """

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._kept: OrderedDict[str, Vectors] = OrderedDict()

    def spans(
        self, passage: str, questions: Mapping[str, str], *, ask: bool = True
    ) -> dict[str, tuple[int, int]]:
        """Character span of the best sentence by question id; {} without a model.

        Without ``ask`` only what is known already: {} where the model would be asked.
        """
        found = sentences(passage)
        if not questions or not found or self._worker.state != "ready":
            return {}
        texts = [passage[start:end] for start, end in found]
        if not ask and not self._kept.keys() >= {*texts, *questions.values()}:
            return {}
        try:
            vectors = self._vectors([*texts, *questions.values()])
        except GradingError:
            return {}
        return {
            question_id: found[
                best_sentence(vectors[text], [vectors[t] for t in texts])
            ]
            for question_id, text in questions.items()
        }

    def _vectors(self, texts: list[str]) -> dict[str, Vectors]:
        known = {text: self._kept[text] for text in texts if text in self._kept}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            encoded = self._worker.encode(new, timeout=PATIENCE)
            known |= dict(zip(new, encoded, strict=True))
        for text, vector in known.items():
            self._kept[text] = vector
            self._kept.move_to_end(text)
        while len(self._kept) > KEPT_TEXTS:
            self._kept.popitem(last=False)
        return known
