"""missing = asked − cached, and every finished batch is kept."""

import pytest

from grading.cache import MemoryCache, missing, run


@pytest.fixture
def cache():
    cache = MemoryCache[int]()
    cache.put_many({"b": 2})
    return cache


ASKED = {"a": "one", "b": "two", "c": "three", "d": "fours"}


def test_only_what_the_cache_does_not_know_is_asked(cache):
    asked = []

    def lengths(texts):
        asked.extend(texts)
        return [len(text) for text in texts]

    assert run(ASKED, cache, lengths) == 3
    assert asked == ["one", "three", "fours"]
    assert cache.get_many(list(ASKED)) == {"a": 3, "b": 2, "c": 5, "d": 5}
    assert run(ASKED, cache, lengths) == 0
    assert len(asked) == 3


def test_what_is_missing_stands_once_and_in_order(cache):
    assert missing(["d", "b", "a", "d"], cache) == ["d", "a"]


def test_progress_counts_what_was_missing_and_ends_at_its_total(cache):
    seen = []
    run(
        ASKED,
        cache,
        lambda texts: [len(text) for text in texts],
        batch_size=2,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(0, 3), (2, 3), (3, 3)]


def test_an_interrupted_run_keeps_its_finished_batches(cache):
    def fail_at_fours(texts):
        if "fours" in texts:
            raise RuntimeError("out of memory")
        return [len(text) for text in texts]

    with pytest.raises(RuntimeError, match="out of memory"):
        run(ASKED, cache, fail_at_fours, batch_size=1)
    assert cache.known(list(ASKED)) == {"a", "b", "c"}


def test_a_pause_between_batches_keeps_the_batch_before_it(cache):
    class PausedError(Exception):
        pass

    def pause_after_one(done, total):
        if done == 1:
            raise PausedError

    with pytest.raises(PausedError):
        run(ASKED, cache, lambda t: [0], batch_size=1, progress=pause_after_one)
    assert cache.known(list(ASKED)) == {"a", "b"}


def test_a_responder_that_leaves_something_out_is_an_error_not_a_shift(cache):
    with pytest.raises(ValueError, match="shorter"):
        run(ASKED, cache, lambda texts: [0])
    assert cache.known(list(ASKED)) == {"b"}
