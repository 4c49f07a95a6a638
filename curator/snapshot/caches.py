"""In-memory caches of a workspace, shared by its successive snapshots.

Values are cached by the identity of the objects that they were computed from, so that
unchanged parts are found again after an edit, from any Snapshot. A snapshot holds no
texts, because most measures need none; texts are read from the file on request and
numbered once.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from curator.bank.marks.check import Pair
from curator.bank.questions import Question
from curator.collection.pools import Pool
from curator.evaluation.grades import GradedQuery
from curator.evaluation.measures.measure import Measure, Row, ScoredQuery
from curator.evaluation.measures.rouge import Numbers, Words
from curator.evaluation.stability import DrawnRows
from curator.store import collection as store_collection
from curator.store.grades import VectorsByItem

if TYPE_CHECKING:
    from curator.evaluation.checks.learned import LearnedModel, QueryChecks
    from curator.snapshot.learned import QuerySignals
    from grading.stems import Stems

T = TypeVar("T")

CacheKey = tuple[Hashable, tuple[int, ...]]
"""A value's key, and the ids of the objects it was computed from."""

AnswerPositions = dict[tuple[str, bool], dict[str, list[int]]]
"""Pool positions by answer, by the item's key and true if it is a true-false item."""

# Of one query's grades: the current ones, and the baselines of judges' impacts.
VERSIONS = 8

MAX_MATRICES = 4000  # every query of several graders and banks
MAX_GRADES = 50_000_000  # held by matrices; each also holds results computed from it
MAX_BOARDS = 40  # of a grader and a measure; each holds the scores of all queries
MAX_SCORES = 60_000  # of all queries, of several measures; each holds some 2 KB
MAX_ROWS = 8000  # of all queries, of several measures of texts and banks

MAX_SEARCHES = 50

MAX_UNITS = 20  # queries; each holds the graders' values of all its pairs
MAX_LEARNED = 30  # of several parts, checks and banks
MAX_PAST_AGREEMENTS = 50  # first and last decisions of each kind
MAX_DRAWN = 400  # queries; each holds some 200 KB

_STEMS_LOCK = threading.Lock()


class DoNotCacheError(Exception):
    """Carries a value that must not be cached."""

    def __init__(self, value: Any) -> None:
        self.value = value


class LruCache(Generic[T]):
    """Cache of the values last used, by key and the objects they were computed from.

    A key belongs to one query. Every edit computes its value again, so only the last
    ``versions`` values of a key stay. The total is at most ``max_size``; each value
    counts 1 or its ``size``, and the latest always stays. Thread-safe.
    """

    def __init__(
        self,
        max_size: int,
        versions: int = VERSIONS,
        size: Callable[[T], int] = lambda value: 1,
    ) -> None:
        self._max_size, self._versions, self._size_of = max_size, versions, size
        self._total_size = 0
        self._lock = threading.Lock()
        self._values: OrderedDict[CacheKey, tuple[tuple[Any, ...], T]] = OrderedDict()
        self._places: defaultdict[Hashable, list[CacheKey]] = defaultdict(list)

    def __len__(self) -> int:
        return len(self._values)

    def get(
        self, key: Hashable, sources: tuple[object, ...], compute: Callable[[], T]
    ) -> T:
        """Return the value computed from these objects, cached if possible."""
        place = key, tuple(map(id, sources))
        with self._lock:
            if place in self._values:
                self._mark_used(place)
                return self._values[place][1]
        try:
            value = compute()
        except DoNotCacheError as error:
            late: T = error.value
            return late
        with self._lock:
            if place not in self._values:
                self._total_size += self._size_of(value)
            # Keeping the sources alive prevents the reuse of their ids.
            value = self._values.setdefault(place, (sources, value))[1]
            self._mark_used(place)
            if len(self._places[key]) > self._versions:
                self._drop(self._places[key][0])
            while self._total_size > self._max_size and len(self._values) > 1:
                self._drop(next(iter(self._values)))
        return value

    def _mark_used(self, place: CacheKey) -> None:
        self._values.move_to_end(place)
        versions = self._places[place[0]]
        if place in versions:
            versions.remove(place)
        versions.append(place)

    def _drop(self, place: CacheKey) -> None:
        _, value = self._values.pop(place)
        self._total_size -= self._size_of(value)
        self._places[place[0]].remove(place)
        if not self._places[place[0]]:
            del self._places[place[0]]


@cache
def stems() -> Stems:
    """Return the stemmer cache of this process: stemming takes most of the time."""
    # Imported here because most boards need no stemmer.
    from grading.stems import Stems

    return Stems()


BoardInputs = tuple[object, tuple[Mapping[Any, object], ...]]
"""The inputs of a board's scores: a grader, and mappings by query.

A key of a mapping is a query's id, or ends in it.
"""


class LatestScores:
    """The last scores of all queries of one board.

    Thread-safe, because the stored tuple is replaced as a whole.
    """

    def __init__(self) -> None:
        self._latest: tuple[BoardInputs, Mapping[str, ScoredQuery | None]] | None = None

    def with_changed(
        self,
        now: BoardInputs,
        query_ids: Iterable[str],
        scored: Callable[[str], ScoredQuery | None],
    ) -> Mapping[str, ScoredQuery | None]:
        """Return the current scores, computed again for queries with changed inputs."""
        latest, (grader, mappings) = self._latest, now
        if latest is None or latest[0][0] != grader:
            return {query_id: scored(query_id) for query_id in query_ids}
        (_, before), scores = latest
        changed = {
            query_id
            for old, new in zip(before, mappings, strict=True)
            for query_id in changed_queries(old, new)
        }
        return {
            **scores,
            **{
                query_id: scored(query_id) for query_id in changed if query_id in scores
            },
        }

    def store(self, now: BoardInputs, scores: Mapping[str, ScoredQuery | None]) -> None:
        """Store the scores from which the next ones begin."""
        self._latest = now, scores


def changed_queries(
    before: Mapping[Any, object], after: Mapping[Any, object]
) -> Iterator[str]:
    """Yield the queries at which two mappings have different objects."""
    if before is after:
        return
    for key in before.keys() | after.keys():
        if before.get(key) is not after.get(key):
            yield key[-1] if isinstance(key, tuple) else key


class PassageWords:
    """Words of one workspace's passages; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        # By query: the row of each passage in the Words, -1 for not read.
        self._words: dict[str, tuple[Numbers, Words]] = {}

    def numbered(self, texts: Sequence[str]) -> Words:
        """Convert texts to words, numbered as the words of the passages are."""
        with _STEMS_LOCK:  # without it two threads could each make one
            numbering = stems()
        return Words(*numbering.stem_numbers(texts))

    def words_at(
        self, connection: sqlite3.Connection, pool: Pool, positions: Numbers
    ) -> tuple[Numbers, Words]:
        """(passages,) rows by pool position, and the words of at least these passages.

        Each text is read and numbered once.
        """
        with self._lock:
            nothing = np.full(pool.size, -1, dtype=np.int64)
            rows, words = self._words.get(pool.query_id, (nothing, None))
            new = positions[rows[positions] < 0]
            if words is None or len(new):
                more = self.numbered(
                    store_collection.texts_at(connection, pool.query_id, new.tolist())
                )
                rows = rows.copy()
                rows[new] = np.arange(len(new)) + (words.texts if words else 0)
                words = more if words is None else words.append(more)
                self._words[pool.query_id] = rows, words
            return rows, words


def matrix_size(matrix: GradedQuery) -> int:
    """Size of a matrix in the cache: its grades, with a minimum for small ones."""
    return max(int(matrix.ratings.size), MAX_GRADES // MAX_MATRICES)


def vectors_size(vectors: VectorsByItem) -> int:
    """Size of stored vectors in the cache, with a minimum for small ones."""
    return max(sum(map(len, vectors.values())), MAX_GRADES // MAX_MATRICES)


class Caches:
    """Caches that all snapshots of one workspace share, by key: what they hold.

    Each ``get`` names the objects that the value is computed from.
    """

    def __init__(self) -> None:
        # Grades
        # (grader id, query id): stored grades.
        self.vectors: LruCache[VectorsByItem] = LruCache(MAX_GRADES, size=vectors_size)
        # (grader id, query id, subtopic id): grades on a set of questions.
        self.matrices: LruCache[GradedQuery] = LruCache(MAX_GRADES, size=matrix_size)
        # (query id, visible marks) or (grader id, query id): grades that marks give.
        self.people_ratings: LruCache[VectorsByItem] = LruCache(MAX_MATRICES)
        # (responder key, query id): pool positions of a model's answers.
        self.answer_positions: LruCache[AnswerPositions] = LruCache(MAX_MATRICES)
        # (grader ids, query id): the distinct answers of a grader, and their checks.
        self.query_answers: LruCache[Any] = LruCache(MAX_MATRICES)
        # Query id: the length of each passage.
        self.letters: LruCache[NDArray[np.int32]] = LruCache(MAX_MATRICES, versions=1)
        # Boards
        # (``board`` key, query id): a measure's values of all systems.
        self.scores: LruCache[ScoredQuery | None] = LruCache(MAX_SCORES)
        # ``board`` key: the last scores of all queries.
        self.latest_scores: LruCache[LatestScores] = LruCache(MAX_BOARDS)
        # (measure, query id, lowest relevant judgment): values of a measure of texts.
        self.text_rows: LruCache[Row] = LruCache(MAX_ROWS)
        # (query id, measure, draws, seed): values by drawn questions.
        self.drawn_scores: LruCache[DrawnRows] = LruCache(MAX_DRAWN, 2)
        # Checks and agreement
        # (query id, decisions): what people say of each checked pair.
        self.decided_pairs: LruCache[Mapping[Pair, str]] = LruCache(MAX_MATRICES)
        # (grader id, query id, checked texts): a learned grader's inputs at them.
        self.query_checks: LruCache[QueryChecks] = LruCache(MAX_MATRICES)
        # (grader id, query id): a learned grader's inputs at all pairs.
        self.units: LruCache[QuerySignals] = LruCache(MAX_UNITS)
        # (grader id, query ids, checked texts): the model learned from all checks.
        self.learned: LruCache[LearnedModel] = LruCache(MAX_LEARNED)
        # (kind, event, after): the agreement of judges at an event.
        self.past_agreement: LruCache[Any] = LruCache(MAX_PAST_AGREEMENTS)
        # "": names of votes that are no judge's.
        self.vote_sources: LruCache[frozenset[str]] = LruCache(1)
        # The page Judge
        # (query id, what is hidden): the questions or marks that a judge may see.
        self.visible: LruCache[tuple[Any, ...]] = LruCache(MAX_MATRICES)
        # (query id, judge): an edited query's questions with what was hidden.
        self.restored: LruCache[tuple[Question, ...]] = LruCache(MAX_MATRICES)
        # (settings, query id): questions with reach and influence.
        self.question_lines: LruCache[tuple[Any, ...]] = LruCache(MAX_MATRICES, 2)
        # (settings, query id, viewer): next steps.
        self.next_steps: LruCache[tuple[Any, ...]] = LruCache(MAX_MATRICES, 2)
        # (query id, words): the passages that contain the words.
        self.searches: LruCache[tuple[str, ...]] = LruCache(MAX_SEARCHES)
        # Responder id, content key: vectors of questions' texts.
        self.text_vectors: dict[int, dict[str, Any]] = {}
        # Query id: the words of its passages.
        self.words: PassageWords = PassageWords()
        self._boards: dict[tuple[int, Measure], object] = {}

    def board(self, grader_id: int, measure: Measure) -> object:
        """Return the cache key of a grader's scores under a measure."""
        return self._boards.setdefault((grader_id, measure), object())
