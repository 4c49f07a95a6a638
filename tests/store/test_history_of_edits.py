"""Edits, undo and redo: who may take back what, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from curator.bank.edits import (
    Add,
    Done,
    JudgeAnswer,
    Retire,
    Reword,
    Vote,
)
from curator.errors import (
    RemovedQuestionError,
    StaleEditError,
    UndoError,
)
from curator.workspace import Workspace
from tests.samples.workspaces import dump, question_bank


def content(workspace):
    """The bank in order, without revisions."""
    bank = workspace.bank()
    return {
        query_id: [replace(q, revision=1) for q in questions]
        for query_id, questions in bank.by_query.items()
        if questions
    }, bank.done


def texts(workspace, query_id="q1"):
    return [q.text for q in workspace.bank().questions_of(query_id)]


def test_an_edit_is_an_event_with_who_when_and_what_was_there(ann):
    batch = ann.apply(Retire("q1/a", reason="too easy"), shown="board 3")
    (event,) = ann.history()
    assert (event.by, event.batch_kind, event.shown) == ("ann", "edit", "board 3")
    assert event.change.reason == "too easy"
    assert (event.change.before.state, event.change.after.state) == ("kept", "retired")
    assert event.event_id == batch.event_ids[0]
    assert event.at.endswith("+00:00")


def test_a_stale_save_is_refused_with_all_three_texts_and_who_saved(ann, bob):
    begun = bob.bank().question("q1/a")
    ann.apply(Reword("q1/a", "Why so?"))
    before = dump(ann.path)
    with pytest.raises(StaleEditError) as refused:
        bob.apply(Reword("q1/a", "Why then?", based_on=begun.revision))
    error = refused.value
    assert (error.mine, error.theirs, error.base) == (
        "Why then?",
        "Why so?",
        "Why is it?",
    )
    assert (error.theirs_by, error.theirs_revision) == ("ann", 2)
    assert "Why then?" in str(error)
    assert "Why so?" in str(error)
    assert "\n" not in str(error)
    assert dump(ann.path) == before


def test_undo_and_redo_work_in_a_later_process(ann):
    start = content(ann)
    ann.apply(Retire("q1/a"))
    end = content(ann)
    ann.close()
    with Workspace.open(ann.path, judge="ann") as again:
        again.undo()
        assert content(again) == start
    with Workspace.open(ann.path, judge="ann") as again:
        again.redo()
        assert content(again) == end
        with pytest.raises(UndoError, match="ann has nothing to redo"):
            again.redo()


def test_redo_in_a_query_survives_an_edit_in_another(ann):
    ann.apply(Retire("q1/a"))
    ann.undo("q1")
    ann.apply(Retire("q2/c"))
    ann.redo("q1")
    assert ann.bank().question("q1/a").state == "retired"
    ann.undo()  # the latest of all: what was redone
    assert ann.bank().question("q1/a").state == "kept"
    ann.undo()
    assert ann.bank().question("q2/c").state == "kept"


def test_anyones_edit_can_be_undone_by_its_event_and_bears_who_did_it(ann, bob):
    start = content(ann)
    batch = ann.apply([Retire("q1/a"), Retire("q2/c")])
    bob.undo(event=batch.event_ids[1])
    assert content(ann) == start  # the whole batch
    assert bob.history(limit=1)[0].by == "bob"
    with pytest.raises(UndoError, match="undone already"):
        ann.undo(event=batch.event_ids[0])
    with pytest.raises(UndoError, match="has nothing to undo"):
        ann.undo()
    bob.redo()
    assert ann.bank().question("q1/a").state == "retired"


def test_undo_is_refused_whole_where_someone_changed_one_of_its_questions(ann, bob):
    ann.apply([Retire("q2/c"), Reword("q1/a", "Why so?")])
    bob.apply(Reword("q1/a", "Why then?"))
    before = dump(ann.path)
    with pytest.raises(UndoError, match="bob changed 'Why then\\?' since") as refused:
        ann.undo()
    assert "Nothing was undone" in str(refused.value)
    assert dump(ann.path) == before
    bob.undo()
    ann.undo()  # a change and what took it back leave nothing behind
    assert texts(ann) == ["Why is it?", "How is it?"]
    assert ann.bank().question("q2/c").state == "kept"


def test_undo_of_an_addition_takes_the_question_out_and_redo_brings_it_back(ann):
    start = content(ann)
    added = ann.apply(Add("q1", "Where?")).changes[0].after
    ann.apply(Add("q1", "Whence?"))
    ann.undo(event=ann.history()[1].event_id)
    assert texts(ann) == ["Why is it?", "How is it?", "Whence?"]
    ann.undo()  # "Whence?"
    assert content(ann) == start
    ann.redo()
    ann.redo()
    assert texts(ann) == ["Why is it?", "How is it?", "Where?", "Whence?"]
    again = ann.bank().questions_of("q1")[2]
    assert again.question_id == added.question_id
    assert again.revision > added.revision


def test_an_edit_of_a_question_taken_back_meanwhile_says_who_took_it_back(ann, bob):
    question_id = ann.apply(Add("q1", "Where?")).changes[0].question_id
    assert bob.bank().question(question_id).text == "Where?"
    ann.undo("q1")
    with pytest.raises(
        RemovedQuestionError, match=r"ann undid the addition of 'Where\?'"
    ):
        bob.apply(Retire(question_id))
    with pytest.raises(RemovedQuestionError, match="ann undid the addition"):
        bob.explain(question_id, "off topic")
    ann.redo("q1")
    bob.apply(Retire(question_id))


@pytest.mark.parametrize("edit", [Retire("q3/a"), Reword("q3/a", "Where?")])
def test_an_edit_of_a_text_that_stands_twice_is_undone_and_redone(ann, tmp_path, edit):
    """As a published bank may ask the same twice."""
    twice = {"q3": {"q3/a": "Why?", "q3/b": "Why?"}}
    ann.import_(bank=question_bank(tmp_path / "twice.jsonl", twice), add_queries=True)
    before = content(ann)
    ann.apply(edit)
    after = content(ann)
    ann.undo()
    assert content(ann) == before
    ann.redo()
    assert content(ann) == after


MARKS = {
    "mark": (Done("q1"), Done("q1", done=False)),
    "vote": (Vote("q1/a", "okay"), Vote("q1/a", "vital")),
    "verdict": (JudgeAnswer("q1/a", "so", "right"), JudgeAnswer("q1/a", "so", "wrong")),
}


@pytest.mark.parametrize("what", MARKS)
def test_a_mark_is_taken_back_by_its_maker_alone_and_not_once_it_has_changed(
    ann, bob, what
):
    first, second = MARKS[what]
    (event,) = bob.apply(first).event_ids
    with pytest.raises(UndoError, match=r"Only bob can undo that"):
        ann.undo(event=event)
    bob.apply(second)
    with pytest.raises(UndoError, match=f"{what}.* has changed since"):
        bob.undo(event=event)


def test_the_baseline_is_the_event_before_my_latest_standing_batch(ann, bob):
    imported = ann.baselines().latest
    ann.apply(Retire("q1/a"))
    bob.apply(Retire("q1/b"))
    base = ann.baselines()
    assert (base.last_edit, base.imported, base.latest) == (
        imported,
        imported,
        imported + 2,
    )
    assert bob.baselines("q2").last_edit is None
    ann.undo()
    assert ann.baselines().last_edit is None
