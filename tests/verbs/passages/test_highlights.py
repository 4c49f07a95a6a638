"""Highlights of several annotators: their grades, and agreement word by word.

The hand-made collection: p1 of q1 is "Because. " and more, p2 "Text of p2.".
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from curator.bank.marks import Ideal
from curator.errors import EvaluationError
from curator.verbs.passages.rouge_agreement import highlighted
from curator.workspace import Workspace
from tests.samples.command_line import json_of, run

TEXT = "One two three four five six."


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Query q with passages d (TEXT) and e, of the same text but for its end."""
    run_file = tmp_path / "a.run"
    run_file.write_text("q Q0 d 1 2 a\nq Q0 e 2 1 a\n")
    passages = tmp_path / "passages.tsv"
    passages.write_text(f"d\t{TEXT}\ne\t{TEXT} Seven.\n")
    made = tmp_path / "made.db"
    with Workspace.open(made, create=True) as workspace:
        workspace.import_(runs=run_file, passages=passages)
    return made


@pytest.fixture
def workspace(path: Path) -> Iterator[Workspace]:
    with Workspace.open(path, judge="ann") as opened:
        yield opened


def row(passage: str, start: int, end: int, judge: str, grade: object) -> dict:
    return {
        "query_id": "q",
        "passage_id": passage,
        "start": start,
        "end": end,
        "judge": judge,
        "grade": grade,
    }


ROWS = [
    row("d", 0, 13, "ann", "perfect"),  # One two three
    row("d", 4, 13, "bob", 2),  # two three
    row("e", 14, 18, "bob", "fair"),  # four
]


def test_highlights_of_a_file(workspace: Workspace, path: Path, tmp_path: Path) -> None:
    table = tmp_path / "marks.csv"
    table.write_text(
        "query_id,passage_id,start,end,judge,grade\n"
        "q,d,0,13,ann,perfect\nq,d,4,13,bob,2\nq,e,14,18,bob,Fair\n"
    )
    found = json_of("ideals", path, "--record", table)["ideals"]
    assert [(one["text"], one["judge"], one["grade"]) for one in found] == [
        ("One two three", "ann", 4),
        ("two three", "bob", 2),
        ("four", "bob", 1),
    ]
    again = workspace.record_ideals(ROWS)
    assert (again.recorded, again.unchanged) == (0, 3)
    # Another grade replaces the first, and undo gives it back.
    regraded = tmp_path / "regraded.jsonl"
    regraded.write_text(json.dumps(row("d", 0, 13, "ann", 3)))
    run("ideals", path, "--record", regraded)
    assert Ideal("d", 0, 13, "ann", 3) in workspace.bank().ideals_of("q")
    workspace.undo()
    assert Ideal("d", 0, 13, "ann", 4) in workspace.bank().ideals_of("q")


def test_agreement_word_by_word(workspace: Workspace, path: Path) -> None:
    workspace.record_ideals(ROWS)
    workspace.mark_ideals("q", "d", [(0, 3)])  # of nobody's annotation
    (found,) = workspace.word_agreement()
    # By hand: 6 words of d and 7 of e; ann has 3, bob 2 and 1, both "two three".
    assert (found.passages, found.words) == (2, 13)
    assert (found.by_first, found.by_second, found.by_both) == (3, 3, 2)
    ann, bob = [1, 1, 1, *[0] * 10], [0, 1, 1, *[0] * 6, 1, 0, 0, 0]
    assert found.kappa == pytest.approx(cohen_kappa_score(ann, bob))


@given(st.text("ab, ", max_size=30), st.integers(0, 30), st.integers(1, 10))
def test_characters_highlight_their_word(text: str, start: int, length: int) -> None:
    found = highlighted(text, [Ideal("p", start, start + length)])
    expected, at = [], 0
    for word in text.replace(",", " ").split():
        at = text.index(word, at)
        expected.append(
            bool({*range(at, at + len(word))} & {*range(start, start + length)})
        )
        at += len(word)
    assert np.array_equal(found, expected)


def test_rouge_of_highlights(workspace: Workspace, path: Path) -> None:
    workspace.record_ideals(
        [
            row("d", 0, 13, "ann", 4),  # One two three
            row("d", 4, 18, "bob", 4),  # two three four: overlaps the first
            row("e", 0, 13, "bob", 2),  # One two three, in another passage
            row("e", 14, 23, "bob", 3),  # four five
            row("e", 4, 18, "ann", 1),  # two three four
            row("e", 24, 27, "ann", 2),  # six
        ]
    )
    every = workspace.rouge_agreement(highlights=True, sample=[4], share=1.0)
    # Those of grade 4 are the ideal answers; what has their words is left out.
    assert (every.ideals, every.queries) == (2, 1)
    scores = {one.passage_id: one.scores[0] for one in every.passages}
    grades = {one.passage_id: one.judgment for one in every.passages}
    assert grades == {"e [14:23]": 3, "e [24:27]": 2}
    # By hand, ROUGE-1 precision, without stop words: "four" of "four five", no "six".
    assert scores == {"e [14:23]": 0.5, "e [24:27]": 0.0}
    with pytest.raises(EvaluationError, match="judgments here are 1, 2, 3, 4"):
        workspace.rouge_agreement(highlights=True, sample=[5])
