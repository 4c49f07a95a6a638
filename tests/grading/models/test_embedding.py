"""The real packaged model: its identity, its windows, its vectors."""

import numpy as np
import pytest

from grading.errors import MissingModelError
from grading.models import embedding
from grading.models.embedding import EmbeddingModel, batches, window_spans

WORDS = 254  # all-MiniLM-L6-v2 takes 256 tokens, two of them special


def test_vectors_are_float16_of_unit_length_one_row_a_window(minilm):
    vectors = minilm.encode(["What is money laundering?", ""])
    assert [v.shape for v in vectors] == [(1, 384), (1, 384)]
    assert all(v.dtype == np.float16 for v in vectors)
    assert np.linalg.norm(vectors[0].astype(float)) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        ([], []),
        ([30, 50, 40], [[1, 2, 0]]),  # by hand: padded by 10 + 20, two under the limit
        ([30, 50, 37], [[1, 2], [0]]),  # by 13, and by 33 with the third
        ([9, 9, 9, 9], [[0, 1, 2], [3]]),
    ],
)
def test_a_batch_is_padded_by_few_tokens_and_no_larger_than_asked(lengths, expected):
    assert list(batches(lengths, size=3)) == expected


@pytest.mark.parametrize(
    ("words", "windows"),
    [
        (WORDS, 1),
        (WORDS + 1, 2),  # by hand: from 0 and from 127
        (2 * WORDS, 3),  # from 0, 127 and 254
        (1000, 7),  # from 0, 127, ..., 762: the first that reaches 1000
    ],
)
def test_a_text_longer_than_the_model_is_encoded_in_windows(minilm, words, windows):
    (vectors,) = minilm.encode(["word " * words])
    assert vectors.shape == (windows, 384)


def test_a_changed_weight_file_is_refused(monkeypatch):
    monkeypatch.setattr(embedding, "DEFAULT_SHA256", "0" * 64)
    with pytest.raises(MissingModelError, match=r"expected SHA-256 0{64}, found 53aa"):
        EmbeddingModel()


def test_windows_begin_at_white_space_and_cover_the_text():
    text = "aa bb cc dd ee ff gg"
    words = [(n, n + 2) for n in range(0, len(text), 3)]
    spans = window_spans(text, words, size=4)
    # by hand: four words at a time, each window two words after the one before
    assert [text[a:b] for a, b in spans] == ["aa bb cc dd", "cc dd ee ff", "ee ff gg"]
