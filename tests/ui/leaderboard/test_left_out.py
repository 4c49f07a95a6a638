"""Leaving one system out, in words and as a table."""

from __future__ import annotations

from curator.bank.questions import Question
from curator.evaluation.impact import Impact, Move
from curator.evaluation.settings import Settings
from curator.ui.leaderboard.left_out import table_html
from curator.ui.leaderboard.left_out_rows import left_out_rows, rests_on
from curator.verbs.curate.leave_one_out import LeftOut

SETTINGS = Settings("embedding", "cover", 4, 20)


def left_out(system: str, *moves: tuple[str, int, int], questions: int = 1) -> LeftOut:
    return LeftOut(
        system,
        20,
        tuple(Question(f"q/{n}", "q", f"What of {n}?") for n in range(questions)),
        Impact(
            SETTINGS,
            0,
            (),
            tuple(Move(name, 0.5, 0.4, before, after) for name, before, after in moves),
            1,
            1,
        ),
    )


def test_a_systems_own_rank_stands_apart_from_the_others_moves() -> None:
    (row,) = left_out_rows(
        [left_out("alpha", ("alpha", 1, 2), ("beta", 2, 1), ("gamma", 3, 3))]
    )
    assert (row.questions, row.rank, row.others) == (1, "1 → 2", "beta 2 → 1")


def test_where_nothing_moves_that_is_said() -> None:
    (row,) = left_out_rows([left_out("alpha", ("alpha", 1, 1), ("beta", 2, 2))])
    assert (row.rank, row.others) == ("1", "no rank changes")


def test_more_movers_than_fit_are_counted() -> None:
    moves = [(f"s{n}", n, n + 1) for n in range(1, 10)]
    (row,) = left_out_rows([left_out("alpha", ("alpha", 12, 12), *moves)])
    assert row.others.endswith("and 3 more")  # by hand: 9 movers, 6 named


def test_the_sentence_counts_questions_that_favour_one_system() -> None:
    found = [left_out("alpha", questions=2), left_out("beta")]
    assert rests_on(found, 5).startswith(
        "5 kept questions were proposed from a passage; 3 of them from one that a "
        "single system has in its top 20."
    )


def test_names_are_inert() -> None:
    html = table_html(left_out_rows([left_out("<b>", ("<i>", 1, 2), ("<b>", 2, 1))]))
    assert "&lt;b&gt;" in html
    assert "&lt;i&gt; 1 → 2" in html
    assert "<b>" not in html
    assert table_html(()) == ""
