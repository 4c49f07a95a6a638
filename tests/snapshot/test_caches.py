"""What a process keeps stays bounded, whatever is edited and for however long."""

from __future__ import annotations

from pathlib import Path

from curator.bank.edits.questions import Restore, Retire
from curator.snapshot.caches import VERSIONS, LruCache
from curator.workspace import Workspace


def test_of_each_key_the_last_versions_stay_and_those_asked_for_again() -> None:
    cache: LruCache[int] = LruCache(10, versions=2)
    banks, asked = [object() for _ in range(4)], []

    def value(key: str, bank: int) -> int:
        return cache.get(key, (banks[bank],), lambda: asked.append(bank) or bank)

    assert [value("q1", 0), value("q2", 0), value("q1", 1)] == [0, 0, 1]
    assert value("q1", 0) == 0  # used again, so the other is the oldest
    assert value("q1", 2) == 2
    assert asked == [0, 0, 1, 2]
    assert value("q1", 0) == 0
    assert value("q2", 0) == 0
    assert asked == [0, 0, 1, 2]
    assert value("q1", 1) == 1
    assert asked == [0, 0, 1, 2, 1]
    assert len(cache) == 3


def test_no_more_than_the_most_is_held_and_the_latest_stays_whatever_its_size() -> None:
    cache: LruCache[str] = LruCache(6, size=len)
    asked = []

    def value(word: str) -> str:
        return cache.get(word, (), lambda: asked.append(word) or word)

    assert [value("abc"), value("def"), value("abc"), value("g")] == [
        *("abc", "def", "abc", "g")
    ]
    assert len(cache) == 2  # without the one used longest ago
    assert value("longer than all") == value("longer than all")
    assert asked == ["abc", "def", "g", "longer than all"]
    assert len(cache) == 1
    assert value("g") == "g"
    assert len(cache) == 1


def test_many_edits_keep_no_more_than_some_do(hand_made: Path) -> None:
    with Workspace.open(hand_made) as workspace:
        cache, sizes = workspace.current_snapshot().caches, []
        for _ in range(2):
            for edit in 8 * [Retire("q1/a"), Restore("q1/a")]:
                workspace.apply(edit)
                workspace.leaderboard()
                workspace.questions(query_id="q1")
            sizes.append([len(cache.matrices), len(cache.question_lines)])
        assert sizes[0] == sizes[-1]
        assert sizes[0][0] >= VERSIONS
