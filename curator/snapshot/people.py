"""The grader ``people``: majority answers and decisions as grades of passages.

Its grades are not stored but computed from verdicts and checks, so a mark or its undo
changes them at once, and a past bank has the grades of its time. A verdict refers to
the texts of a question and an answer, and grades every passage in which an answering
grader found that answer. A check grades one passage and overrides verdicts.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from curator.bank.opinions import final_values
from curator.bank.questions import Bank, Kind, Question
from curator.collection.pools import Pool
from curator.snapshot.caches import AnswerPositions, Caches
from curator.snapshot.gradebook import (
    DerivedGraders,
    Gradebook,
    GraderRecord,
    cached_vector_key,
)
from curator.store.grades import Ratings, VectorsByItem, unique_name
from curator.store.responses import answer_places, responder_with_key
from curator.store.texts import cached_item_key, item_of, stored_item_ids
from grading.ratings import NOT_ASKED
from grading.responders import GraderSpec, Reading, Responder

PEOPLE: Final = "people"
VERDICT_RATINGS: Mapping[str, int] = {"wrong": 0, "right": 5}
"""The rating of each verdict, from the lowest."""
CHECK_RATINGS: Mapping[str, int] = {
    "no": VERDICT_RATINGS["wrong"],
    "yes": VERDICT_RATINGS["right"],
}
"""The rating of each check of a pair."""

PARSER = "verdicts/1"


def _grader(name: str, kind: Kind) -> GraderSpec:
    return GraderSpec(name, Responder(PEOPLE, "", ""), Reading("rated", kind, PARSER))


_GRADERS: Mapping[Kind, tuple[int, GraderSpec]] = {
    "question": (-1, _grader(PEOPLE, "question")),
    "nugget": (-2, _grader(f"{PEOPLE}/nuggets", "nugget")),
}
"""By kind of item: a number that no stored grader has, and the grader."""


@dataclass(frozen=True, eq=False)
class People(DerivedGraders):
    """The marks in one bank that a viewer may see, as grades.

    The ``gradebook`` has the answering graders, whose answers ``connection`` reads.
    """

    bank: Bank
    pools: Mapping[str, Pool]
    gradebook: Gradebook
    caches: Caches
    connection: sqlite3.Connection

    def records(self) -> tuple[GraderRecord, ...]:
        """Return the graders of people, one for each kind of item that they graded.

        Their parts are the graders whose answers people judge.
        """
        taken = {
            record.name for record in self.gradebook.records if not record.by_people
        }
        return tuple(
            GraderRecord(
                number,
                GraderSpec(unique_name(spec.name, taken), spec.responder, spec.reading),
                tuple(
                    record
                    for record in self.gradebook.records
                    if record.spec.answers and record.spec.reading.item_kind == kind
                ),
            )
            for kind, (number, spec) in _GRADERS.items()
            if any(
                self._grades(kind, query_id)
                for query_id in dict.fromkeys([*self.bank.verdicts, *self.bank.checks])
            )
        )

    def _grades(self, kind: Kind, query_id: str) -> bool:
        """Return True if people have graded any passage for an item of this kind."""
        vectors = self.vectors(None, query_id)
        keys = {
            cached_vector_key(item_of(question), ())
            for question in self.bank.questions_of(query_id)
            if question.kind == kind and question.text is not None
        }
        graded = (vectors[key] for key in keys & vectors.keys())
        return any((ratings != NOT_ASKED).any() for ratings in graded)

    def vectors(self, record: GraderRecord | None, query_id: str) -> VectorsByItem:
        """Return the ratings of one query's pool by the keys of all questions.

        5 if most judges say that the passage answers the question, 0 if they say that
        it does not. Without such a majority 5 if most call an answer of the passage
        right, else 0 if they call one wrong; else unknown.
        """
        pool, questions = self.pools[query_id], self.bank.questions_of(query_id)
        kinds = ("verdict", "check", "decision")
        marks = (self.bank.marks_of(kind, query_id) for kind in kinds)
        sources = {
            key: self.gradebook.vectors(record, query_id)
            for key, record in self._sources.items()
        }
        return self.caches.people_ratings.get(
            query_id,
            (pool, questions, *marks, *sources.values()),
            lambda: self._vectors(pool, questions, sources),
        )

    @cached_property
    def _sources(self) -> Mapping[str, GraderRecord]:
        """Map responders' keys to a grader for each model with judged answers."""
        records = (record for record in self.gradebook.records if record.spec.answers)
        return {record.spec.responder.key: record for record in records}

    def _vectors(
        self,
        pool: Pool,
        questions: tuple[Question, ...],
        sources: Mapping[str, VectorsByItem],
    ) -> VectorsByItem:
        answer_ratings: defaultdict[str, dict[str, int]] = defaultdict(dict)
        verdicts = self.bank.verdicts_of(pool.query_id)
        checks = self.bank.checks_of(pool.query_id)
        decided = self.bank.decisions_of(pool.query_id), questions
        verdict_values = final_values("verdict", verdicts, *decided)
        for (text, answer), value in verdict_values.items():
            answer_ratings[text or ""][answer] = VERDICT_RATINGS[value]
        check_ratings: defaultdict[str, dict[str, int]] = defaultdict(dict)
        check_values = final_values("check", checks, *decided)
        for (item, passage_id), answer in check_values.items():
            if item is not None:
                check_ratings[item][passage_id] = CHECK_RATINGS[answer]
        place = {passage_id: i for i, passage_id in enumerate(pool.passage_ids)}
        vectors: VectorsByItem = {}
        for question in questions:
            text = question.text
            if text is None or not (text in answer_ratings or text in check_ratings):
                continue
            ratings: Ratings = np.full(pool.size, NOT_ASKED, dtype=np.int8)
            for source in sources.items():
                places = self._places(*source, pool, question)
                for answer, rating in answer_ratings.get(text, {}).items():
                    at = places.get(answer, [])
                    # One right answer of a passage is enough.
                    ratings[at] = np.maximum(ratings[at], rating)
            for passage_id, rating in check_ratings.get(text, {}).items():
                if passage_id in place:  # past banks may have others
                    ratings[place[passage_id]] = rating
            vectors[cached_vector_key(item_of(question), ())] = ratings
        return vectors

    def _places(
        self, responder: str, vectors: VectorsByItem, pool: Pool, question: Question
    ) -> Mapping[str, list[int]]:
        """Return the pool positions of each of a model's answers to a question."""
        # Imported here because most boards need no answer check.
        from grading.answers import asks_true_or_false

        by_item: AnswerPositions = self.caches.answer_positions.get(
            (responder, pool.query_id), (pool, vectors), dict
        )
        item = item_of(question)
        true_false = asks_true_or_false(question.answers, question.choices)
        key = cached_item_key(item), true_false
        if key not in by_item:
            number = responder_with_key(self.connection, responder)
            item_id = stored_item_ids(self.connection, [item]).get(item, 0)
            positions: defaultdict[str, list[int]] = defaultdict(list)
            for place, answer in answer_places(
                self.connection,
                number,
                item_id,
                pool.query_id,
                true_false=true_false,
            ):
                if place < pool.size:  # the pool in the file may have grown since
                    positions[answer].append(place)
            by_item[key] = dict(positions)
        return by_item[key]
