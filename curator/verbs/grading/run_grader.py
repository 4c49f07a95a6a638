"""Run a prompted model on missing pairs, and store every response.

A *window* of missing pairs is claimed, asked and stored batch by batch; then the bank
is read again, so that queries edited meanwhile come first. An interrupted run loses
only the current batch; the next run asks for exactly the pairs without a response. The
model is opened only if a response is missing: other pairs are rated without it.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np

from curator.snapshot.gradebook import GraderRecord, Target
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.snapshot import Snapshot
from curator.store import collection as store_collection
from curator.store import grades as store_grades
from curator.store import jobs as store_jobs
from curator.store.connection import write_transaction
from curator.store.grades import ItemKey
from curator.store.responses import put_responses, raw_by_text
from curator.store.texts import item_ids, key_ids
from curator.verbs.grading.missing import (
    GradeSelection,
    Missing,
    missing_in_query,
    queries_by_last_edit,
)
from curator.verbs.grading.summary import MIN_ANSWERS, Progress, RunCounts
from grading.errors import EndpointError, MissingModelError, PromptTooLongError
from grading.graders.text import TextGrader
from grading.models.protocol import Response
from grading.ratings import UNREADABLE
from grading.readings import answer_of

WINDOW = 512  # pairs claimed at once; edits wait for at most one window
WAIT = 0.3  # seconds between checks of pairs that another process is asking


def ratings_warning(responses: Sequence[tuple[Response, int]]) -> str:
    """Warning about the first (response, rating) pairs; "" where ratings differ."""
    first, rating = responses[0]
    if any(other != rating for _, other in responses):
        return ""
    words = f'"{" ".join(first.raw.split())[:60]}"'
    if rating == UNREADABLE:
        reason = f"{first.fault or 'no rating in it'}: {words}".removesuffix(': ""')
        alarm = f"None of the first {len(responses)} answers can be read ({reason})."
    else:
        alarm = f"The first {len(responses)} answers are all rated {rating}: {words}."
    return f"{alarm} If that is wrong, stop the job; its grades are kept."


def _grades(missing: Iterable[Missing]) -> int:
    return sum(query_missing.grades for query_missing in missing)


@dataclass
class Pair:
    """An item and a text to ask about once, for all queries that contain both.

    A place is a query, the stored key of its target, the target, and the pool positions
    of the text.
    """

    target: Target
    text: str
    places: list[tuple[str, ItemKey, Target, list[int]]] = field(default_factory=list)

    @property
    def grades(self) -> int:
        return sum(len(positions) for *_, positions in self.places)


Window = dict[store_jobs.Pair, Pair]


class PromptRun:
    """Asks one grader for missing grades, window by window.

    ``width`` models at once answer it, so a window has as many times the pairs.
    """

    def __init__(
        self,
        workspace: OpenWorkspace,
        record: GraderRecord,
        grader: TextGrader,
        *,
        selection: GradeSelection,
        tally: RunCounts,
        width: int = 1,
    ) -> None:
        self._size = WINDOW * width
        self._connection = workspace.connection
        self._read_snapshot = workspace.current_snapshot
        self._record = record
        self._grader = grader
        self._selection = selection
        self._again = selection.again
        # Stored unreadable responses to replace.
        self._unreadable: dict[store_jobs.Pair, str] = {}
        self._unanswerable: set[store_jobs.Pair] = set()  # asked without a rating
        self._lost_grades = 0  # their grades, which stay missing
        self._too_long: PromptTooLongError | None = None
        self._keys: dict[str, ItemKey] = {}
        self._missing_cache: dict[str, tuple[tuple[object, ...], Missing | None]] = {}
        self._derived: set[tuple[str, ItemKey]] = set()
        self._tally = tally
        self._first_answers: list[tuple[Response, int]] = []  # with their ratings
        self._responder_id = store_grades.responder_id_of(
            workspace.connection, record.grader_id
        )
        self._holder = store_jobs.new_holder()
        self._kept = 0

    def run(self, progress: Progress) -> None:
        """Ask until nothing is missing; ``progress`` gets (kept, kept and missing).

        An error in ``progress`` or the model ends the run with all answers stored.
        Questions edited meanwhile are graded too. A question too long for the model is
        skipped; PromptTooLongError is raised at the end. Where the model cannot be
        asked, all stored responses are rated first, and the error states how many
        grades are missing.
        """
        try:
            while True:
                missing = list(self._missing(self._read_snapshot()))
                total = self._kept + _grades(missing) - self._lost_grades
                progress(self._kept, max(total, self._kept))
                before = self._kept
                window = self._window(missing)
                if window and not self._ask(window, total, progress):
                    time.sleep(WAIT)  # another process is asking all of it
                if not window and self._kept == before:
                    break  # only pairs asked in vain are left
            if self._too_long is not None:
                raise self._too_long
        except (EndpointError, MissingModelError) as error:
            for _ in self._unanswered(self._missing(self._read_snapshot())):
                pass  # rates all stored responses
            missing = list(self._missing(self._read_snapshot()))
            raise type(error)(
                f"{error}. Still missing: {_grades(missing):,} grades"
            ) from None
        finally:
            with write_transaction(self._connection):
                store_jobs.release_holder(self._connection, self._holder)

    def _missing(self, snapshot: Snapshot) -> Iterator[Missing]:
        """List every query's missing grades, the most recently edited query first."""
        for query_id in queries_by_last_edit(snapshot, self._selection.query_id):
            versions = (
                snapshot.collection.pools[query_id],
                snapshot.bank.questions_of(query_id),
                snapshot.gradebook.vectors(self._record, query_id),
            )
            # Few queries change between two windows.
            cached, query_missing = self._missing_cache.get(query_id, ((), None))
            if [*map(id, cached)] != [*map(id, versions)]:
                query_missing = missing_in_query(
                    snapshot, self._record, query_id, self._selection
                )
                self._missing_cache[query_id] = (versions, query_missing)
            if query_missing is not None:
                yield query_missing

    def _window(self, missing: Sequence[Missing]) -> Window:
        """Collect the next pairs to ask; pairs with a stored response are rated now."""
        window: Window = {}
        for ids, pair in self._unanswered(missing):
            if ids not in self._unanswerable:
                existing = window.setdefault(ids, pair)
                if existing is not pair:
                    existing.places += pair.places
            if len(window) >= self._size:
                break
        return window

    def _unanswered(
        self, missing: Iterable[Missing]
    ) -> Iterator[tuple[store_jobs.Pair, Pair]]:
        """List the pairs to ask; a target's stored responses are rated first."""
        for missing_here in missing:
            query_id = missing_here.query_id
            texts = store_collection.pool_texts(self._connection, query_id)
            for target, unknown in zip(
                missing_here.targets, missing_here.unknown, strict=True
            ):
                key = self._key_of(target)
                positions: defaultdict[int, list[int]] = defaultdict(list)
                for position in np.flatnonzero(unknown).tolist():
                    positions[texts[position][0]].append(position)
                self._derive(query_id, key, target, positions)
                for text_id, places in positions.items():
                    place = query_id, key, target, places
                    yield (key[0], text_id), Pair(target, texts[places[0]][2], [place])

    def _key_of(self, target: Target) -> ItemKey:
        """Return (item id, key id) of the target; stores both."""
        key = self._keys.get(target.key)
        if key is None:
            with write_transaction(self._connection):
                item_id = item_ids(self._connection, [target.item])[target.item]
                key_id = key_ids(self._connection, [target.answers])[target.answers]
            key = self._keys[target.key] = (item_id, key_id)
        return key

    def _derive(
        self,
        query_id: str,
        key: ItemKey,
        target: Target,
        positions: dict[int, list[int]],
    ) -> None:
        """Rate stored responses, and remove their texts from ``positions``."""
        if (query_id, key) in self._derived:
            return
        self._derived.add((query_id, key))
        raws = raw_by_text(self._connection, self._responder_id, key[0])
        ratings = {}
        for text_id in [candidate for candidate in positions if candidate in raws]:
            rating = self._grader.read(raws[text_id], target.answers, target.item)
            if rating == UNREADABLE and self._again:
                self._unreadable[key[0], text_id] = raws[text_id]
                continue
            ratings.update(dict.fromkeys(positions.pop(text_id), rating))
        if ratings:
            with write_transaction(self._connection):
                self._write_ratings(query_id, {key: ratings})
            self._kept += len(ratings)

    def _ask(self, window: Window, total: int, progress: Progress) -> bool:
        """Ask the unclaimed pairs of this window; False without any."""
        with write_transaction(self._connection):
            taken = store_jobs.claim(
                self._connection,
                self._responder_id,
                {ids: self._unreadable.get(ids) for ids in window},
                self._holder,
                now=time.time(),
            )
        if len(taken) < len(window):
            # Other processes ask these or have asked them: read their responses.
            self._derived.clear()
        claimed = [entry for entry in window.items() if entry[0] in taken]
        prompts = [self._grader.prompt_for(p.target.item, p.text) for _, p in claimed]
        if not prompts:
            return False
        remaining = dict(claimed)
        with closing(self._grader.ask(prompts)) as batches:
            try:
                for batch in batches:
                    self._warn(self._grader.note)
                    self._store(
                        [(*claimed[index], response) for index, response in batch]
                    )
                    for index, _ in batch:
                        del remaining[claimed[index][0]]
                    progress(self._kept, max(total, self._kept))
            except PromptTooLongError as error:
                # Raised after all other prompts were answered.
                self._too_long = error
                self._unanswerable.update(remaining)
                self._lost_grades += sum(pair.grades for pair in remaining.values())
        return True

    def _warn(self, note: str) -> None:
        alarm = ""
        if len(self._first_answers) == MIN_ANSWERS:
            alarm = ratings_warning(self._first_answers)
        self._tally.warning = " ".join(filter(None, (alarm, note)))

    def _store(self, batch: Sequence[tuple[store_jobs.Pair, Pair, Response]]) -> None:
        """Store a batch's responses and ratings in one transaction."""
        reading = self._record.spec.reading
        ratings: defaultdict[str, defaultdict[ItemKey, dict[int, int]]]
        ratings = defaultdict(lambda: defaultdict(dict))
        for ids, pair, response in batch:
            for query_id, key, target, positions in pair.places:
                rating = self._grader.read(response.stored, target.answers, target.item)
                ratings[query_id][key].update(dict.fromkeys(positions, rating))
            self._tally.count(response, unreadable=rating == UNREADABLE)
            if len(self._first_answers) < MIN_ANSWERS:
                self._first_answers.append((response, rating))
            self._kept += pair.grades
            if rating == UNREADABLE and self._again:
                self._unanswerable.add(ids)
                self._lost_grades += pair.grades
        with write_transaction(self._connection):
            put_responses(
                self._connection,
                self._responder_id,
                [
                    (*ids, raw, answer_of(reading.kind, raw, reading.parser))
                    for ids, _, response in batch
                    for raw in [response.stored]
                ],
            )
            for query_id, query_ratings in ratings.items():
                self._write_ratings(query_id, query_ratings)
            pairs = [ids for ids, _, _ in batch]
            responder = self._connection, self._responder_id
            if self._again:
                items = {item_id for item_id, _ in pairs}
                store_grades.rederive_ratings(*responder, items)
            store_jobs.release_claims(*responder, pairs, self._holder)
            store_jobs.renew(self._connection, self._holder, now=time.time())

    def _write_ratings(
        self, query_id: str, ratings: Mapping[ItemKey, dict[int, int]]
    ) -> None:
        grader_id = self._record.grader_id
        store_grades.write_ratings(self._connection, grader_id, query_id, ratings)
