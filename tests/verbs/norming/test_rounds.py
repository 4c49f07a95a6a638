"""Norming rounds: blind until they are revealed, whoever asks and by whatever way.

The hand-made collection: q1 asks a, b and c of p1 and p2, q2 asks d of p3; seven pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.bank.edits import CheckPair, Retire, Reword, Vote
from curator.errors import InputFileError, NormingError, UndoError
from curator.verbs.norming import Norming
from curator.workspace import Workspace
from tests.samples.command_line import json_of

GIVEN = (("q1", "q1/a", "p1"), ("q1", "q1/c", "p2"), ("q2", "q2/d", "p3"))


@pytest.fixture
def workspace(hand_made: Path) -> Iterator[Workspace]:
    """As its owner."""
    with Workspace.open(hand_made, judge="olga") as opened:
        yield opened


def answers(path: Path, judge: str, *said: str | None, round_id: int = 1) -> Norming:
    """What a judge sees after they have answered the items in turn, None for none."""
    with Workspace.open(path, judge=judge, as_judge=True) as opened:
        mine = {one.item.place: one.mine for one in opened.norming(round_id).items}
        for place, answer in enumerate(said):
            if answer is not None:
                opened.answer_norming(round_id, place + 1, answer, before=mine[place])
        return opened.norming(round_id)


def asked(found: Norming) -> list[tuple[str, str | None, str | None]]:
    return [
        (one.item.query_id, one.item.question_id, one.item.passage_id)
        for one in found.items
    ]


def test_a_round_is_of_pairs_without_checks(workspace: Workspace) -> None:
    workspace.apply(CheckPair("q1", "q1/a", "p1", "yes"), by="bob")
    found = workspace.open_norming(seed=3)
    # By hand: seven pairs, of which bob has checked one.
    assert len(found.items) == 6
    assert ("q1", "q1/a", "p1") not in asked(found)
    assert len(set(asked(found))) == 6


def test_items_are_spread_over_ratings(hand_made: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    copy.write_bytes(hand_made.read_bytes())
    drawn = []
    for path in (hand_made, copy):
        with Workspace.open(path) as workspace:
            drawn.append(asked(workspace.open_norming(count=3, seed=5)))
    assert drawn[0] == drawn[1]
    # By hand: one pair is rated 4, two 5 and four 0: of three one is of each.
    assert ("q1", "q1/b", "p1") in drawn[0]
    fives = {("q1", "q1/a", "p1"), ("q1", "q1/c", "p2")}
    assert len(fives & set(drawn[0])) == 1


def test_votes_and_passages_are_rounds_too(workspace: Workspace) -> None:
    workspace.apply(Vote("q1/a", "vital"), by="bob")
    votes = workspace.open_norming("votes")
    assert {one for _, one, _ in asked(votes)} == {"q1/b", "q1/c", "q2/d"}
    assert votes.round.choices == ("vital", "okay")
    passages = workspace.open_norming("passages")
    assert {one for _, _, one in asked(passages)} == {"p1", "p2", "p3"}
    assert passages.round.choices == ("0", "1", "2", "3", "unsure")
    workspace.answer_norming(2, 1, "3")
    for wrong in ("4", "yes", ""):
        with pytest.raises(NormingError, match="expected one of 0, 1, 2, 3, unsure"):
            workspace.answer_norming(2, 1, wrong, before="3")


def test_a_hidden_round_shows_own_answers(
    workspace: Workspace, hand_made: Path
) -> None:
    workspace.open_norming(items=GIVEN)
    answers(hand_made, "ann", "yes", "no", "unsure")
    found = answers(hand_made, "bob", "no")
    assert [[(s.judge, s.answer) for s in one.answers] for one in found.items] == [
        [("bob", "no")], [], [],
    ]  # fmt: skip
    assert found.agreements == ()
    assert found.round.answered == (("ann", 3), ("bob", 1))  # how many, not what
    with Workspace.open(hand_made, judge="bob", as_judge=True) as judge:
        assert "'ann', " not in repr(judge.norming().round.answers)
        with pytest.raises(NormingError, match="until the round is revealed"):
            judge.norming(answers=True)


def test_answers_are_not_undone(workspace: Workspace, hand_made: Path) -> None:
    workspace.open_norming(items=GIVEN)
    answers(hand_made, "ann", "yes", "no", "unsure")
    assert workspace.history() == ()
    with Workspace.open(hand_made, judge="ann", as_judge=True) as judge:
        assert [event.kind for event in judge.history()] == ["norming"] * 3
        with pytest.raises(UndoError, match="nothing to undo"):
            judge.undo()
        judge.apply(Vote("q1/a", "vital"))
        judge.answer_norming(1, 1, "no", before="yes")
        judge.undo()
        with pytest.raises(UndoError, match="Answer the item again"):
            judge.undo(event=1 + judge.history()[-1].event_id)
        judge.redo()
        assert judge.bank().question("q1/a").votes == (("ann", "vital"),)
    workspace.reveal_norming()
    assert len(workspace.history(kind="norming")) == 4
    assert not any(check for check in workspace.bank().checks.values())


def test_agreement_before_and_after(workspace: Workspace, hand_made: Path) -> None:
    workspace.open_norming(items=GIVEN)
    answers(hand_made, "ann", "yes", "yes", "no")
    answers(hand_made, "bob", "yes", "no", "no")
    found = workspace.reveal_norming()
    assert [one.item.place for one in found.items] == [1, 0, 2]
    before, after = (one.agreement for one in found.agreements)
    # By hand: one of three pairs differs, three of six answers are yes.
    assert before.value == after.value == pytest.approx(1 - (1 / 3) / 0.6)
    found = answers(hand_made, "bob", None, "yes")
    assert [one.item.place for one in found.items] == [1, 0, 2]  # by first answers
    (bob,) = (one for one in found.items[0].answers if one.judge == "bob")
    assert (bob.first, bob.answer, bob.blind) == ("no", "yes", True)
    before, after = (one.agreement for one in found.agreements)
    assert before.value == pytest.approx(1 - (1 / 3) / 0.6)
    assert (after.value, after.same) == (pytest.approx(1.0), 3)
    # Whatever is said and done later: before is kept, and after once it is closed.
    answers(hand_made, "cy", "no", "no", "yes")
    workspace.apply([Reword("q1/a", "Whence?"), Retire("q1/c")])
    closed = workspace.close_norming()
    assert closed.agreements[0].agreement == before
    with pytest.raises(NormingError, match="was closed by olga"):
        answers(hand_made, "bob", "no")
    assert workspace.norming(1).agreements == closed.agreements


def test_answers_from_a_file(
    workspace: Workspace, hand_made: Path, tmp_path: Path
) -> None:
    workspace.open_norming(items=GIVEN)
    table = tmp_path / "answers.tsv"
    table.write_text("item\tjudge\tanswer\n1\tann\tyes\n2\tann\tno\n1\tbob\tno\n")
    json_of("norming", hand_made, "answer", "--file", table)
    json_of("norming", hand_made, "answer", "--item", 3, "no", "--judge", "cy")
    given = [
        [(each.judge, each.answer) for each in one.answers]
        for one in workspace.norming(answers=True).items
    ]
    saved = [[("ann", "yes"), ("bob", "no")], [("ann", "no")], [("cy", "no")]]
    assert given == saved
    for rows, message in (
        ("item,answer\n4,yes\n", "line 2: item is 4; expected .* 1 to 3"),
        ("item,answer\n1,maybe\n", "line 2: The answer is 'maybe'; expected one of"),
        ("item,answer\n1,yes\n1,no\n", "line 3: .* gives item 1 two answers"),
    ):
        table.write_text(rows)
        with pytest.raises(InputFileError, match=message):
            workspace.record_norming(table)
    assert len(workspace.norming(answers=True).round.answers) == 4
