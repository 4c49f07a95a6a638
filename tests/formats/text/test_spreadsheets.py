"""Tables that people open in spreadsheets: texts stay texts, and numbers numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.bank.edits import Reword
from curator.formats.text.spreadsheets import (
    QUESTION_COLUMNS,
    plain,
    unmarked,
)
from tests.samples.workspaces import small_workspace


@given(st.text(alphabet="'=+-@\tab", max_size=6))
def test_every_text_is_harmless_and_comes_back(text):
    assert not plain(text).startswith(("=", "+", "-", "@", "\t", "\r"))
    assert unmarked(plain(text)) == text


def test_pandas_reads_the_values_that_the_board_and_the_bank_have(tmp_path):
    pandas = pytest.importorskip("pandas")
    with small_workspace(tmp_path) as workspace:
        workspace.apply(Reword("q1/a", '=HYPERLINK("x"), or "not"?'))
        workspace.export("bank", tmp_path / "bank.csv")
        workspace.export("leaderboard", tmp_path / "board.csv", allow_partial=True)
        scores = workspace.leaderboard().scores()
        exam = workspace.leaderboard("cover").scores()
        texts = [question.text for question in workspace.bank()]
    board = pandas.read_csv(tmp_path / "board.csv", index_col="method")
    assert {name: board["nDCG@10"][name] for name in scores} == scores
    assert {name: board.exam[name] for name in exam} == exam
    bank = pandas.read_csv(tmp_path / "bank.csv")
    assert list(bank.columns) == list(QUESTION_COLUMNS)
    assert [unmarked(text) for text in bank.text] == texts
    assert bank.text[0].startswith("'=HYPERLINK")
    assert set(bank.state) == {"kept"}
