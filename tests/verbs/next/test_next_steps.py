"""What to do next: each kind, its remedy, its order, and who is told what."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from curator.bank.edits import Add, Dismiss, Keep, Propose, Restore, Retire, Vote
from curator.bank.marks import Dismissal
from curator.errors import EditError
from curator.evaluation.next_steps import TRUST
from curator.verbs.next.next_steps import NextStep
from curator.workspace import Workspace
from tests.samples.command_line import json_of, run
from tests.samples.workspaces import graded_file, graded_passage, question_bank

FROM = '{"generation": 1}'


def kinds(steps: tuple[NextStep, ...]) -> dict[str, tuple[str, ...]]:
    return {step.kind: step.question_ids for step in steps}


def test_a_question_that_only_non_relevant_passages_answer_and_one_that_none_does(
    hand_made: Path,
) -> None:
    with Workspace.open(hand_made) as workspace:
        first, second = workspace.next_steps()
        # By hand: c alone is answered by p2 alone, which is judged 0. Without it Cover
        # goes from 2/3 to 1 and from 1/3 to 0: by 1/3 on average.
        assert (first.kind, first.question_ids) == ("only-non-relevant", ("q1/c",))
        assert first.weight == pytest.approx(TRUST["only-non-relevant"] / 3)
        assert first.edits == (Retire("q1/c", "off topic", 1),)
        # d is its query's only question, so nobody knows what it moves.
        assert kinds((second,)) == {"no-answer": ("q2/d",)}
        assert second.weight == 0
        assert workspace.next_steps(limit=1) == (first,)
        assert workspace.next_steps(query_id="q2") == (second,)
        workspace.apply(first.edits)
        assert workspace.next_steps() == (second,)


def test_of_two_questions_that_are_almost_the_same_the_one_that_does_less_is_to_go(
    hand_made: Path,
) -> None:
    with Workspace.open(hand_made) as workspace:
        workspace.apply(Add("q1", "Why, is it?"))
        (new,) = [one for one in workspace.bank() if one.text == "Why, is it?"]
        (step,) = [s for s in workspace.next_steps() if s.kind == "near-duplicate"]
        assert step.question_ids == (new.question_id, "q1/a")
        assert step.edits == (Retire(new.question_id, "duplicate", 1),)
        before = step.key, step.state
        workspace.apply(Retire("q1/b"))
        (same,) = [s for s in workspace.next_steps() if s.kind == "near-duplicate"]
        assert (same.key, same.state) == before


def test_a_question_that_every_system_answers(tmp_path: Path) -> None:
    ranks = {"one": 1, "two": 2}
    passages = [
        graded_passage("p1", "q", {"q/a": 5, "q/b": 0}, ranks=ranks),
        graded_passage("p2", "q", {"q/a": 0, "q/b": 5}, ranks={"one": 3}),
    ]
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        workspace.import_(
            bank=question_bank(
                tmp_path / "bank.jsonl", {"q": {"q/a": "Why?", "q/b": "Where to?"}}
            ),
            autograder=graded_file(tmp_path / "graded.jsonl", {"q": passages}),
        )
        assert kinds(workspace.next_steps()) == {"every-system": ("q/a",)}
        # Looking only at the first rank, two has an answer to neither.
        assert kinds(workspace.next_steps(k=1)) == {}


def test_a_proposal_is_to_be_decided_and_to_be_dropped_where_it_says_nothing_new(
    hand_made: Path,
) -> None:
    with Workspace.open(hand_made) as workspace:
        texts = ("Who was there?", "When, is it?")
        workspace.apply([Propose("q1", text, FROM) for text in texts])
        ids = {one.text: one.question_id for one in workspace.bank()}
        steps = [one for one in workspace.next_steps() if one.kind == "proposal"]
        assert {one.edits for one in steps} == {
            (Keep(ids["Who was there?"], 1),),
            (Retire(ids["When, is it?"], "duplicate", 1),),
        }


def test_in_blind_mode_nothing_is_said_of_judgments(hand_made: Path) -> None:
    with Workspace.open(hand_made) as workspace:
        workspace.set_up(blind=True)
        assert "only-non-relevant" in kinds(workspace.next_steps())
    with Workspace.open(hand_made, judge="ben", as_judge=True) as workspace:
        assert kinds(workspace.next_steps()) == {"no-answer": ("q2/d",)}


def test_proposals_behind_a_closed_gate_are_not_told(hand_made: Path) -> None:
    with Workspace.open(hand_made) as workspace:
        workspace.apply(Propose("q1", "Who was there?", FROM))
        workspace.set_up(human_first=1)
    with Workspace.open(hand_made, judge="ben", as_judge=True) as ben:
        assert "proposal" not in kinds(ben.next_steps())
        ben.apply(Add("q1", "Whence is it?"))
        assert "proposal" in kinds(ben.next_steps())


def test_without_grades_the_words_alone_are_looked_at(tmp_path: Path) -> None:
    bank = {"q": {"q/a": "Why is it?", "q/b": "Why it is?", "q/c": "Where?"}}
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        workspace.import_(bank=question_bank(tmp_path / "bank.jsonl", bank))
        (step,) = workspace.next_steps()
        # The one that came first stays.
        assert step.question_ids == ("q/b", "q/a")


def test_an_edit_has_one_query_looked_at_again(hand_made: Path) -> None:
    with Workspace.open(hand_made) as workspace:
        (before,) = workspace.next_steps(query_id="q2")
        workspace.apply(Retire("q1/a"))
        (after,) = workspace.next_steps(query_id="q2")
        assert after is before


def test_a_dismissed_step_stays_away_until_what_it_rests_on_changes(
    hand_made: Path,
) -> None:
    with Workspace.open(hand_made, judge="ann") as ann:
        step = ann.next_steps()[0]
        ann.apply(Dismiss("q1", step.key, step.state, "It is asked for."))
        assert step.key not in {one.key for one in ann.next_steps()}
        (left,) = ann.next_steps(dismissed=True)
        assert replace(left, dismissed=None) == step
        assert left.dismissed == Dismissal(
            step.key, step.state, "It is asked for.", "ann"
        )
        ann.undo()
        assert ann.next_steps()[0] == step
        ann.redo()
    with Workspace.open(hand_made, judge="ben") as ben:
        assert step.key not in {one.key for one in ben.next_steps()}
        # A vote is no change of the question, and put back it is as it was.
        ben.apply(Vote("q1/c", "vital"))
        assert step.key not in {one.key for one in ben.next_steps()}
        ben.apply([Retire("q1/c"), Restore("q1/c")])
        assert ben.next_steps(dismissed=True)
        ben.apply(Dismiss("q1", step.key, reason=None))
        assert ben.next_steps()[0].key == step.key
        ben.apply(Dismiss("q1", step.key, "as it was before", "It is asked for."))
        assert ben.next_steps()[0].key == step.key


@pytest.mark.parametrize("reason", ["", "  ", "x" * 201])
def test_a_step_is_dismissed_with_a_reason(hand_made: Path, reason: str) -> None:
    with Workspace.open(hand_made) as workspace, pytest.raises(EditError):
        workspace.apply(Dismiss("q1", "no-answer q1/a", "", reason))


def test_by_command_a_step_is_dismissed_and_brought_back(hand_made: Path) -> None:
    (_, step) = json_of("next", hand_made)
    left = json_of("next", hand_made, "--dismiss", step["key"], "--reason", "Not yet.")
    assert step not in left
    (away,) = json_of("next", hand_made, "--dismissed", "--judge", "ben")
    assert away["dismissed"]["reason"] == "Not yet."
    assert "Not yet." in run("next", hand_made, "--dismissed").stdout
    assert step in json_of("next", hand_made, "--bring-back", step["key"])
    run(
        "next", hand_made, "--dismiss", "no-answer q9/x", "--reason", "Not yet.", code=1
    )
    for half in (["--dismiss", step["key"]], ["--reason", "Not yet."]):
        run("next", hand_made, *half, code=2)


def test_what_others_dismissed_tells_a_judge_nothing_hidden(hand_made: Path) -> None:
    with Workspace.open(hand_made, judge="ann") as ann:
        ann.apply(Propose("q1", "Who was there?", FROM))
        for step in ann.next_steps():
            ann.apply(Dismiss(step.query_id, step.key, step.state, "Not yet."))
        ann.set_up(blind=True, human_first=1)
        kinds_there = {"only-non-relevant", "no-answer", "proposal"}
        assert {e.change.mark.kind for e in dismissals(ann)} == kinds_there
    with Workspace.open(hand_made, judge="ben", as_judge=True) as ben:
        assert {e.change.mark.kind for e in dismissals(ben)} == {"no-answer"}
        assert kinds(ben.next_steps(dismissed=True)).keys() == {"no-answer"}


def dismissals(workspace: Workspace) -> list[Any]:
    return [one for one in workspace.history() if one.change.kind == "dismiss"]
