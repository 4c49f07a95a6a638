"""Leaving one system out, in words and as a table."""

from __future__ import annotations

from curator.bank.questions import Question
from curator.evaluation.impact import Impact, SystemMove
from curator.evaluation.settings import Settings
from curator.tables.curate import own_question_table
from curator.tables.table import html_of
from curator.verbs.curate.leave_one_out import LeaveOneOut
from curator.web.pages.results.sentences import own_questions

SETTINGS = Settings("embedding", "cover", 4, 20)


def left_out(
    system: str, *moves: tuple[str, int, int], questions: int = 1
) -> LeaveOneOut:
    return LeaveOneOut(
        system,
        20,
        tuple(Question(f"q/{n}", "q", f"What of {n}?") for n in range(questions)),
        Impact(
            SETTINGS,
            0,
            (),
            tuple(
                SystemMove(name, 0.5, 0.4, before, after)
                for name, before, after in moves
            ),
            1,
            1,
        ),
    )


def cells(*rows: LeaveOneOut) -> str:
    return html_of(own_question_table(rows), "c-full").partition("<tbody>")[2]


def test_a_systems_own_rank_stands_apart_from_the_others_moves() -> None:
    moves = ("alpha", 1, 2), ("beta", 2, 1), ("gamma", 3, 3)
    assert (
        '<td>1</td><th scope="row">alpha<small>beta 2 → 1</small></th><td>1 → 2</td>'
        in cells(left_out("alpha", *moves))
    )


def test_where_nothing_moves_that_is_said() -> None:
    shown = cells(left_out("alpha", ("alpha", 1, 1), ("beta", 2, 2)))
    assert "<small>no rank changes</small></th><td>1</td>" in shown


def test_more_movers_than_fit_are_counted() -> None:
    moves = [(f"s{n}", n, n + 1) for n in range(1, 10)]
    shown = cells(left_out("alpha", ("alpha", 12, 12), *moves))
    assert "and 3 more</small>" in shown  # by hand: 9 movers, 6 named


def test_the_sentence_counts_questions_that_favour_one_system() -> None:
    found = [left_out("alpha", questions=2), left_out("beta")]
    assert own_questions(found, 5) == (
        "5 kept questions were proposed from a passage; 3 of them from one that a "
        "single system has in its top 20. Without a system’s own questions:"
    )
    assert own_questions([], 5).endswith("in its ranking.")


def test_names_are_inert() -> None:
    shown = cells(left_out("<b>", ("<i>", 1, 2), ("<b>", 2, 1)))
    assert "&lt;b&gt;" in shown
    assert "&lt;i&gt; 1 → 2" in shown
    assert "<b>" not in shown
