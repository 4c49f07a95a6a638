"""Votes, from the command line to boards: ``judges``, ``pyramid``.

The small collection: in q1, p1 answers a, p2 answers a and b; in q2, p4 answers c.
System one has p1 (then a passage without grades) and p3, two has p2, p1 and p4. Every
text has 9 letters ("Text of p1." without its blanks), far below the allowance, so P is
1 wherever anything is matched.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import Vote
from curator.bank.questions import Bank, Question
from curator.errors import EvaluationError, InputFileError
from curator.verbs.judges import ballots
from curator.workspace import Workspace
from tests.samples.command_line import json_of, run
from tests.samples.workspaces import write_lines


@pytest.fixture
def path(workspace: Workspace) -> Path:
    return workspace.path


def vote(workspace: Workspace, judge: str, **votes: str) -> None:
    """Votes of one judge by the last letter of the question's id."""
    named = {"a": "q1/a", "b": "q1/b", "c": "q2/c"}
    workspace.apply(
        [Vote(named[letter], how) for letter, how in votes.items()],  # type: ignore[arg-type]
        by=judge,
    )


def test_judges_have_their_progress_by_query(workspace: Workspace) -> None:
    vote(workspace, "ann", a="vital", b="okay")
    vote(workspace, "bob", a="vital", b="vital", c="okay")
    found = workspace.judges()

    assert (found.questions, found.voted) == (3, 3)
    ann, bob = found.judges
    assert (ann.judge, ann.vital, ann.okay, ann.voted, ann.questions) == (
        "ann", 1, 1, 2, 3
    )  # fmt: skip
    assert [(q.query_id, q.voted, q.questions) for q in ann.queries] == [
        ("q1", 2, 2), ("q2", 0, 1)
    ]  # fmt: skip
    assert bob.voted == 3
    # by hand: two questions, alike on one; each has a margin of its own: κ = 0
    assert found.agreement.value == 0
    assert [one.question.question_id for one in found.disagreements] == ["q1/b"]


def test_weights_of_questions(workspace: Workspace, path: Path) -> None:
    vote(workspace, "ann", a="vital", b="okay", c="okay")
    vote(workspace, "bob", a="vital", b="vital", c="okay")
    vote(workspace, "cy", a="vital")
    found = {one["question_id"]: one for one in json_of("questions", path)}
    # By hand: three call a vital and one b; nobody calls anything of q2 vital.
    weights = {
        name: (one["vital"], one["okay"], one["weight"]) for name, one in found.items()
    }
    assert weights == {
        "q1/a": (3, 0, 1.0),
        "q1/b": (1, 1, pytest.approx(1 / 3)),
        "q2/c": (0, 2, None),
    }
    few = {one.judge: (one.one_vital, one.two_vital) for one in workspace.pyramid()}
    assert few == {"ann": (1, 0), "bob": (0, 1), "cy": (1, 0)}


def test_votes_and_verdicts_of_several_judges_come_from_a_file(
    workspace: Workspace, path: Path, tmp_path: Path
) -> None:
    vote(workspace, "ann", a="okay", b="okay")
    table = tmp_path / "votes.tsv"
    table.write_text(
        "question_id\tjudge\tvote\tanswer\tverdict\n"
        "q1/a\tann\tvital\n"
        "q1/b\tann\tokay\n"
        "q1/a\tbob\tVital\n"
        'q1/a\tbob\t\t"To" drink\tright\n'
    )
    run("judges", path, "--record", table)
    bank = workspace.bank()
    assert dict(bank.question("q1/a").votes) == {"ann": "vital", "bob": "vital"}
    (verdict,) = bank.verdicts_of("q1")
    assert (verdict.judge, verdict.answer, verdict.value) == (
        "bob",
        '"To" drink',
        "right",
    )
    workspace.undo()  # what ann said last is one batch of her own
    assert dict(workspace.bank().question("q1/a").votes)["ann"] == "okay"


def test_a_wrong_vote_is_named_and_none_is_saved(workspace: Workspace) -> None:
    right = {"question_id": "q1/a", "vote": "vital"}
    for row, message in (
        ({"question_id": "none", "vote": "vital"}, "vote 2: No question 'none'"),
        ({"question_id": "q1/b", "vote": "maybe"}, "vote 2: A vote is vital or okay"),
        ({"question_id": "q1/a", "vote": "okay"}, "vote 2: ann gives"),
    ):
        with pytest.raises(InputFileError, match=message):
            workspace.record_votes([right, row])
    assert not any(one.votes for one in workspace.bank())


def test_without_votes_one_sentence_says_where_to_vote(workspace: Workspace) -> None:
    board = workspace.leaderboard(measure="nugget-f")
    assert board.standings == ()
    assert "vote on Judge" in board.notes[0]
    with pytest.raises(EvaluationError, match="vote on Judge"):
        workspace.scores(measure="nugget-f")
    assert workspace.pyramid().judges == ()
    assert workspace.pyramid().curves == ()


def test_a_judges_board_is_the_classic_one_of_their_votes(workspace: Workspace) -> None:
    vote(workspace, "ann", a="okay", b="vital", c="okay")
    vote(workspace, "bob", a="vital", b="okay")
    found = workspace.pyramid()
    ann, bob = found.judges

    # by hand: ann's vital b is two's alone; bob's vital a both have; q2 is 0 for all
    assert ann.board.scores() == {"one": 0, "two": 1 / 2}
    assert bob.board.scores() == {"one": 1 / 2, "two": 1 / 2}
    assert ann.board == workspace.leaderboard(measure="vital-f(judge=ann)")
    # pyramid: q1 alone, one has a of a and b: P = 1, R = 1/2: 5 / 9.5
    assert found.pyramid.scores() == pytest.approx({"one": 10 / 19, "two": 1})
    assert (found.queries, found.pyramid.queries) == (2, 1)
    assert ann.tau == 1
    assert bob.tau is None  # all tie on bob's board
    assert found.mean_tau == 1
    assert ann.with_others == (("bob", None),)
    assert (bob.queries, bob.queries_with_vital, bob.zero_medians) == (1, 1, 1)
    assert (ann.queries, ann.queries_with_vital, ann.zero_medians) == (2, 1, 1)
    assert found.zero_medians == 1


def test_imported_importances_are_sources(workspace: Workspace, tmp_path: Path) -> None:
    model = {"is_human": False, "llm_model": "gpt"}
    named = {"is_human": False, "assessor_id": "agent-7"}
    dee = {"is_human": True, "assessor_id": "dee", "llm_model": "gpt"}
    banks: dict[str, dict[str, object]] = {"q1": {}, "q2": {}}
    for question_id, text, importance, creator in (
        ("q1/a", "Why is it?", "vital", [model]),
        ("q1/b", "How is it?", "okay", [model, dee]),
        ("q1/n", "Is it?", "vital", [named]),
        ("q2/c", "When is it?", "vital", [dee]),
        ("q2/m", "Was it?", "okay", []),
    ):
        banks[question_id[:2]][text] = {
            "question": text,
            "question_id": question_id,
            "importance": importance,
            "creator": creator,
        }
    lines = [{"query_id": one, "nugget_bank": bank} for one, bank in banks.items()]
    workspace.import_(bank=write_lines(tmp_path / "bank.jsonl", lines))
    vote(workspace, "ann", a="vital", b="vital", c="okay")
    found = workspace.judges()
    assert [one.judge for one in found.judges] == ["ann", "dee"]
    assert [(one.judge, one.vital, one.okay) for one in found.sources] == [
        ("agent-7", 1, 0), ("gpt", 1, 1), ("nuggetbank", 0, 1)
    ]  # fmt: skip
    assert found.voted == 3  # of five: n and m have imported importances alone
    # by hand: ann and dee share c alone, and differ
    assert (found.agreement.items, found.agreement.same) == (1, 0)
    assert [one.question.question_id for one in found.disagreements] == ["q2/c"]
    pairs = {(one.first, one.second): one for one in found.with_sources}
    # by hand: ann vital, vital; gpt vital, okay: 1/2 observed, 1/2 expected: κ = 0
    assert (pairs["ann", "gpt"].items, pairs["ann", "gpt"].kappa) == (2, 0)


def test_who_is_left_out_of_a_pyramid_has_as_if_not_voted(workspace: Workspace) -> None:
    vote(workspace, "ann", a="okay", b="vital", c="okay")
    vote(workspace, "bob", a="vital", b="okay", c="vital")
    # by hand: ann alone: b, which two has; q2 leaves the mean
    board = workspace.leaderboard(measure="weighted-cover(without=bob)")
    assert (board.queries, board.scores()) == (1, {"one": 0, "two": 1})
    both = workspace.pyramid()
    found = workspace.pyramid(without=["bob"])
    assert [one.judge for one in both.judges] == ["ann", "bob"]
    assert [one.judge for one in found.judges] == ["ann"]
    assert found.settings.measure == "nugget-f(without=bob)"


def test_ballots_are_the_kept_questions_with_others_votes_once_there_is_mine() -> None:
    votes = {"a": (("ann", "vital"), ("ben", "okay")), "b": (("ben", "vital"),)}
    kept = [Question(one, "q1", one, votes=given) for one, given in votes.items()]
    gone = [Question(state, "q1", state, state=state) for state in ("retired",)]
    first, second = ballots(Bank({"q1": (*kept, *gone)}), "q1", "ann")
    assert (first.mine, first.disputed) == ("vital", True)
    assert first.others == (("ben", "okay"),)
    assert (second.mine, second.others, second.disputed) == (None, (), False)
    assert second.question.votes == ()
