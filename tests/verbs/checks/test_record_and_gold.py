"""Checks from a file, and gold items, which are mixed in unseen and rate judges."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import CheckPair
from curator.errors import RoleError
from curator.verbs.checks.gold import GoldRate
from curator.workspace import Workspace
from tests.samples.command_line import json_of, run
from tests.samples.workspaces import dump, write_lines

YES = {"query_id": "q1", "item_id": "q1/a", "passage_id": "p1", "answer": "yes"}
GRADE = {"query_id": "q1", "item_id": None, "passage_id": "p1", "answer": 3}


def test_printed_pairs_are_recorded(path: Path, tmp_path: Path) -> None:
    pairs = json_of("checks", path, "next", "--count", 3, "--judge", "ann")["checks"]
    file = write_lines(
        tmp_path / "done.jsonl", [one | {"answer": "no", "seconds": 2} for one in pairs]
    )
    found = json_of("checks", path, "record", file, "--judge", "ann")
    assert found == {"recorded": 3, "unchanged": 0, "judges": ["ann"]}
    with Workspace.open(path, judge="ann") as ann:
        checks = [one for q in ("q1", "q2") for one in ann.bank().checks_of(q)]
        assert {one.probability for one in checks} == {
            one["probability"] for one in pairs
        }
        # by hand: three lines have a probability
        assert {(one.drawn, one.seconds, one.answer) for one in checks} == {
            (3, 2.0, "no")
        }
        assert ann.next_checks(9).population == 4
    # Told twice, it is there once.
    json_of("checks", path, "record", file, "--judge", "ann")
    found = json_of("checks", path, "record", file, "--judge", "ann")
    assert found == {"recorded": 0, "unchanged": 3, "judges": []}


def test_a_line_may_say_who_looked_and_of_how_many_it_was_drawn(path: Path) -> None:
    drawn = {"probability": 0.5, "seconds": 1.5}
    with Workspace.open(path, judge="ann") as ann:
        ann.record_checks(
            [
                YES | drawn | {"judge": "ben"},
                YES | drawn | {"answer": "no"},
                GRADE | drawn | {"drawn": 40},
                GRADE | {"judge": "ben", "answer": "unsure"},
            ],
            judge="cy",
        )
        found = {
            (one.judge, one.item, one.answer, one.drawn)
            for one in ann.bank().checks_of("q1")
        }
    # by hand: two pairs have a probability, one of them told by two judges
    assert found == {
        ("ben", "Why is it?", "yes", 2),
        ("cy", "Why is it?", "no", 2),
        ("cy", None, "3", 40),
        ("ben", None, "unsure", 0),
    }


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"answer": "maybe"}, 'answer is \'maybe\'; expected "yes", "no" or "unsure"'),
        ({"item_id": None}, "answer is 'yes'; expected 0, 1, 2"),
        ({"item_id": None, "answer": 4}, "passages are graded 0 to 3 here"),
        ({"passage_id": "p3"}, "No passage 'p3' in the pool of query 'q1'"),
        ({"probability": 0}, "probability is 0.0; expected above 0"),
        ({"probability": 0.5, "drawn": 0}, "1 or more with a probability"),
        ({"seconds": -1}, "expected 0 to 1,000,000"),
        ({"judge": " "}, "judge ' ' is not a name"),
        ({"answer": "no"}, "ann answers 'yes' for the same pair in bad.jsonl, line 1"),
    ],
)
def test_one_line_that_is_wrong_leaves_everything_as_it_was(
    path: Path, tmp_path: Path, wrong: dict[str, object], says: str
) -> None:
    file = write_lines(tmp_path / "bad.jsonl", [YES, YES | wrong])
    before = dump(path)
    result = run("checks", path, "record", file, "--judge", "ann", code=1)
    assert result.stderr.startswith("Error: bad.jsonl, line 2: ")
    assert says in result.stderr
    assert dump(path) == before


ROWS = [
    {"query": "q1", "question": "q1/a", "passage": "p1", "answer": "yes"},
    {"query": "q1", "question": "q1/b", "passage": "p1", "answer": "no"},
]


def opened(path: Path, judge: str) -> Workspace:
    return Workspace.open(path, judge=judge, as_judge=True)


def marked(path: Path) -> None:
    with opened(path, "ann") as ann:
        ann.add_people("ann", "organizer")
        ann.add_people(["bo", "cy"])
        assert ann.mark_gold(ROWS).recorded == 2


def test_rates_are_of_each_judge_and_for_organizers(path: Path) -> None:
    marked(path)
    with opened(path, "bo") as bo:
        bo.apply([CheckPair("q1", "q1/a", "p1", "yes")])
        bo.apply([CheckPair("q1", "q1/b", "p1", "unsure")])
        with pytest.raises(RoleError, match="gold items is for organizers"):
            bo.gold()
    with opened(path, "ann") as ann:
        ann.apply([CheckPair("q1", "q1/a", "p1", "yes")])  # her own item: not rated
        found = ann.gold()
        assert (found.items, found.rates) == (2, (GoldRate("bo", 2, 1),))
        assert ann.mark_gold([ROWS[0] | {"answer": ""}]).recorded == 1
        assert ann.gold().items == 1


def test_no_judge_sees_a_known_answer_also_after_their_own(path: Path) -> None:
    marked(path)
    with opened(path, "bo") as bo:
        bo.apply([CheckPair("q1", "q1/a", "p1", "no")])
        with bo.snapshot() as snapshot:
            visible = snapshot.bank.checks_of("q1")
        assert [check.judge for check in visible] == ["bo"]
        assert not [event for event in bo.history() if event.by == "gold:ann"]
    with opened(path, "ann") as ann, ann.snapshot() as snapshot:
        judges = {check.judge for check in snapshot.bank.checks_of("q1")}
    assert judges == {"bo", "gold:ann"}


def test_a_batch_has_one_gold_item_in_ten(path: Path) -> None:
    marked(path)
    known = {("q1/a", "p1"), ("q1/b", "p1")}
    shares = []
    for seed in range(30):
        with opened(path, "bo") as bo:
            at = bo.check_batch("pairs").at
            batch = bo.draw_batch("pairs", after=at, count=5, seed=seed)
        # By hand: 5 × .1 is no item or one.
        assert len(batch.pairs) in (4, 5)
        chosen = [pair.drawn for pair in batch.pairs if pair.drawn.probability is None]
        assert {(pair.question_id, pair.passage_id) for pair in chosen} <= known
        others = [pair.drawn for pair in batch.pairs if pair.drawn.probability]
        assert {pair.drawn for pair in others} == {len(others)}
        shares.append(len(chosen))
    assert 0 < sum(shares) < len(shares)
    with opened(path, "ann") as ann:  # who knows the answers is not asked
        for seed in range(5):
            at = ann.check_batch("pairs").at
            batch = ann.draw_batch("pairs", after=at, count=5, seed=seed)
            assert all(pair.drawn.probability for pair in batch.pairs)


def test_gold_answers_are_in_no_certificate_and_no_agreement(path: Path) -> None:
    def numbers() -> tuple[object, ...]:
        with Workspace.open(path) as one:
            quality = one.check_quality()
            agreement = one.adjudication()
            people = one.grader_agreement("people")
        return quality, agreement.agreement, agreement.differences, str(people)

    with Workspace.open(path) as one:
        for by, answer in (("bo", "yes"), ("cy", "no")):
            pair = ("q1", "q1/c", "p1")
            one.apply([CheckPair(*pair, answer, 0.5, 3)], by=by)
        drawn = CheckPair("q1", "q1/a", "p2", "no", 0.5, 3)
        one.apply([drawn], by="bo")
    before = numbers()
    marked(path)
    assert numbers() == before
    with opened(path, "bo") as bo:
        bo.apply([CheckPair("q1", "q1/a", "p1", "no")])
        assert bo.check_batch().judges[0] == ("bo", 3)
    assert numbers() == before


def test_a_wrong_file_of_gold_changes_nothing(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "gold.tsv"
    with Workspace.open(path) as one:
        text = one.bank().question("q1/b").text
    file.write_text(f"query\tquestion\tpassage\tanswer\nq1\t{text}\tp1\tNo\n")
    assert json_of("checks", path, "gold", file, "--judge", "ann") == {
        "items": 1,
        "judges": [],
    }
    with opened(path, "bo") as bo:
        bo.apply([CheckPair("q1", "q1/b", "p1", "no")])
    rates = json_of("checks", path, "gold")["judges"]
    assert rates == [{"judge": "bo", "answered": 1, "right": 1, "rate": 1.0}]
    for wrong in ("unsure", "2"):
        file.write_text(f"query,id,passage,answer\nq1,q1/a,p1,yes\nq1,q1/c,p1,{wrong}")
        result = run("checks", path, "gold", file, code=1)
        assert f"line 3: answer is '{wrong}'; expected yes or no" in result.output
    with Workspace.open(path) as one:
        assert one.gold().items == 1
