"""Grading by a model that answers prompts: ask what is missing, keep every answer.

A *window* of missing pairs is claimed, asked and stored batch by batch; then the bank
is looked at again, so that what a judge has written meanwhile comes first. Killed at
any time, it has lost the batch that was being asked; the next run asks for exactly
what has no response. The model is opened once there is something to ask: what has a
response is rated without it.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np

from curator.engine.gradebook import GraderRecord, Target
from curator.engine.opened import OpenWorkspace
from curator.engine.state import State
from curator.store import claims as store_claims
from curator.store import collection as store_collection
from curator.store import grades as store_grades
from curator.store.connection import exclusive
from curator.store.grades import ItemKey
from curator.store.responses import put_responses, raw_by_text
from curator.store.texts import item_ids, key_ids
from curator.verbs.grading.missing import (
    Missing,
    Wanted,
    edited_last_first,
    grades_wanted,
    missing_in,
)
from curator.verbs.grading.summary import ENOUGH, Progress, Tally
from grading.errors import EndpointError, MissingModelError, PromptTooLongError
from grading.graders.text import TextGrader
from grading.models.protocol import Response
from grading.ratings import UNREADABLE
from grading.readings import answer_of

WINDOW = 512  # pairs claimed at a time; what is edited meanwhile waits no longer
WAIT = 0.3  # seconds between two looks at what another process is asking


def alarm_of(responses: Sequence[tuple[Response, int]]) -> str:
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
    return f"{alarm} If that is wrong, stop: what has been graded is kept."


@dataclass
class Pair:
    """An item and a text to be asked about, once, for every place that wants it.

    A place is a target of a query by its stored key, with the pool positions at which
    the text stands there.
    """

    target: Target
    text: str
    places: list[tuple[str, ItemKey, Target, list[int]]] = field(default_factory=list)

    @property
    def grades(self) -> int:
        """How many grades its response gives."""
        return sum(len(positions) for *_, positions in self.places)


Window = dict[store_claims.Pair, Pair]


class PromptRun:
    """Asks one grader for what is missing, window by window.

    ``width`` models at once answer it, so a window has as many times the pairs.
    """

    def __init__(
        self,
        workspace: OpenWorkspace,
        record: GraderRecord,
        grader: TextGrader,
        *,
        wanted: Wanted,
        tally: Tally,
        width: int = 1,
    ) -> None:
        self._size = WINDOW * width
        self._connection = workspace.connection
        self._current = workspace.working_state
        self._record = record
        self._grader = grader
        self._wanted = wanted
        self._again = wanted.again
        # Responses that are to be replaced.
        self._unreadable: dict[store_claims.Pair, str] = {}
        self._in_vain: set[store_claims.Pair] = set()  # asked in this run already
        self._lost = 0  # grades of these, which stay missing
        self._too_long: PromptTooLongError | None = None
        self._keys: dict[str, ItemKey] = {}
        self._looked: dict[str, tuple[tuple[object, ...], Missing | None]] = {}
        self._derived: set[tuple[str, ItemKey]] = set()
        self._tally = tally
        self._first: list[tuple[Response, int]] = []  # with their ratings
        self._responder_id = store_grades.responder_id_of(
            workspace.connection, record.grader_id
        )
        self._holder = store_claims.new_holder()
        self._kept = 0

    def run(self, progress: Progress) -> None:
        """Ask until nothing is missing; ``progress`` is given (kept, kept and missing).

        What ``progress`` or the model raises ends the run with everything kept that
        was answered. What is edited meanwhile is graded too. A question too long for
        the model is passed over; PromptTooLongError is raised when all else is asked.
        Where the model cannot be asked, all that has a response is rated first, and
        the error says how many grades are missing.
        """
        try:
            while True:
                missing = list(self._missing(self._current()))
                total = self._kept + sum(one.grades for one in missing) - self._lost
                progress(self._kept, max(total, self._kept))
                before = self._kept
                window = self._window(missing)
                if window and not self._ask(window, total, progress):
                    time.sleep(WAIT)  # all of it is being asked by another process
                if not window and self._kept == before:
                    break  # nothing is left but what was asked in vain
            if self._too_long is not None:
                raise self._too_long
        except (EndpointError, MissingModelError) as error:
            raise type(error)(f"{error}. {self._without_model()}") from None
        finally:
            with exclusive(self._connection):
                store_claims.give_up_all(self._connection, self._holder)

    def _missing(self, state: State) -> Iterator[Missing]:
        """What every query lacks, the one edited last first."""
        for query_id in edited_last_first(state, self._wanted.query_id):
            seen = (
                state.collection.pools[query_id],
                state.bank.of_query(query_id),
                state.gradebook.vectors(self._record, query_id),
            )
            # All but one or two of the queries are as they were a window ago.
            kept, found = self._looked.get(query_id, (None, None))
            if kept is None or any(a is not b for a, b in zip(kept, seen, strict=True)):
                found = missing_in(state, self._record, query_id, self._wanted)
                self._looked[query_id] = (seen, found)
            if found is not None:
                yield found

    def _window(self, missing: Sequence[Missing]) -> Window:
        """The next pairs to be asked; what has a response by now is rated meanwhile."""
        window: Window = {}
        for of_target in self._unanswered(missing):
            for ids, pair in of_target.items():
                if ids in self._in_vain:
                    continue
                same = window.setdefault(ids, pair)
                if same is not pair:
                    same.places += pair.places
            if len(window) >= self._size:
                break
        return window

    def _unanswered(self, missing: Iterable[Missing]) -> Iterator[Window]:
        """Target by target what is to be asked; what has a response is rated first."""
        for one in missing:
            texts = store_collection.pool_texts(self._connection, one.query_id)
            for target, unknown in zip(one.targets, one.unknown, strict=True):
                key = self._key_of(target)
                positions: defaultdict[int, list[int]] = defaultdict(list)
                for position in np.flatnonzero(unknown).tolist():
                    positions[texts[position][0]].append(position)
                self._derive(one.query_id, key, target, positions)
                yield {
                    (key[0], text_id): Pair(
                        target, texts[at[0]][2], [(one.query_id, key, target, at)]
                    )
                    for text_id, at in positions.items()
                }

    def _without_model(self) -> str:
        """How many grades are missing once all that has a response is rated."""
        for _ in self._unanswered(self._missing(self._current())):
            pass
        state, wanted = self._current(), self._wanted
        query_ids = state.query_ids(wanted.query_id)
        total = sum(grades_wanted(state, self._record, q, wanted) for q in query_ids)
        left = sum(one.grades for one in self._missing(state))
        said = f"Still missing: {left:,} of {total:,} grades"
        if left < total:
            said += f"; the other {total - left:,} come from responses kept here"
        return said

    def _key_of(self, target: Target) -> ItemKey:
        """(item id, key id) of the target, both stored from now on."""
        key = self._keys.get(target.key)
        if key is None:
            with exclusive(self._connection):
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
        """Rate what has a response already, and take it out of ``positions``."""
        if (query_id, key) in self._derived:
            return
        self._derived.add((query_id, key))
        raws = raw_by_text(self._connection, self._responder_id, key[0])
        ratings = {}
        for text_id in [one for one in positions if one in raws]:
            rating = self._grader.read(raws[text_id], target.answers, target.item)
            if rating == UNREADABLE and self._again:
                self._unreadable[key[0], text_id] = raws[text_id]
                continue
            ratings.update(dict.fromkeys(positions.pop(text_id), rating))
        if ratings:
            with exclusive(self._connection):
                store_grades.write_ratings(
                    self._connection, self._record.grader_id, query_id, {key: ratings}
                )
            self._kept += len(ratings)

    def _ask(self, window: Window, total: int, progress: Progress) -> bool:
        """Ask what nobody else is asking of this window; whether that was anything."""
        with exclusive(self._connection):
            taken = store_claims.claim(
                self._connection,
                self._responder_id,
                {ids: self._unreadable.get(ids) for ids in window},
                self._holder,
                now=time.time(),
            )
        if len(taken) < len(window):
            # Somebody has asked the others or does so now: look for their responses.
            self._derived.clear()
        claimed = [one for one in window.items() if one[0] in taken]
        prompts = [self._grader.asked(p.target.item, p.text) for _, p in claimed]
        if not prompts:
            return False
        left = dict(claimed)
        with closing(self._grader.ask(prompts)) as batches:
            try:
                for batch in batches:
                    self._warn(self._grader.note)
                    self._store([(*claimed[at], response) for at, response in batch])
                    for at, _ in batch:
                        del left[claimed[at][0]]
                    progress(self._kept, max(total, self._kept))
            except PromptTooLongError as error:
                # It comes after all others were answered.
                self._too_long = error
                self._in_vain.update(left)
                self._lost += sum(pair.grades for pair in left.values())
        return True

    def _warn(self, note: str) -> None:
        """Set the warning that is shown while the grader is asked."""
        alarm = alarm_of(self._first) if len(self._first) == ENOUGH else ""
        self._tally.warning = " ".join(filter(None, (alarm, note)))

    def _store(self, batch: Sequence[tuple[store_claims.Pair, Pair, Response]]) -> None:
        """Keep a batch's responses, with the ratings they give, in one transaction."""
        reading = self._record.spec.reading
        ratings: defaultdict[str, defaultdict[ItemKey, dict[int, int]]]
        ratings = defaultdict(lambda: defaultdict(dict))
        for ids, pair, response in batch:
            for query_id, key, target, positions in pair.places:
                rating = self._grader.read(response.stored, target.answers, target.item)
                ratings[query_id][key].update(dict.fromkeys(positions, rating))
            self._tally.count(response, unreadable=rating == UNREADABLE)
            if len(self._first) < ENOUGH:
                self._first.append((response, rating))
            self._kept += pair.grades
            if rating == UNREADABLE and self._again:
                self._in_vain.add(ids)
                self._lost += pair.grades
        with exclusive(self._connection):
            put_responses(
                self._connection,
                self._responder_id,
                [
                    (*ids, raw, answer_of(reading.kind, raw, reading.parser))
                    for ids, _, response in batch
                    for raw in [response.stored]
                ],
            )
            for query_id, of_query in ratings.items():
                store_grades.write_ratings(
                    self._connection, self._record.grader_id, query_id, of_query
                )
            if self._again:
                store_grades.reread_items(
                    self._connection,
                    self._responder_id,
                    {item_id for (item_id, _), _, _ in batch},
                )
            store_claims.give_up(
                self._connection,
                self._responder_id,
                [ids for ids, _, _ in batch],
                self._holder,
            )
            store_claims.renew(self._connection, self._holder, now=time.time())
