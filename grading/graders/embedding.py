"""The embedding grader: how close question and passage stand in a vector space.

The value is the cosine of the item and the passage, mixed with that of the item and the
passage's best sentence (``computed.mixed``), and becomes a probability. Before, there
were the whole passage's cosines alone, cut into ratings 1-5 at ``THRESHOLDS``; a grader
that a workspace has stored like that goes on so. Thresholds were set on TREC DL 2019,
weights and scale there and on REALSumm, with all-MiniLM-L6-v2, which saw MS MARCO, the
first one's passages, in training: say so wherever its agreement with the official
board is shown.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from grading.cache import Cache, MemoryCache
from grading.errors import InvalidPromptError, UngradableItemError
from grading.frequencies import NO_TEXTS, Frequencies
from grading.graders.client import Client, Ratings
from grading.graders.computed import (
    COSINES,
    AnswerKeys,
    ComputedGrader,
    Encoder,
    Grades,
    OwnEncoder,
    mixed,
    pieces,
    scaled,
    unknown_reading,
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
from grading.similarity import PoolVectors, Vectors, cosines

THRESHOLDS = (0.50, 0.55, 0.60, 0.65, 0.75)
BATCH_SIZE = 256  # texts; a run that is interrupted loses those of one batch
READING_VERSION = "cosine/3"  # bump when a cosine would be computed or cut otherwise

CUT = Reading("rated", "any", "cosine/1", THRESHOLDS)
MIXED = Reading("rated", "any", READING_VERSION)
MIXED_BEFORE = replace(MIXED, parser="cosine/2")  # sentences were cut by version "1"
READINGS = (MIXED, MIXED_BEFORE, CUT, replace(CUT, item_kind="question"))
"""How it can read; one that a workspace has stored goes on reading as it did."""


def spec(model: str | None = None, reading: Reading = MIXED) -> GraderSpec:
    """The embedding grader over this model: the default, a hub name or a folder.

    Loads no model. The default's identity is a constant; another's is read off its
    files, and MissingModelError raised where they are not on this machine.
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


def named(name: str, *, cache: Any = None, prompt: Any = None) -> "EmbeddingGrader":
    """The grader of this name, ``embedding`` or ``embedding:<model>``.

    It asks nothing, so a prompt is an InvalidPromptError.
    """
    if prompt is not None:
        raise InvalidPromptError(f"{name} takes no prompt; it compares vectors")
    return EmbeddingGrader(name.partition(":")[2] or None, cache=cache)


def rate(
    items: Sequence[Vectors], passages: Sequence[Vectors] | PoolVectors
) -> Ratings:
    """Rating 0-5 of every passage for every item, [items, passages].

    The number of ``THRESHOLDS`` that the cosine of the closest windows reaches. Give
    ``PoolVectors`` where one pool meets many items.
    """
    pool = passages if isinstance(passages, PoolVectors) else PoolVectors(passages)
    reached = np.searchsorted(THRESHOLDS, pool.cosines(items), side="right")
    return reached.astype(np.int8)


def item_text(item: Item) -> str:
    """The text of ``item`` that is embedded: stripped, without choices.

    Raises UngradableItemError where it is not published.
    """
    if item.text is None:
        raise UngradableItemError(
            f"The text of {item.kind} '{item.public_id}' is not published, and the "
            "embedding grader needs it; import the text or use its imported grades"
        )
    return item.text.strip()


class EmbeddingGrader(ComputedGrader):
    """Grades by the cosine of question or nugget and passage.

    ``model`` is a hub name or a folder; None is the packaged default. ``encoder``
    does the encoding, such as the worker; without one the model is loaded into this
    process at the first text that the cache does not know. ``stored`` is the grader as
    a workspace has it, which goes on reading as it did.
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
        """The grade of every passage for every item, [items, passages], all known.

        Every batch of vectors is in the cache before the next begins. Raises
        MissingModelError and UngradableItemError.
        """
        if not self.spec.reads_sentences:
            texts = [item_text(item) for item in items]
            vectors = self._vectors([*texts, *passages])
            return rate(vectors[: len(items)], vectors[len(items) :])
        return scaled(mixed(*self.cosines(items, passages)), COSINES)

    def cosines(
        self, items: Sequence[Item], passages: Sequence[str]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Cosines with the passages, and with their best sentences."""
        texts = [item_text(item) for item in items]
        vectors = self._vectors([*texts, *passages])
        asked, wholes = vectors[: len(items)], vectors[len(items) :]
        parts = self._sentences(passages, wholes)
        return cosines(asked, wholes), cosines(asked, parts)

    def _vectors(self, texts: Sequence[str]) -> list[Vectors]:
        keys = [text_key(text) for text in texts]
        asked = dict(zip(keys, texts, strict=True))
        cached = self._cache.known(list(asked))
        missing = [key for key in asked if key not in cached]
        size = self._texts_at_once
        for start in range(0, len(missing), size):
            batch = missing[start : start + size]
            encoded = self._encoded([asked[key] for key in batch])
            self._cache.put_many(dict(zip(batch, encoded, strict=True)))
        known = self._cache.get_many(list(asked))
        return [known[key] for key in keys]

    def _sentences(
        self, passages: Sequence[str], wholes: Sequence[Vectors]
    ) -> list[Vectors]:
        """The vectors of each passage's sentences, below each other."""
        keys = [text_key(passage) for passage in passages]
        cache = self._cache.sentence_cache(self.spec.sentences)
        known = cache.get_many(list(dict.fromkeys(keys)))
        missing = {
            key: (pieces(passage, self.spec.sentences), whole)
            for key, passage, whole in zip(keys, passages, wholes, strict=True)
            if key not in known
        }
        while missing:
            batch: dict[str, tuple[tuple[str, ...], Vectors]] = {}
            size = 0
            while missing and size < self._texts_at_once:
                key = next(iter(missing))
                batch[key] = missing.pop(key)
                size += len(batch[key][0])
            # A passage of one sentence is that sentence.
            cut = [one for one, _ in batch.values() if len(one) > 1]
            texts = list(dict.fromkeys(piece for one in cut for piece in one))
            found = dict(zip(texts, self._encoded(texts), strict=True))
            read = {
                key: np.concatenate([found[piece] for piece in one])
                if len(one) > 1
                else whole
                for key, (one, whole) in batch.items()
            }
            cache.put_many(read)
            known |= read
        return [known[key] for key in keys]

    @property
    def _texts_at_once(self) -> int:
        encoder = self._encoder
        return BATCH_SIZE * (encoder.width if isinstance(encoder, OwnEncoder) else 1)

    def _encoded(self, texts: Sequence[str]) -> list[Vectors]:
        if not texts:
            return []
        if self._encoder is None:
            self._encoder = EmbeddingModel(self._model)
        return self._encoder.encode(texts)

    def read(self, items: Sequence[Item], passages: Sequence[str]) -> list[bool]:
        """Which items, then which passages, have vectors; no item without a text."""
        texts = [(one.text or "").strip() for one in items] + list(passages)
        keys = [text_key(text) for text in texts]
        known = self._cache.known(list(dict.fromkeys(keys)))
        cut = known
        if self.spec.reads_sentences:
            cut = self._cache.sentence_cache(self.spec.sentences).known(sorted(known))
        return [key in known for key in keys[: len(items)]] + [
            key in known and key in cut for key in keys[len(items) :]
        ]


def computing(
    stored: GraderSpec,
    *,
    model: str | None = None,
    cache: Cache | None = None,
    encoder: Encoder | None = None,
    frequencies: Frequencies = NO_TEXTS,
) -> EmbeddingGrader:
    """The grader of a stored description; see ``Client.computing``.

    An encoder that is not its own is taken for the default model, which no other's
    vectors come from.
    """
    if stored.reading not in READINGS:
        raise unknown_reading(stored)
    if stored.responder != spec().responder and not isinstance(encoder, OwnEncoder):
        encoder = None
    return EmbeddingGrader(model, encoder=encoder, cache=cache, stored=stored)


CLIENT = Client(
    engine=VECTORS,
    names={
        "embedding": "nearness of question or nugget to passage; milliseconds each",
        "embedding:<model name or folder>": "embedding, by another model of vectors",
    },
    extra="embedding",
    paid=False,
    local=True,
    answers=False,
    grader=named,
    computing=computing,
)
