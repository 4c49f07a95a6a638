"""Whatever two judges and a model do in whatever order, the history forgets nothing.

After every step: the bank rebuilt at any earlier event is the bank that was seen then,
revisions included; a revision never comes twice with other content; the number of
events only grows; and what a fresh connection reads is what the steps left. No text is
kept twice in a query; every proposal that is in the bank has one decision, which fits
its state; what is counted as written by people stands.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from curator.bank.edits import (
    Add,
    CheckPair,
    Done,
    JudgeAnswer,
    Keep,
    MarkIdeal,
    Propose,
    Restore,
    Retire,
    Reword,
    Vote,
)
from curator.bank.marks import Ideal
from curator.errors import EditError
from curator.store import bank as store_bank
from curator.store import edits as store_edits
from curator.store import history
from curator.store.connection import open_workspace, write_transaction
from curator.store.question_history import read_decisions, read_written_questions
from curator.workspace import Workspace
from tests.samples.workspaces import collection_files

# Twenty steps can be read as they are; made fewer, a case costs minutes.
NO_SHRINKING = (Phase.reuse, Phase.generate)
JUDGES = ("ann", "bob")
MODEL = "chat:some-model"
TEXTS = ("Why?", "How?", "When?", "Where?", "Who?")
judges = st.sampled_from(JUDGES)
queries = st.sampled_from(("q1", "q2"))
maybe_query = st.none() | queries


answers = st.sampled_from(("yes", "no"))
verdicts = st.sampled_from(("right", "wrong", None))
checks = st.sampled_from(("yes", "unsure", None))
grades = st.sampled_from(("0", "3", None))
passages = st.just("p")
ideals = st.sampled_from((Ideal("p"), Ideal("p", 2, 4)))


def check_of(question_id, answer):
    return CheckPair(question_id.partition("/")[0], question_id, "p", answer)


def in_full(bank):
    """All that a bank holds, without queries of which nothing is held."""
    return (
        {q: list(many) for q, many in bank.by_query.items() if many},
        bank.done,
        {q: marked for q, marked in bank.ideals.items() if marked},
        {q: said for q, said in bank.verdicts.items() if said},
        {q: said for q, said in bank.checks.items() if said},
    )


class TwoJudgesAndAModel(RuleBasedStateMachine):
    """Two judges edit, undo and redo; ``seen`` is the bank after every event.

    A model proposes what it likes, and its proposals may be taken back.
    """

    @initialize()
    def open(self):
        self.folder = tempfile.TemporaryDirectory()
        folder = Path(self.folder.name)
        self.path = folder / "w.db"
        with Workspace.open(self.path, create=True) as workspace:
            files = collection_files(
                folder,
                passages={"p": "Passage."},
                questions={
                    "q1": {"q1/a": "First?", "q1/b": "Second?"},
                    "q2": {"q2/c": "Third?"},
                },
                runs={"r": {"q1": ["p"], "q2": ["p"]}},
            )
            workspace.import_(**files)
        self.connection = open_workspace(self.path)
        self.seen = {}
        self.events = 0
        self.by_revision = {}
        self.look()

    def teardown(self):
        if hasattr(self, "connection"):
            self.connection.close()
            self.folder.cleanup()

    def bank(self):
        bank = store_bank.read_bank(self.connection)
        return in_full(bank)

    def look(self):
        self.seen[history.last_event(self.connection)] = self.bank()

    def attempt(self, change, **options):
        """Make the change; where it is refused nothing may be different."""
        before = self.bank()
        try:
            with write_transaction(self.connection):
                change(self.connection, **options)
        except EditError:
            assert self.bank() == before
            assert history.last_event(self.connection) == max(self.seen)
        else:
            self.look()

    def questions(self):
        return list(store_bank.read_bank(self.connection))

    @rule(data=st.data(), by=judges, size=st.integers(1, 3))
    def edit(self, data, by, size):
        ids = [q.question_id for q in self.questions()]
        kinds = [
            st.builds(Add, queries, st.sampled_from(TEXTS)),
            st.builds(Done, queries, st.booleans()),
            st.builds(MarkIdeal, queries, ideals, st.booleans()),
            st.builds(CheckPair, queries, st.none(), passages, grades),
        ]
        if ids:
            question = st.sampled_from(ids)
            kinds += [
                st.builds(Reword, question, st.sampled_from(TEXTS)),
                st.builds(Retire, question),
                st.builds(Restore, question),
                st.builds(Keep, question),
                st.builds(Vote, question, st.sampled_from(("vital", "okay", None))),
                st.builds(JudgeAnswer, question, answers, verdicts),
                st.builds(check_of, question, checks),
            ]
        edits = data.draw(st.lists(st.one_of(kinds), min_size=size, max_size=size))
        self.attempt(store_edits.apply, edits=edits, by=by)

    @rule(query_id=queries, text=st.sampled_from(TEXTS))
    def propose(self, query_id, text):
        proposal = Propose(query_id, text, '{"generation": 1}')
        self.attempt(store_edits.apply, edits=[proposal], by=MODEL)

    @rule()
    def take_the_proposals_back(self):
        self.attempt(store_edits.undo, by=MODEL)

    @rule(by=judges, query_id=maybe_query)
    def undo(self, by, query_id):
        self.attempt(store_edits.undo, by=by, query_id=query_id)
        self.touched_own(by)

    @rule(by=judges, query_id=maybe_query)
    def redo(self, by, query_id):
        self.attempt(store_edits.redo, by=by, query_id=query_id)
        self.touched_own(by)

    def touched_own(self, by):
        """What was taken back, or made again, the same judge had done or made again."""
        events = history.read_events(self.connection)
        by_batch = {}
        for event in events:
            by_batch.setdefault(event.batch_id, event)
        last = events[0] if events else None
        if last is not None and last.event_id > self.events and last.inverse_of:
            assert last.by == by
            before = [
                one for one in by_batch.values() if one is not by_batch[last.batch_id]
            ]
            assert by_batch[last.inverse_of].by == by or any(
                one.by == by
                and one.inverse_of is not None
                and by_batch[one.inverse_of].inverse_of == last.inverse_of
                for one in before
            )

    @precondition(lambda self: self.events > 3)
    @rule(by=judges, data=st.data())
    def undo_by_event(self, by, data):
        event = data.draw(st.integers(1, self.events))
        self.attempt(store_edits.undo, by=by, event=event)

    @rule()
    def restart(self):
        self.connection.close()
        self.connection = open_workspace(self.path)

    @invariant()
    def no_event_is_lost(self):
        events = history.read_events(self.connection)
        assert [e.event_id for e in events] == list(range(len(events), 0, -1))
        assert len(events) >= self.events
        self.events = len(events)

    @invariant()
    def every_past_bank_can_be_rebuilt(self):
        now = store_bank.read_bank(self.connection)
        for event, before in self.seen.items():
            assert in_full(history.bank_at(self.connection, now, event)) == before

    @invariant()
    def a_revision_means_one_content(self):
        for question in self.questions():
            key = question.question_id, question.revision
            content = replace(question, votes=())
            assert self.by_revision.setdefault(key, content) == content

    @invariant()
    def no_text_is_kept_twice(self):
        kept = Counter(
            (q.query_id, q.text) for q in self.questions() if q.state == "kept"
        )
        assert not kept or max(kept.values()) == 1

    @invariant()
    def every_proposal_has_one_decision_that_fits_its_state(self):
        found = read_decisions(self.connection)
        decisions = {decision.question_id: decision for decision in found}
        assert len(decisions) == len(found)
        states = {q.question_id: q.state for q in self.questions()}
        waiting = {name for name, state in states.items() if state == "proposed"}
        assert {d.question_id for d in found if d.by is None} == waiting
        for decision in found:
            if decision.by is not None:
                expected = "retired" if decision.dropped else "kept"
                assert states[decision.question_id] in (expected, "retired")

    @invariant()
    def what_people_wrote_stands(self):
        in_bank = {q.question_id: q for q in self.questions()}
        written = read_written_questions(self.connection)
        for question_id, (by, query_id) in written.items():
            assert in_bank[question_id].query_id == query_id
            assert in_bank[question_id].state != "proposed"
            assert by in JUDGES

    @invariant()
    def what_is_undone_one_after_the_other_leads_to_the_import(self):
        """Where one judge works alone, undoing everything gives the first bank."""
        if any(
            e.by != "ann" for e in history.read_events(self.connection, imports=False)
        ):
            return
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            while True:
                store_edits.undo(self.connection, by="ann")
        except EditError:
            by_query, done, *marks = self.bank()
            first, *_ = self.seen[3]  # the import's events
            assert {
                q: [replace(o, revision=1) for o in m] for q, m in by_query.items()
            } == first
            assert done == frozenset()
            assert marks == [{}, {}, {}]
        finally:
            self.connection.execute("ROLLBACK")


TestTwoJudgesAndAModel = TwoJudgesAndAModel.TestCase
TestTwoJudgesAndAModel.settings = settings(
    max_examples=10, stateful_step_count=20, deadline=None, phases=NO_SHRINKING
)


@pytest.mark.long
class TestTwoJudgesAndAModelForLonger(TwoJudgesAndAModel.TestCase):
    settings = settings(TestTwoJudgesAndAModel.settings, max_examples=60)
