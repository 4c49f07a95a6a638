"""The impact in words: overtakes, what-ifs, solo, and what others did since."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from curator.bank.edits import Change
from curator.bank.questions import Question
from curator.evaluation.impact import Impact, LabelChange, Overtake, SystemMove
from curator.evaluation.influence import Preview
from curator.evaluation.leaderboard import BoardRow, Leaderboard
from curator.evaluation.settings import Settings
from curator.store.history import Event
from curator.tables.leaderboard import leaderboard_table
from curator.web.components.words import plain
from curator.web.pages.judge import impact_words
from curator.web.pages.judge.question_list import preview_data

SETTINGS = Settings("g", "P@20")
MOVED = (SystemMove("a", 0.5, 0.4, 1, 2), SystemMove("b", 0.4, 0.5, 2, 1))
STAYED = (SystemMove("a", 0.5, 0.45, 1, 1), SystemMove("b", 0.4, 0.4, 2, 2))


def what_if(labels_fall: int, *board: object) -> Preview:
    """What a retirement does, the board's fields in their order."""
    names = [field.name for field in fields(Preview)][7:]  # of the board
    more = dict(zip(names, board, strict=True))
    return Preview("q/1", labels_fall=labels_fall, **more)  # type: ignore[arg-type]


def impact_of(*moves: SystemMove, missing: int = 0, noise: str = "") -> Impact:
    labels = (LabelChange("q", "p", 4, 0),)
    return Impact(
        SETTINGS, missing, labels, moves, 2, 2, within_noise=frozenset(noise.split())
    )


def said_of(found: Impact, **more: object) -> str:
    return plain(impact_words.impact_sentence(found, (), {}, against="x", **more))  # type: ignore[arg-type]


def test_where_no_rank_moves_the_nearest_overtake_is_named() -> None:
    assert said_of(impact_of(*STAYED)).endswith(
        "1 label falls, no rank moves. 1 score changes; nearest overtake: b over a, "
        ".0500 away."
    )


@pytest.mark.parametrize(
    ("gap", "shown"),
    [(0.0004, ".0004"), (0.00002, "<.0001")],
)
def test_a_gap_is_never_shown_as_nothing(gap: float, shown: str) -> None:
    found = impact_of(
        SystemMove("a", 0.6, 0.5, 1, 1), SystemMove("b", 0.4, 0.5 - gap, 2, 2)
    )
    assert f", {shown} away." in said_of(found)


def test_where_everybody_ties_there_is_no_overtake_to_name() -> None:
    found = impact_of(SystemMove("a", 0.5, 0.4, 1, 1), SystemMove("b", 0.5, 0.4, 1, 1))
    assert said_of(found).endswith("no rank moves. 2 scores change.")


def test_nothing_at_all_is_said_in_one_sentence() -> None:
    same = (SystemMove("a", 0.5, 0.5, 1, 1), SystemMove("b", 0.4, 0.4, 2, 2))
    found = Impact(SETTINGS, 0, (), same, 2, 2)
    assert said_of(found) == "Nothing changed since x."


def test_a_retirement_not_made_yet_reads_like_one_that_was() -> None:
    one = what_if(14, MOVED, 2, None, 0.763, 0.768, 43, 43)
    assert plain(impact_words.preview_sentence(one)) == (
        "If retired: 14 labels fall, 2 systems move; largest a ▼1 (1 → 2). "
        "τ to official .763 → .768 ▲"
    )


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (
            what_if(0, (), 1, Overtake("b", "a", 0.0004), 0.7, 0.7, 43, 43),
            "If retired: no label changes, no rank moves. 1 score changes; nearest "
            "overtake: b over a, .0004 away. τ to official stays .700.",
        ),
        (
            what_if(1, (), 0, Overtake("b", "a", 0.1), None, None, 43, 43),
            "If retired: 1 label falls, no rank moves. No score changes.",
        ),
        (
            Preview("q/1", 215, labels_fall=3),
            "If retired: 3 labels fall, 215 grades missing, so ranks are not certain "
            "yet.",
        ),
        (Preview("q/1", labels_fall=3), "If retired: 3 labels fall."),
        (
            what_if(3, (), 0, None, None, None, 1, 0),
            "If retired: 3 labels fall, no rank moves. No score changes. The board "
            "rests on 0 queries, before on 1.",
        ),
    ],
)
def test_a_what_if_says_no_more_than_it_knows(one: Preview, said: str) -> None:
    assert plain(impact_words.preview_sentence(one)) == said


def test_the_largest_moves_are_rows_and_the_rest_a_number() -> None:
    movers = tuple(SystemMove(f"s{i}", 0.5, 0.4, 1, 9 - i) for i in range(6))
    shown = preview_data(Preview("q/1", movers=movers), "")
    assert shown["movers"][1] == {
        "rank": "8",
        "move": {"text": "▼7", "tone": "down"},
        "system": "s1",
        "score": ".400",
        "change": "−.1000",
    }
    assert (len(shown["movers"]), shown["more"]) == (4, "2 more systems")
    nobody = preview_data(Preview("q/1"), "")
    assert (nobody["movers"], nobody["more"]) == ([], "")


def test_solo_says_who_stands_elsewhere() -> None:
    question = Question("q/1", "q", "How is it?")
    found = Impact(SETTINGS, 0, (), MOVED, 1, 1)
    assert plain(impact_words.solo_sentence(found, question)) == (
        "Under “How is it?” alone, 2 systems move; largest b ▲1 (2 → 1)."
    )
    missing = Impact(SETTINGS, 7, (), MOVED, 1, 1)
    assert "7 grades missing" in plain(impact_words.solo_sentence(missing, question))
    closed = replace(missing, missing=0, missing_before=9)
    assert plain(impact_words.solo_sentence(closed, question)).endswith(
        "9 grades missing before, so ranks are not certain yet."
    )
    fewer = replace(missing, missing_before=9)  # said is how many are missing now
    assert "7 grades missing," in plain(impact_words.solo_sentence(fewer, question))


def test_without_an_edit_the_sentence_says_what_the_board_rests_on() -> None:
    board = Leaderboard(SETTINGS, 42, 4, 4, ())
    whole = impact_words.nothing_compared(board, queries=42, counts=True)
    assert plain(whole) == (
        "You have no edits in this query. The board rests on 42 queries."
    )
    empty = impact_words.nothing_compared(board, queries=43, counts=False)
    assert plain(empty) == (
        "P@20 does not count this query. The board rests on 42 of 43 queries."
    )


def event(
    number: int, before: str | None, after: str | None, query: str = "q"
) -> Event:
    questions = [
        None if text is None else Question("q/1", query, text)
        for text in (before, after)
    ]
    change = Change("edit", query, *questions)
    return Event(
        number, number, "2026-03-14T10:42:59+00:00", "ann", "edit", None, None, change
    )


# The board


def standing(system: str, rank: int, low: float, high: float) -> BoardRow:
    return BoardRow(system, rank, low, 0.01, low, high, 1.0)


def ranks_on_page(board: Leaderboard) -> list[object]:
    table = leaderboard_table(board)
    return [table.columns[0].shown(row, "page") for row in table.rows]


def test_the_whole_board_shows_the_same_ranges() -> None:
    standings = (
        standing("a", 1, 0.9, 0.9),
        standing("b", 2, 0.674, 0.677),
        standing("c", 3, 0.67, 0.7),
    )
    missing, complete = (Leaderboard(SETTINGS, 2, 4, n, standings) for n in (3, 4))
    # By hand: a is ahead of both whatever comes; c may be ahead of b or behind.
    assert ranks_on_page(missing) == ["1", "2–3", "2–3"]
    assert ranks_on_page(complete) == ["1", "2", "3"]
    unbounded = Leaderboard(
        SETTINGS, 2, 4, 3, (BoardRow("a", 3, 0.5, None, None, None, 1.0),)
    )
    assert ranks_on_page(unbounded) == ["≈ 3"]


def test_what_changed_without_a_visible_edit_is_not_called_nothing() -> None:
    assert said_of(impact_of(*MOVED)).startswith("Since x: 1 label falls")


def test_a_board_that_has_come_to_be_is_compared_with_none() -> None:
    new = Impact(SETTINGS, 0, (), (SystemMove("a", None, 0.5, None, 1),), 0, 3)
    assert said_of(new).endswith("The board rests on 3 queries, before on 0.")
