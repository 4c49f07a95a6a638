"""What to do next: each kind, its remedy, its order, and who is told what."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from curator.bank.edits import (
    Add,
    CheckPair,
    Dismiss,
    Done,
    Keep,
    Propose,
    Restore,
    Retire,
    Vote,
    WriteNote,
)
from curator.bank.marks import Dismissal
from curator.errors import (
    NothingToChangeError,
    UnknownNameError,
)
from curator.evaluation.next_steps import TRUST, UNJUDGED_RELEVANT
from curator.verbs.next import NextStep
from curator.workspace import Workspace
from tests.samples.command_line import json_of, run
from tests.samples.workspaces import (
    graded_file,
    graded_passage,
    question_bank,
    write_lines,
)

FROM = '{"generation": 1}'


def kinds(steps: tuple[NextStep, ...]) -> dict[str, tuple[str, ...]]:
    return {step.kind: step.question_ids for step in steps}


def of_kind(workspace: Workspace, kind: str, **options: Any) -> list[NextStep]:
    return [one for one in workspace.next_steps(**options) if one.kind == kind]


def test_a_question_that_non_relevant_passages_answer_and_one_that_none_does(
    hand_made: Path,
) -> None:
    with Workspace.open(hand_made) as workspace:
        (first,) = of_kind(workspace, "only-non-relevant", measure="cover")
        # By hand: c alone is answered by p2 alone, which is judged 0. Without it Cover
        # goes from 2/3 to 1 and from 1/3 to 0: by 1/3 on average.
        assert first.question_ids == ("q1/c",)
        assert first.weight == pytest.approx(TRUST["only-non-relevant"] / 3)
        assert first.edits == (Retire("q1/c", "off topic", 1),)
        # d is its query's only question, so nobody knows what it moves.
        (second,) = of_kind(workspace, "no-answer")
        assert (second.question_ids, second.weight) == (("q2/d",), 0)
        everything = workspace.next_steps()
        assert workspace.next_steps(limit=1) == everything[:1]
        assert {one.query_id for one in workspace.next_steps(query_id="q2")} == {"q2"}
        workspace.apply(first.edits)
        # Nothing is left to do in q1 but to say so.
        (done,) = workspace.next_steps(query_id="q1")
        assert done.edits == (Done("q1"),)
        workspace.apply(done.edits)
        assert workspace.next_steps(query_id="q1") == ()


def test_a_passage_that_no_question_covers_is_to_be_written_from(
    hand_made: Path,
) -> None:
    with Workspace.open(hand_made) as workspace:
        # By hand: p3, unjudged, is first in both systems, and d does not answer it;
        # p1 answers a and b of three, and p2 is judged not relevant.
        (step,) = of_kind(workspace, "uncovered-passage")
        assert (step.query_id, step.passage_id, step.edits) == ("q2", "p3", ())
        assert step.weight == pytest.approx(UNJUDGED_RELEVANT)
        assert step.key == "uncovered-passage p3"
        workspace.apply(Retire("q1/b"))
        # Now p1 answers one of two, but one system alone retrieves it.
        assert of_kind(workspace, "uncovered-passage", query_id="q1") == []
        workspace.apply(Retire("q1/a"))
        (step,) = of_kind(workspace, "uncovered-passage", query_id="q1")
        # Judged 2, the highest; found first by one system of two. Of the only question
        # left nobody knows what it moves.
        assert (step.passage_id, step.weight) == ("p1", pytest.approx(0.5**0.5))


def test_a_query_without_questions_is_to_be_written_for(tmp_path: Path) -> None:
    queries = write_lines(
        tmp_path / "queries.jsonl", [{"query_id": "q", "text": "Trees?"}]
    )
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        workspace.import_(queries=queries)
        (step,) = workspace.next_steps()
        assert (step.kind, step.place, step.edits) == ("empty-query", "draft", ())
        workspace.apply(Propose("q", "What are trees for?", FROM))
        assert kinds(workspace.next_steps()).keys() == {"proposal"}


@pytest.mark.parametrize("ranks", [{"one": 1}, {"one": 1, "two": 2}])
def test_a_query_is_done_only_where_it_is_known_what_an_edit_would_change(
    tmp_path: Path, ranks: dict[str, int]
) -> None:
    texts = {"q/a": "Why?", "q/b": "Where to?"}
    grades = {"q/a": 5, "q/b": 5}
    passages = [graded_passage("p1", "q", grades, ranks=ranks, judgment=1)]
    graded = graded_file(tmp_path / "graded.jsonl", {"q": passages})
    bank = question_bank(tmp_path / "bank.jsonl", {"q": texts})
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        workspace.import_(bank=bank)
        assert of_kind(workspace, "done") == []  # no grades
        workspace.import_(autograder=graded, min_relevance=1)
        # With one system, or none, no question tells systems apart.
        found = of_kind(workspace, "done", measure="P@20")
        assert len(found) == (len(ranks) == 2)
        if found:
            workspace.apply(Dismiss("q", found[0].key, found[0].state, "More to do."))
            assert of_kind(workspace, "done", measure="P@20") == []
        workspace.apply(Add("q", "Says who?"))
        assert of_kind(workspace, "done", measure="P@20") == []  # not yet graded


def test_a_subtopic_without_questions_where_others_have_some(tmp_path: Path) -> None:
    queries = tmp_path / "queries.jsonl"
    topics = [{"subtopic_id": "s1", "text": "Roots"}, {"subtopic_id": "s2"}]
    write_lines(queries, [{"query_id": "q", "text": "Trees?", "subtopics": topics}])
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        workspace.import_(queries=queries)
        assert {one.subtopic_id for one in workspace.next_steps()} == {"s1", "s2"}
        workspace.apply(Add("q", "What are roots for?", subtopic_id="s1"))
        (step,) = workspace.next_steps()
        assert (step.kind, step.subtopic_id) == ("empty-subtopic", "s2")


def test_words_that_ask_for_now_or_for_two_things(hand_made: Path) -> None:
    with Workspace.open(hand_made) as workspace:
        workspace.apply(
            [Add("q1", "Is it open tonight?"), Add("q1", "Is it? And how?")]
        )
        (now,) = of_kind(workspace, "unanswerable")
        assert [one.reason for one in now.edits] == ["unanswerable"]
        (two,) = of_kind(workspace, "compound")
        assert (two.edits, two.place) == ((), "question")


def test_what_people_differ_on_is_to_be_settled(hand_made: Path) -> None:
    with Workspace.open(hand_made, judge="ann") as ann:
        ann.apply([Vote("q1/a", "vital"), CheckPair("q1", "q1/b", "p1", "yes")])
        assert of_kind(ann, "disagreement") == []
    with Workspace.open(hand_made, judge="ben", as_judge=True) as ben:
        ben.apply(Vote("q1/a", "okay"))
        assert [one.place for one in of_kind(ben, "disagreement")] == ["judges"]
        # What ann says of the other ben is told once he has said something himself.
        ben.apply(CheckPair("q1", "q1/b", "p1", "no"))
        places = {one.question_ids: one.place for one in of_kind(ben, "disagreement")}
        assert places == {("q1/a",): "judges", ("q1/b",): "checks"}
    with Workspace.open(hand_made, judge="cy", as_judge=True) as cy:
        assert of_kind(cy, "disagreement") == []


def test_a_flagged_note_is_to_be_looked_at(hand_made: Path) -> None:
    with Workspace.open(hand_made, judge="ann") as ann:
        ann.apply(WriteNote("q1/a", "Too wide?", flagged=True))
        (step,) = of_kind(ann, "flagged")
        assert step.why == "ann flagged it: Too wide?"
        ann.apply(WriteNote("q1/a", "Too wide?", flagged=False))
        assert of_kind(ann, "flagged") == []


def test_once_pairs_are_checked_the_one_that_would_tell_most_is_offered(
    hand_made: Path,
) -> None:
    with Workspace.open(hand_made) as workspace:
        assert of_kind(workspace, "check") == []
        workspace.apply(CheckPair("q1", "q1/a", "p1", "no"))
        (step,) = of_kind(workspace, "check")
        assert (step.query_id, step.place) == ("q1", "checks")
        assert (step.question_ids, step.passage_id) != (("q1/a",), "p1")


def test_of_two_questions_that_are_almost_the_same_the_one_that_does_less_is_to_go(
    hand_made: Path,
) -> None:
    with Workspace.open(hand_made) as workspace:
        workspace.apply(Add("q1", "Why, is it?"))
        (new,) = [one for one in workspace.bank() if one.text == "Why, is it?"]
        (step,) = of_kind(workspace, "near-duplicate")
        assert step.question_ids == (new.question_id, "q1/a")
        assert step.edits == (Retire(new.question_id, "duplicate", 1),)
        before = step.key, step.state
        workspace.apply(Retire("q1/b"))
        (same,) = of_kind(workspace, "near-duplicate")
        assert (same.key, same.state) == before


def test_a_question_that_every_system_answers(tmp_path: Path) -> None:
    passages = [
        graded_passage("p1", "q", {"q/a": 5, "q/b": 0}, ranks={"one": 1, "two": 2}),
        graded_passage("p2", "q", {"q/a": 0, "q/b": 5}, ranks={"one": 3}),
    ]
    bank = question_bank(
        tmp_path / "bank.jsonl", {"q": {"q/a": "Why?", "q/b": "Where to?"}}
    )
    graded = graded_file(tmp_path / "graded.jsonl", {"q": passages})
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        workspace.import_(bank=bank, autograder=graded)
        (step,) = of_kind(workspace, "every-system")
        assert step.question_ids == ("q/a",)
        # Looking only at the first rank, two has an answer to neither.
        assert of_kind(workspace, "every-system", measure="cover", k=1) == []


def test_a_proposal_is_to_be_decided_and_to_be_dropped_where_it_says_nothing_new(
    hand_made: Path,
) -> None:
    with Workspace.open(hand_made) as workspace:
        texts = ("Who was there?", "When, is it?")
        workspace.apply([Propose("q1", text, FROM) for text in texts])
        ids = {one.text: one.question_id for one in workspace.bank()}
        steps = of_kind(workspace, "proposal")
        assert {one.edits for one in steps} == {
            (Keep(ids["Who was there?"], 1),),
            (Retire(ids["When, is it?"], "duplicate", 1),),
        }


def test_a_dismissed_step_stays_away_until_what_it_rests_on_changes(
    hand_made: Path,
) -> None:
    with Workspace.open(hand_made, judge="ann") as ann:
        (step,) = of_kind(ann, "only-non-relevant")
        ann.apply(Dismiss("q1", step.key, step.state, "It is asked for."))
        assert step.key not in {one.key for one in ann.next_steps()}
        (left,) = ann.next_steps(dismissed=True)
        assert replace(left, dismissed=None) == step
        assert left.dismissed == Dismissal(
            step.key, step.state, "It is asked for.", "ann"
        )
        ann.undo()
        assert step in ann.next_steps()
        ann.redo()
    with Workspace.open(hand_made, judge="ben") as ben:
        assert step.key not in {one.key for one in ben.next_steps()}
        # A vote is no change of the question, and put back it is as it was.
        ben.apply(Vote("q1/c", "vital"))
        assert step.key not in {one.key for one in ben.next_steps()}
        ben.apply([Retire("q1/c"), Restore("q1/c")])
        assert ben.next_steps(dismissed=True)
        ben.apply(Dismiss("q1", step.key, reason=None))
        assert [one.key for one in of_kind(ben, "only-non-relevant")] == [step.key]
        ben.apply(Dismiss("q1", step.key, "as it was before", "It is asked for."))
        assert [one.key for one in of_kind(ben, "only-non-relevant")] == [step.key]


def test_by_command_a_step_is_dismissed_and_brought_back(hand_made: Path) -> None:
    (step,) = [o for o in json_of("next", hand_made) if o["kind"] == "no-answer"]
    left = json_of("next", hand_made, "--dismiss", step["key"], "--reason", "Not yet.")
    assert step not in left
    (away,) = json_of("next", hand_made, "--dismissed", "--judge", "ben")
    assert away["dismissed"]["reason"] == "Not yet."
    assert "Not yet." in run("next", hand_made, "--dismissed").stdout
    assert step in json_of("next", hand_made, "--bring-back", step["key"])
    run("next", hand_made, "--bring-back", "no-answer q9/x", code=1)
    run("next", hand_made, "--dismiss", step["key"], code=2)


def test_a_hidden_dismissal_is_to_a_judge_as_if_it_were_not_there(
    hand_made: Path,
) -> None:
    with Workspace.open(hand_made, judge="bob") as bob:
        bob.set_up(blind=True)
        (step,) = of_kind(bob, "uncovered-passage", query_id="q2")
        bob.apply(Dismiss("q2", step.key, step.state, "judged 3 but long"))
        there = bob.bank().dismissals_of("q2")
        hidden = bob.baselines().latest
    with Workspace.open(hand_made, judge="ann", as_judge=True) as ann:
        with pytest.raises(NothingToChangeError, match="has no dismissal by ann"):
            ann.apply(Dismiss("q2", step.key))
        with pytest.raises(UnknownNameError, match="that you can see"):
            ann.undo(event=hidden)
        # Her own in its place is hers; neither it nor its undo shows what was there.
        batch = ann.apply(Dismiss("q2", step.key, step.state, "mine"))
        assert "judged 3" not in repr([batch, ann.undo(), *ann.history()])
    with Workspace.open(hand_made, judge="bob") as bob:
        assert bob.bank().dismissals_of("q2") == there
