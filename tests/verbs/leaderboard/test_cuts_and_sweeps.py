"""The rating from which graders call a passage relevant, one by one and swept."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import ir_measures
import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from curator.evaluation.agreement import level_agreement
from curator.workspace import Workspace
from tests.samples.command_line import json_of, run
from tests.samples.workspaces import (
    RATED,
    graded_file,
    graded_passage,
    question_bank,
    run_file,
    write_lines,
)

PASSAGES = [f"p{at}" for at in range(12)]
LABELS = [3, 3, 2, 2, 1, 1, 0, 0, 3, 2, 1, 0]
JUDGMENTS = [3, 2, 3, 1, 1, 0, 0, 2, 3, 2, 0, 0]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve passages of one query, judged 0 to 3 and labelled 0 to 3 by a model."""
    folder = tmp_path_factory.mktemp("judged")
    passages = [
        graded_passage(
            *(name, "q", {}),
            ranks={"a": at + 1, "b": len(LABELS) - at},
            judgment=JUDGMENTS[at],
            llm="umbrela",
            direct=LABELS[at],
        )
        for at, name in enumerate(PASSAGES)
    ]
    with Workspace.open(folder / "w.db", create=True) as workspace:
        graded = graded_file(folder / "graded.jsonl", {"q": passages})
        workspace.import_(autograder=graded, min_relevance=2)
    return folder / "w.db"


@pytest.mark.parametrize("cut", [None, 0, 2])
def test_every_command_cuts_labels_alike(
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


# Highest ratings: p1 5, p2 4, p3 2, p4 0. Judged 2, 0, 2, 0; relevant from 2.
RATINGS = {"p1": (5, 1), "p2": (0, 4), "p3": (2, 2), "p4": (0, 0)}


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two questions, four passages, three systems and a direct grader's grades."""
    folder = tmp_path_factory.mktemp("rated")
    questions = {"q1/a": "Why is it?", "q1/b": "When is it?"}
    # Direct grades 3, 0, 1, 0: right about every passage.
    passages = [
        graded_passage(
            name, "q1", dict(zip(questions, ratings, strict=True)), direct=direct
        )
        for direct, (name, ratings) in zip((3, 0, 1, 0), RATINGS.items(), strict=True)
    ]
    runs = folder / "runs"
    runs.mkdir()
    run_file(runs / "a.run", {"q1": ["p1"]}, "a")
    run_file(runs / "b.run", {"q1": ["p2", "p4"]}, "b")
    run_file(runs / "c.run", {"q1": ["p3"]}, "c")
    qrels = folder / "judgments.qrels"
    qrels.write_text("q1 0 p1 2\nq1 0 p2 0\nq1 0 p3 2\nq1 0 p4 -1\n")
    official = folder / "official.json"
    official.write_text(json.dumps({"a": 1, "c": 2, "b": 3}))
    path = folder / "rated.db"
    with Workspace.open(path, create=True, judge="ann") as workspace:
        workspace.import_(
            queries=write_lines(
                folder / "queries.jsonl", [{"query_id": "q1", "text": "What is it?"}]
            ),
            bank=question_bank(folder / "bank.jsonl", {"q1": questions}),
            autograder=graded_file(folder / "graded.jsonl", {"q1": passages}),
            runs=runs,
            judgments=qrels,
            official=official,
            min_relevance=2,
        )
    return path


@pytest.mark.parametrize("against", ["official", "judgments:P@1"])
def test_a_sweep_is_correlate_at_each_minimum_rating(rated: Path, against: str) -> None:
    with Workspace.open(rated) as workspace:
        rows = workspace.sweep(["cover"], grader="fake-llm/R", against=against)
        found = {row.settings.min_rating: row.correlation for row in rows}
        assert list(found) == [1, 2, 3, 4, 5]
        for rating, at in found.items():
            assert at == workspace.correlate(
                grader=RATED, measure="cover", min_rating=rating, against=against
            )
        # by hand: covers of a, b, c are 1, 1/2, 1 from 1 on and 1/2, 0, 0 from 5 on;
        # against a, c, b the tau_b of 1 = 1 < 3 is 2/sqrt(2*3), that of 1 < 2 = 2 too
        for rating in (1, 5):
            if against == "official":
                assert found[rating].kendall == pytest.approx((2 / 3) ** 0.5)


def test_the_tables_are_printed_as_the_paper_lays_them_out(rated: Path) -> None:
    printed = run("agreement", rated, "--tables", "--grader", RATED, "--format", "tsv")
    lines = printed.output.splitlines()
    assert lines[:3] == ["label\tjudged 2\tjudged 0\ttotal", "5\t1\t0\t1", "4\t0\t1\t1"]
    assert "1+2+3+4+5\t2\t1\t3\t0.5" in lines
    assert lines[-1] == "fake-llm/Direct\t1\t1.0\t4"
    value = json_of("agreement", rated, "--tables")
    assert value["lenient"]["counts"] == [[2, 1], [0, 1]]
    assert value["comparison"] == {"fake-llm/Direct": 1.0}


@pytest.mark.parametrize(
    "kind", ["sweep", "scatter", "bump", "systems", "correlations", "topics"]
)
def test_figures_are_written_as_svg(rated: Path, tmp_path: Path, kind: str) -> None:
    file = tmp_path / "figure.svg"
    run("figure", rated, kind, file, "-m", "P@1", "--system", "a")
    assert ElementTree.parse(file).getroot().tag.endswith("svg")
