"""What checks say of each grader: of pairs, of passages, and what they rest on."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import beta

from curator.bank.edits import CheckPair, Reword
from curator.workspace import Workspace
from tests.samples.checked_graders import LOW, two_graders
from tests.samples.command_line import json_of
from tests.samples.hand_made import hand_made_workspace
from tests.samples.workspaces import write_lines

# The grader's ratings: 5, 4, 5 of the first three, 0 of the others.
ANSWERS = {
    ("q1/a", "p1"): "yes",
    ("q1/b", "p1"): "no",
    ("q1/c", "p2"): "yes",
    ("q1/a", "p2"): "no",
    ("q1/b", "p2"): "yes",
    ("q1/c", "p1"): "no",
    ("q2/d", "p3"): "unsure",
}


def lines() -> list[dict[str, object]]:
    """All seven pairs, as if all had been drawn together."""
    return [
        {"query_id": item[:2], "item_id": item, "passage_id": passage, "answer": said}
        | {"probability": 1.0}
        for (item, passage), said in ANSWERS.items()
    ]


def test_every_number_of_six_checks_by_hand(path: Path) -> None:
    with Workspace.open(path, judge="ann") as ann:
        ann.record_checks(lines())
        found = ann.check_quality()
        (of_grader,) = found.graders
        assert (found.of, found.drawn, found.chosen) == ("pairs", 7, 0)
        assert (found.undecided, found.outdated) == (1, 0)
        rows = [(one.label, one.pairs, one.checks) for one in of_grader.by_label]
        assert rows == [
            (0, 4, 3),
            (1, 0, 0),
            (2, 0, 0),
            (3, 0, 0),
            (4, 1, 1),
            (5, 2, 2),
        ]
        at = of_grader.chosen_threshold
        assert at.min_label == 4
        assert at.precision is not None
        assert at.recall is not None
        # of three labels yes two are right, of four labels no a third is wrong
        assert at.precision.share == pytest.approx(2 / 3)
        assert at.recall.share == pytest.approx(2 / (2 + 4 / 3))
        assert at.wrong == pytest.approx((1 + 4 / 3) / 7)
        # from 5 on the wrong 4 is a label no, and right
        assert of_grader.best == 5
        assert of_grader.thresholds[-1].wrong == pytest.approx(4 / 3 / 7)
        assert of_grader.certificate is not None
        assert of_grader.certificate.checks == of_grader.checks == 6


def test_a_second_opinion_decides_and_weighs_nothing_more(path: Path) -> None:
    with Workspace.open(path, judge="ann") as ann:
        ann.record_checks(lines())
        one = ann.check_quality().graders[0]
        by_bob = CheckPair("q1", "q1/b", "p1", "yes", probability=0.1, drawn=3)
        ann.apply(by_bob, by="bob")
        found = ann.check_quality()
        assert (found.drawn, found.undecided) == (7, 2)
        ann.apply(CheckPair("q1", "q1/b", "p1", "yes"), by="eve")
        two = ann.check_quality().graders[0]
        assert two.checks == one.checks
        assert two.chosen_threshold.effective == pytest.approx(
            one.chosen_threshold.effective
        )
        # two of three now say yes of the pair rated 4
        assert two.chosen_threshold.precision is not None
        assert two.chosen_threshold.precision.share == 1


def test_pairs_of_a_question_that_was_reworded_are_gone(path: Path) -> None:
    with Workspace.open(path, judge="ann") as ann:
        ann.record_checks(lines())
        ann.apply(Reword("q1/a", "Why is it so?"))
        found = ann.check_quality()
        assert found.outdated == 2
        # a's pairs in its new words have no grade yet: five are left
        assert sum(one.pairs for one in found.graders[0].by_label) == 5
        ann.undo()
        assert ann.check_quality().outdated == 0


def test_checked_passages_have_labels_by_a_rule(path: Path) -> None:
    with Workspace.open(path, judge="ann") as ann:
        grades = {"p1": "3", "p2": "1", "p3": "0"}
        for passage, grade in grades.items():
            query = "q2" if passage == "p3" else "q1"
            ann.apply(CheckPair(query, None, passage, grade, probability=0.5, drawn=3))
        found = ann.check_quality(min_relevance=2)
        assert (found.of, found.min_relevance) == ("passages", 2)
        # by hand: labels 5, 5 and 0, of which the second is wrong
        assert found.graders[0].chosen_threshold.wrong == pytest.approx(1 / 3)
        kappa = (2 / 3 - 4 / 9) / (5 / 9)
        assert found.graders[0].chosen_threshold.kappa == pytest.approx(kappa)
        means = ann.check_quality(min_relevance=2, label="mean", min_rating=3)
        (of_grader,) = means.graders
        # by hand: (5 + 4 + 0) / 3, (0 + 0 + 5) / 3, 0
        rows = {one.label: one.pairs for one in of_grader.by_label if one.pairs}
        assert rows == {0: 1, 1.5: 1, 3: 1}
        assert [one.min_label for one in of_grader.thresholds] == [
            *(0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5)
        ]
        assert (
            of_grader.min_label,
            of_grader.chosen_threshold.wrong,
            of_grader.best,
        ) == (3, 0, 2)
        # pairs come first where any was checked
        ann.apply(CheckPair("q1", "q1/a", "p1", "yes"))
        assert ann.check_quality().of == "pairs"


def test_a_release_keeps_its_certificate(path: Path, tmp_path: Path) -> None:
    with Workspace.open(path, judge="ann") as ann:
        before = ann.release("before", measure="cover")
        assert before.certificate is None
        ann.record_checks(lines())
        made = ann.release("after", measure="cover")
        # by hand: six checks that count, and the hash is of bank and grades alone
        assert made.certificate == ann.check_quality().graders[0].certificate
        assert made.certificate is not None
        assert made.certificate.checks == 6
        assert made.sha256 == before.sha256
        ann.undo()
        assert [one.certificate for one in ann.releases()] == [made.certificate, None]
        ann.export("bundle", tmp_path / "all.zip")
    with Workspace.open(tmp_path / "new.db", create=True) as rebuilt:
        rebuilt.import_bundle(tmp_path / "all.zip")
        assert rebuilt.releases()[0] == made


def test_hasty_checks_are_set_aside_until_confirmed(tmp_path: Path) -> None:
    path = two_graders(tmp_path)
    checks = [
        CheckPair("q0", "q0/a", f"q0-{n}", "yes", 1.0, 8, seconds=1.0) for n in range(8)
    ]
    with Workspace.open(path, judge="ann", as_judge=True) as ann:
        ann.apply([*checks[:7], replace(checks[7], seconds=30.0)])
        found = ann.check_quality(graders=LOW)
        assert (found.set_aside, found.undecided, found.drawn) == (7, 0, 8)
        assert found.graders[0].checks == 1
        # A second judge who has read one of the passages decides that pair.
        with Workspace.open(path, judge="ben") as ben:
            ben.apply(CheckPair("q0", "q0/a", "q0-3", "no", seconds=8.0))
        found = ann.check_quality(graders=LOW)
        assert (found.set_aside, found.graders[0].checks) == (6, 2)
        ann.confirm_checks()
        found = ann.check_quality(graders=LOW)
        # By hand: one yes against one no leaves a pair undecided.
        assert (found.set_aside, found.undecided) == (0, 1)
        assert found.graders[0].checks == 7
        ann.undo()
        assert ann.check_quality(graders=LOW).set_aside == 6


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return hand_made_workspace(tmp_path)


def test_a_certificate_can_be_recomputed_from_what_was_recorded(
    instant_demo: Path, tmp_path: Path
) -> None:
    """With scipy, the recorded lines and the ratings alone, as docs/checks.md says."""
    path = Path(shutil.copy(instant_demo, tmp_path / "demo.db"))
    rounds: list[list[dict[str, Any]]] = []
    for number, count in enumerate((20, 7, 30)):
        asked = ("checks", path, "next", "--count", count, "--seed", number)
        drawn = json_of(*asked)["checks"]
        for one in drawn:
            yes = len(one["item"] + one["text"]) % 3 == 0
            one["answer"] = "yes" if yes else "no"
        json_of("checks", path, "record", write_lines(tmp_path / "lines", drawn))
        rounds.append(drawn)
    found = json_of("checks", path, "quality", "--min-rating", 3)["graders"][0]
    with Workspace.open(path) as workspace:
        rating = {
            (item, passage): given
            for query_id in workspace.collection().pools
            for item, passages in workspace.ratings(
                query_id, grader=found["grader"]
            ).items()
            for passage, given in passages.items()
        }
    n, past = sum(map(len, rounds)), 0
    weights: dict[int, list[tuple[float, bool]]] = {}
    for drawn in rounds:
        past += len(drawn)
        for one in drawn:
            w = (len(drawn) / one["probability"] + n - past) / n
            at = rating[one["item_id"], one["passage_id"]]
            weights.setdefault(at, []).append((w, one["answer"] == "yes"))
    pairs = Counter(rating.values())
    sizes = Counter[int]()
    for label, number in pairs.items():
        side = [one for one in weights if (one >= 3) == (label >= 3)]
        sizes[min(side, key=lambda one: (abs(one - label), one))] += number
    wrong = spread = 0.0
    for label, many in weights.items():
        total = sum(w for w, _ in many)
        yes = sum(w for w, said in many if said) / total
        wrong += sizes[label] * (1 - yes if label >= 3 else yes)
        spread += sizes[label] ** 2 * sum(w * w for w, _ in many) / total**2
    wrong, effective = wrong / len(rating), len(rating) ** 2 / spread
    upper = beta.ppf(0.95, effective * wrong + 1, effective * (1 - wrong))
    assert found["wrong"] == pytest.approx(
        {"share": wrong, "upper": upper, "confidence": 0.95, "effective": effective}
    )
