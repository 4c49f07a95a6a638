"""The embedding grader: similarity of question and passage vectors.

The value is the cosine of item and passage, combined with the cosine of item and best
sentence (``computed.weighted_mean``), and is mapped to a probability. Former versions
used only cosines of whole passages and cut them into ratings 1-5 at ``THRESHOLDS``;
stored graders keep that. Thresholds were set on TREC DL 2019, weights and scale there
and on REALSumm, with all-MiniLM-L6-v2. That model was trained on MS MARCO, which the
passages of TREC DL come from: say so wherever its agreement with the official board is
shown.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import numpy as np
import numpy.typing as npt

from grading.errors import UngradableItemError
from grading.graders.client import Client, Ratings
from grading.graders.computed import (
    COSINE_SCALE,
    AnswerKeys,
    ComputedGrader,
    Encoder,
    GraderEncoder,
    Grades,
    passage_sentences,
    to_probabilities,
    unknown_reading,
    weighted_mean,
)
from grading.items import Item
from grading.keys import text_key
from grading.models.embedding import (
    DEFAULT,
    WINDOWS_VERSION,
    EmbeddingModel,
    model_identity,
)
from grading.responders import VECTORS, GraderSpec, Reading, Responder
from grading.similarity import Cache, MemoryCache, PoolVectors, Vectors, cosines
from grading.stems import NO_TEXTS, Frequencies

THRESHOLDS = (0.50, 0.55, 0.60, 0.65, 0.75)
BATCH_SIZE = 256  # texts; an interrupted run loses one batch
READING_VERSION = "cosine/3"  # bump when a cosine would be computed or cut differently

COSINE_1 = Reading("rated", "any", "cosine/1", THRESHOLDS)
LATEST_READING = Reading("rated", "any", READING_VERSION)
COSINE_2 = replace(LATEST_READING, parser="cosine/2")  # with sentences of version "1"
READINGS = (LATEST_READING, COSINE_2, COSINE_1, replace(COSINE_1, item_kind="question"))
"""The supported readings; stored graders keep theirs."""


def spec(model: str | None = None, reading: Reading = LATEST_READING) -> GraderSpec:
    """Spec of the embedding grader with this model: None (default), hub name or folder.

    Loads no model. The identity of the default model is a constant, that of another is
    a hash of its files. Raises MissingModelError if they are not on this machine.
    """
    identity = model_identity(model)
    return GraderSpec(
        name="embedding" if identity == DEFAULT else f"embedding:{model}",
        responder=Responder(
            model=identity.name,
            revision=identity.revision,
            prompt="",
            decoding=(("vectors", "float16"), ("windows", WINDOWS_VERSION)),
        ),
        reading=reading,
    )


def rate(
    items: Sequence[Vectors], passages: Sequence[Vectors] | PoolVectors
) -> Ratings:
    """Rate every passage for every item 0-5, [items, passages].

    A rating is the number of ``THRESHOLDS`` that the cosine of the closest windows
    reaches. Pass ``PoolVectors`` to compare one pool with many items.
    """
    pool = passages if isinstance(passages, PoolVectors) else PoolVectors(passages)
    reached = np.searchsorted(THRESHOLDS, pool.cosines(items), side="right")
    return reached.astype(np.int8)


def item_text(item: Item) -> str:
    """Return the text of ``item`` to embed: stripped, without choices.

    Raises UngradableItemError if the text is not published.
    """
    if item.text is None:
        raise UngradableItemError(
            f"The text of {item.kind} '{item.public_id}' is not published, and the "
            "embedding grader needs it; import the text or use its imported grades"
        )
    return item.text.strip()


class EmbeddingGrader(ComputedGrader):
    """Grades by the cosine of question or nugget and passage.

    ``model`` is a hub name or a folder; None is the packaged default. Without an
    ``encoder`` (such as the worker) the model is loaded into this process at the first
    text that is not cached. ``stored`` is the spec of a stored grader to continue.
    """

    def __init__(
        self,
        model: str | None = None,
        *,
        encoder: Encoder | None = None,
        cache: Cache | None = None,
        stored: GraderSpec | None = None,
    ) -> None:
        self.spec = spec(model) if stored is None else stored
        self._model = model
        self._encoder = encoder
        self._cache = MemoryCache() if cache is None else cache

    def grade(
        self,
        items: Sequence[Item],
        passages: Sequence[str],
        answers: AnswerKeys | None = None,
    ) -> Grades:
        """Grade every passage for every item, [items, passages]; no grade is missing.

        Each batch of vectors is cached before the next one is computed. Raises
        MissingModelError and UngradableItemError.
        """
        if not self.spec.reads_sentences:
            texts = [item_text(item) for item in items]
            vectors = self._vectors([*texts, *passages])
            return rate(vectors[: len(items)], vectors[len(items) :])
        return to_probabilities(
            weighted_mean(*self.cosines(items, passages)), COSINE_SCALE
        )

    def cosines(
        self, items: Sequence[Item], passages: Sequence[str]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return cosines of items with passages, and with their best sentences."""
        texts = [item_text(item) for item in items]
        vectors = self._vectors([*texts, *passages])
        of_items, of_passages = vectors[: len(items)], vectors[len(items) :]
        of_sentences = self._sentences(passages, of_passages)
        return cosines(of_items, of_passages), cosines(of_items, of_sentences)

    def _vectors(self, texts: Sequence[str]) -> list[Vectors]:
        keys = [text_key(text) for text in texts]
        by_key = dict(zip(keys, texts, strict=True))
        cached = self._cache.cached_keys(list(by_key))
        missing = [key for key in by_key if key not in cached]
        size = self._batch_size
        for start in range(0, len(missing), size):
            batch = missing[start : start + size]
            encoded = self._encode([by_key[key] for key in batch])
            self._cache.put_many(dict(zip(batch, encoded, strict=True)))
        vectors = self._cache.get_many(list(by_key))
        return [vectors[key] for key in keys]

    def _sentences(
        self, passages: Sequence[str], passage_vectors: Sequence[Vectors]
    ) -> list[Vectors]:
        """Vectors of each passage's sentences, stacked as rows."""
        keys = [text_key(passage) for passage in passages]
        cache = self._cache.sentence_cache(self.spec.sentences)
        vectors = cache.get_many(list(dict.fromkeys(keys)))
        missing = {
            key: (passage_sentences(passage, self.spec.sentences), of_passage)
            for key, passage, of_passage in zip(
                keys, passages, passage_vectors, strict=True
            )
            if key not in vectors
        }
        while missing:
            batch: dict[str, tuple[tuple[str, ...], Vectors]] = {}
            size = 0
            while missing and size < self._batch_size:
                key = next(iter(missing))
                batch[key] = missing.pop(key)
                size += len(batch[key][0])
            # A passage of one sentence has the vectors of that sentence.
            split = [sentences for sentences, _ in batch.values() if len(sentences) > 1]
            texts = list(dict.fromkeys(chain(*split)))
            encoded = dict(zip(texts, self._encode(texts), strict=True))
            new: dict[str, Vectors] = {}
            for key, (sentences, of_passage) in batch.items():
                new[key] = of_passage
                if len(sentences) > 1:
                    new[key] = np.concatenate([encoded[text] for text in sentences])
            cache.put_many(new)
            vectors |= new
        return [vectors[key] for key in keys]

    @property
    def _batch_size(self) -> int:
        encoder = self._encoder
        return BATCH_SIZE * (
            encoder.worker_count if isinstance(encoder, GraderEncoder) else 1
        )

    def _encode(self, texts: Sequence[str]) -> list[Vectors]:
        if not texts:
            return []
        if self._encoder is None:
            self._encoder = EmbeddingModel(self._model)
        return self._encoder.encode(texts)

    def has_vectors(self, items: Sequence[Item], passages: Sequence[str]) -> list[bool]:
        """Return for each item, then each passage, whether its vectors are cached.

        An item without a text has none.
        """
        texts = [(item.text or "").strip() for item in items] + list(passages)
        keys = [text_key(text) for text in texts]
        cached = self._cache.cached_keys(list(dict.fromkeys(keys)))
        complete = cached
        if self.spec.reads_sentences:
            sentences = self._cache.sentence_cache(self.spec.sentences)
            complete = cached & sentences.cached_keys(sorted(cached))
        return [key in cached for key in keys[: len(items)]] + [
            key in complete for key in keys[len(items) :]
        ]


def from_spec(
    stored: GraderSpec,
    *,
    model: str | None = None,
    cache: Cache | None = None,
    encoder: Encoder | None = None,
    frequencies: Frequencies = NO_TEXTS,
) -> EmbeddingGrader:
    """Open a stored grader; see ``Client.from_spec``.

    An encoder other than a GraderEncoder has the default model, so it is ignored for
    graders with another model.
    """
    if stored.reading not in READINGS:
        raise unknown_reading(stored)
    if stored.responder != spec().responder and not isinstance(encoder, GraderEncoder):
        encoder = None
    return EmbeddingGrader(model, encoder=encoder, cache=cache, stored=stored)


CLIENT = Client(
    engine=VECTORS,
    names={
        "embedding": "nearness of question or nugget to passage; milliseconds each",
        "embedding:<model name or folder>": "embedding, by another model of vectors",
    },
    paid=False,
    local=True,
    takes_prompts=False,
    from_name=lambda name, cache=None: EmbeddingGrader(
        name.partition(":")[2] or None, cache=cache
    ),
    from_spec=from_spec,
)
