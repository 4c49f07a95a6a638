"""The grader ``people``: what most judges say, or was decided, as grades of passages.

Nothing of it is stored. A verdict is on words, a question's and an answer's, and grades
every passage in which a grader that answers found that answer. A check is of one
passage, which somebody has read for that question, and decides before verdicts. So
either, and its undo, moves the grades at once, and a past bank has the grades of then.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from curator.bank.edits.adjudicate import counted_answers, counted_pairs
from curator.bank.marks import Check, Correctness, Decision, Verdict
from curator.bank.questions import Bank, Kind, Question
from curator.collection.pools import Pool
from curator.engine.gradebook import Gradebook, GraderRecord, cached_vector_key
from curator.engine.kept import Kept, Places
from curator.store.grades import Ratings, VectorsByItem, numbered
from curator.store.responses import answer_places, responder_with_key
from curator.store.texts import cached_item_key, item_of, stored_item_ids
from curator.visibility.viewer import Viewer
from grading.ratings import NOT_ASKED
from grading.responders import GraderSpec, Reading, Responder

PEOPLE: Final = "people"
RATINGS: Mapping[Correctness, int] = {"wrong": 0, "right": 5}
"""What a verdict is as a rating, from the lowest."""
CHECKED: Mapping[str, int] = {"no": RATINGS["wrong"], "yes": RATINGS["right"]}
"""What a check of a pair is."""

PARSER = "verdicts/1"


def _grader(name: str, kind: Kind) -> GraderSpec:
    return GraderSpec(name, Responder(PEOPLE, "", ""), Reading("rated", kind, PARSER))


_GRADERS: Mapping[Kind, tuple[int, GraderSpec]] = {
    "question": (-1, _grader(PEOPLE, "question")),
    "nugget": (-2, _grader(f"{PEOPLE}/nuggets", "nugget")),
}
"""By kind of item: a number that no stored grader has, and the grader."""


@dataclass(frozen=True, eq=False)
class People:
    """What people say in one bank, as far as somebody may see it.

    With what was decided where they differ, by query. Of the ``gradebook`` the graders
    that answer, whose words ``connection`` reads.
    """

    bank: Bank
    viewer: Viewer
    decisions: Mapping[str, tuple[Decision, ...]]
    pools: Mapping[str, Pool]
    gradebook: Gradebook
    kept: Kept
    connection: sqlite3.Connection

    def records(self) -> tuple[GraderRecord, ...]:
        """The graders that people are: of each kind of item that they have graded.

        They rest on the graders whose answers they judge.
        """
        taken = {one.name for one in self.gradebook.records if not one.by_people}
        return tuple(
            GraderRecord(
                number,
                GraderSpec(numbered(spec.name, taken), spec.responder, spec.reading),
                tuple(
                    one
                    for one in self.gradebook.records
                    if one.spec.answers and one.spec.reading.item_kind == kind
                ),
            )
            for kind, (number, spec) in _GRADERS.items()
            if any(
                self._grades(kind, query_id)
                for query_id in dict.fromkeys([*self.bank.verdicts, *self.bank.checks])
            )
        )

    def _grades(self, kind: Kind, query_id: str) -> bool:
        """Whether people have graded any passage for an item of this kind."""
        questions = [q for q in self.bank.of_query(query_id) if q.kind == kind]
        if not questions:
            return False
        verdicts, checks = self._seen(query_id)
        words = {*(one.question for one in verdicts), *(one.item for one in checks)}
        asked = {
            cached_vector_key(item_of(question), ())
            for question in questions
            if question.text is not None and question.text in words
        }
        vectors = self.vectors(query_id) if asked else {}
        known = (vectors[key] for key in asked & vectors.keys())
        return any((ratings != NOT_ASKED).any() for ratings in known)

    def vectors(self, query_id: str) -> VectorsByItem:
        """The ratings of one query's pool by the questions' keys.

        5 where most judges say that the passage answers the question, 0 where they say
        that it does not. Where they have not said so, 5 where most call an answer of
        the passage right, else 0 where they call one wrong; else unknown.
        """
        pool, questions = self.pools[query_id], self.bank.of_query(query_id)
        every = self.bank.verdicts_of(query_id), self.bank.checks_of(query_id)
        seen = self._seen(query_id)
        all_seen = all(a is b for a, b in zip(every, seen, strict=True))
        sources = {
            key: self.gradebook.vectors(one, query_id)
            for key, one in self._sources.items()
        }
        return self.kept.by_people.get(
            (query_id, () if all_seen else seen),
            (pool, questions, *every, self._decided(query_id), *sources.values()),
            lambda: self._vectors(pool, questions, sources),
        )

    @cached_property
    def _sources(self) -> Mapping[str, GraderRecord]:
        """A grader for each model whose answers are judged, by its responder's key."""
        records = (one for one in self.gradebook.records if one.spec.answers)
        return {one.spec.responder.key: one for one in records}

    def _decided(self, query_id: str) -> tuple[Decision, ...]:
        return self.decisions.get(query_id, ())

    def _seen(self, query_id: str) -> tuple[tuple[Verdict, ...], tuple[Check, ...]]:
        viewer, bank = self.viewer, self.bank
        return viewer.verdicts(bank, query_id), viewer.checks(bank, query_id)

    def _vectors(
        self,
        pool: Pool,
        questions: tuple[Question, ...],
        sources: Mapping[str, VectorsByItem],
    ) -> VectorsByItem:
        said: defaultdict[str, dict[str, int]] = defaultdict(dict)
        verdicts, checks = self._seen(pool.query_id)
        decided = self._decided(pool.query_id), questions
        for (text, answer), value in counted_answers(verdicts, *decided).items():
            said[text][answer] = RATINGS[value]
        read: defaultdict[str, dict[str, int]] = defaultdict(dict)
        for (item, passage_id), answer in counted_pairs(checks, *decided).items():
            if item is not None:
                read[item][passage_id] = CHECKED[answer]
        place = {passage_id: i for i, passage_id in enumerate(pool.passage_ids)}
        vectors: VectorsByItem = {}
        for question in questions:
            if question.text is None or question.text not in said.keys() | read.keys():
                continue
            ratings: Ratings = np.full(pool.size, NOT_ASKED, dtype=np.int8)
            found = [self._places(*one, pool, question) for one in sources.items()]
            for rating in RATINGS.values():  # the last one wins: one right is enough
                ratings[
                    [
                        place
                        for places in found
                        for answer, one in said[question.text].items()
                        if one == rating
                        for place in places.get(answer, ())
                    ]
                ] = rating
            for passage_id, rating in read[question.text].items():
                if passage_id in place:  # of another bank, perhaps, than the pool's
                    ratings[place[passage_id]] = rating
            vectors[cached_vector_key(item_of(question), ())] = ratings
        return vectors

    def _places(
        self, responder: str, known: VectorsByItem, pool: Pool, question: Question
    ) -> Mapping[str, list[int]]:
        """Where in the pool a model found each of its answers to a question."""
        # Imports the answer check, which most boards have no use for.
        from grading.answers import asks_true_or_false

        by_item: Places = self.kept.places.get(
            (responder, pool.query_id), (pool, known), dict
        )
        item = item_of(question)
        true_false = asks_true_or_false(question.answers, question.choices)
        key = cached_item_key(item), true_false
        if key not in by_item:
            number = responder_with_key(self.connection, responder)
            item_id = stored_item_ids(self.connection, [item]).get(item, 0)
            found: defaultdict[str, list[int]] = defaultdict(list)
            for place, answer in answer_places(
                self.connection,
                number,
                item_id,
                pool.query_id,
                true_false=true_false,
            ):
                if place < pool.size:  # in the file the pool may have grown since
                    found[answer].append(place)
            by_item[key] = dict(found)
        return by_item[key]
