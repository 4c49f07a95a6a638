"""Whatever a model proposes and two judges do with it, the history tells it rightly.

On top of the laws of two judges: no text is kept twice in a query; every proposal that
is in the bank has one decision, which fits its state; what is counted as written by
people stands.
"""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from curator.bank.edits import Add, Keep, Propose, Restore, Retire, Reword
from curator.store import edits as store_edits
from curator.store.question_history import read_decisions, read_written_questions
from tests.store.test_history_laws import (
    NO_SHRINKING,
    TEXTS,
    TwoJudges,
    judges,
    queries,
)

MODEL = "chat:some-model"
FROM = '{"generation": 1}'
texts = st.sampled_from(TEXTS)


class TwoJudgesAndAModel(TwoJudges):
    """As before, and a model proposes what it likes."""

    @rule(query_id=queries, text=texts)
    def propose(self, query_id, text):
        self.attempt(store_edits.apply, edits=[Propose(query_id, text, FROM)], by=MODEL)

    @rule(data=st.data(), by=judges, size=st.integers(1, 2))
    def decide(self, data, by, size):
        waiting = [q.question_id for q in self.questions() if q.state == "proposed"]
        if not waiting:
            return
        question = st.sampled_from(waiting)
        kinds = st.one_of(
            st.builds(Keep, question),
            st.builds(Retire, question),
            st.builds(Reword, question, texts),
        )
        edits = data.draw(st.lists(kinds, min_size=size, max_size=size))
        self.attempt(store_edits.apply, edits=edits, by=by, seconds=4.0)

    @rule(data=st.data(), by=judges)
    def restore(self, data, by):
        retired = [q.question_id for q in self.questions() if q.state == "retired"]
        if retired:
            edit = data.draw(st.builds(Restore, st.sampled_from(retired)))
            self.attempt(store_edits.apply, edits=[edit], by=by)

    @rule(by=judges, query_id=queries, text=texts)
    def write(self, by, query_id, text):
        self.attempt(store_edits.apply, edits=[Add(query_id, text)], by=by)

    @rule()
    def take_the_proposals_back(self):
        self.attempt(store_edits.undo, by=MODEL)

    @invariant()
    def no_text_is_kept_twice(self):
        kept = Counter(
            (q.query_id, q.text) for q in self.questions() if q.state == "kept"
        )
        assert not kept or max(kept.values()) == 1

    @invariant()
    def every_proposal_has_one_decision_that_fits_its_state(self):
        found = read_decisions(self.connection)
        by_id = {one.question_id: one for one in found}
        assert len(by_id) == len(found)
        in_bank = {q.question_id: q for q in self.questions()}
        assert set(by_id) <= set(in_bank)
        for question in in_bank.values():
            one = by_id.get(question.question_id)
            if question.state == "proposed":
                assert one is not None
                assert one.by is None
            if one is not None and one.by is None:
                assert question.state == "proposed"
            if one is not None and one.dropped:
                assert question.state == "retired"
            if one is not None and question.state == "kept":
                assert not one.dropped

    @invariant()
    def what_people_wrote_stands(self):
        in_bank = {q.question_id: q for q in self.questions()}
        for question_id, (by, query_id) in read_written_questions(
            self.connection
        ).items():
            assert in_bank[question_id].query_id == query_id
            assert in_bank[question_id].state != "proposed"
            assert by in ("ann", "bob")


TestTwoJudgesAndAModel = TwoJudgesAndAModel.TestCase
TestTwoJudgesAndAModel.settings = settings(
    max_examples=8, stateful_step_count=20, deadline=None, phases=NO_SHRINKING
)


@pytest.mark.long
class TestTwoJudgesAndAModelForLonger(TwoJudgesAndAModel.TestCase):
    settings = settings(TestTwoJudgesAndAModel.settings, max_examples=32)
