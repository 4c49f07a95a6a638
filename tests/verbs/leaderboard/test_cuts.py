"""The rating from which graders of every kind call a passage relevant."""

from __future__ import annotations

import json
from pathlib import Path

import ir_measures
import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from curator.errors import EvaluationError
from curator.evaluation.agreement import level_agreement
from curator.workspace import Workspace
from tests.samples.command_line import json_of, run
from tests.samples.workspaces import graded_file, graded_passage

PASSAGES = [f"p{at}" for at in range(12)]
LABELS = [3, 3, 2, 2, 1, 1, 0, 0, 3, 2, 1, 0]
JUDGMENTS = [3, 2, 3, 1, 1, 0, 0, 2, 3, 2, 0, 0]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve passages of one query, judged 0 to 3 and labelled 0 to 3 by a model."""
    folder = tmp_path_factory.mktemp("judged")
    texts = [{"passage_id": one, "text": f"Text of {one}."} for one in PASSAGES]
    (folder / "passages.jsonl").write_text("\n".join(map(json.dumps, texts)))
    (folder / "queries.jsonl").write_text('{"query_id": "q", "title": "What?"}')
    for name, grades in (("judgments", JUDGMENTS), ("labels", LABELS)):
        lines = [f"q 0 {p} {g}" for p, g in zip(PASSAGES, grades, strict=True)]
        (folder / f"{name}.qrels").write_text("\n".join(lines))
    for name, order in (("a", PASSAGES), ("b", PASSAGES[::-1])):
        lines = [f"q Q0 {p} {r} {20 - r} {name}" for r, p in enumerate(order, 1)]
        (folder / f"{name}.run").write_text("\n".join(lines))
    with Workspace.open(folder / "w.db", create=True) as workspace:
        workspace.import_(
            queries=folder / "queries.jsonl",
            passages=folder / "passages.jsonl",
            runs=[folder / "a.run", folder / "b.run"],
            judgments=folder / "judgments.qrels",
            labels={"umbrela": folder / "labels.qrels"},
            min_relevance=2,
        )
    return folder / "w.db"


@pytest.mark.parametrize("cut", [None, 0, 2])
def test_every_command_cuts_a_direct_graders_labels_at_the_same_place(
    judged: Path, tmp_path: Path, cut: int | None
) -> None:
    given = [] if cut is None else ["--min-rating", cut]
    held = 1 if cut is None else cut
    found = json_of("agreement", judged, *given)
    ours, theirs = np.array(LABELS) >= held, np.array(JUDGMENTS) >= 2
    assert found["settings"]["min_rating"] == held
    assert found["table"][1] == [
        int((ours & ~theirs).sum()),
        int((ours & theirs).sum()),
    ]
    if 0 < ours.sum() < len(ours):
        assert found["kappa"] == pytest.approx(cohen_kappa_score(ours, theirs))
    tables = json_of("agreement", judged, "--tables", *given)
    assert tables["binary"]["min_rating"] == held
    assert tables["binary"]["kappa"] == found["kappa"]
    run("export", judged, "--qrels", tmp_path / "b.qrels", "--binary", *given)
    qrels = [*ir_measures.read_trec_qrels(str(tmp_path / "b.qrels"))]
    assert [one.relevance for one in qrels] == [
        int(label >= held) for _, label in sorted(zip(PASSAGES, LABELS, strict=True))
    ]
    board = json_of("leaderboard", judged, "-m", "P@5", *given)
    assert board["settings"]["min_rating"] == held
    runs = {"a": PASSAGES[:5], "b": PASSAGES[:-6:-1]}
    for one in board["systems"]:
        relevant = [LABELS[PASSAGES.index(p)] >= held for p in runs[one["system"]]]
        assert one["score"] == pytest.approx(sum(relevant) / 5)


@pytest.mark.parametrize(
    "command",
    ["leaderboard -m P@5", "agreement --tables", "export --binary --qrels x.qrels"],
)
def test_a_cut_outside_the_graders_levels_is_one_line(
    judged: Path, command: str
) -> None:
    name, *options = command.split()
    result = run(name, judged, *options, "--min-rating", 4, code=1)
    assert "min-rating is 4; umbrela gives ratings from 0 to 3" in result.stderr


def test_a_grader_that_only_answers_has_no_rating_of_2(tmp_path: Path) -> None:
    passage = graded_passage("p", "q", {"q/a": 1}, ranks={"a": 1})
    for grade in passage["exam_grades"]:
        del grade["self_ratings"]
        grade["prompt_info"] = {"prompt_class": "Answers", "check_answer_key": True}
    file = graded_file(tmp_path / "g.jsonl", {"q": [passage]})
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        workspace.import_(autograder=file)
        assert [one.kind for one in workspace.graders()] == ["keyed"]
        assert workspace.settings().min_rating == 1
        assert workspace.leaderboard("cover", min_rating=1).scores() == {"a": 1.0}
        with pytest.raises(EvaluationError, match="ratings from 0 to 1"):
            workspace.settings(min_rating=2)


LEVELS = st.integers(0, 4)


@given(st.lists(st.tuples(LEVELS, LEVELS), min_size=2, max_size=40))
def test_agreement_over_levels_is_that_of_scikit_learn_and_krippendorff(
    pairs: list[tuple[int, int]],
) -> None:
    first, second = zip(*pairs, strict=True)
    assume(len({*first, *second}) > 1)
    assume(len({*first}) > 1 or len({*second}) > 1)
    table = np.zeros((5, 5))
    np.add.at(table, (np.array(first), np.array(second)), 1)
    found = level_agreement(table)
    for weights in ("linear", "quadratic"):
        expected = cohen_kappa_score(first, second, labels=range(5), weights=weights)
        assert getattr(found, f"{weights}_kappa") == pytest.approx(expected)
    assert found.ordinal_alpha == pytest.approx(
        krippendorff.alpha(
            reliability_data=[first, second], level_of_measurement="ordinal"
        )
    )
