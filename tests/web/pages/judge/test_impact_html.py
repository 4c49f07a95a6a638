"""The right column's HTML: escaped, said in words, and only what survives a page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path

import pytest

from curator import Workspace
from curator.bank.edits import Retire
from curator.evaluation.impact import Impact, SystemMove
from curator.evaluation.leaderboard import BoardRow, Leaderboard
from curator.evaluation.settings import Settings
from curator.web.components.view import View
from curator.web.pages.judge import page_state as page_states
from curator.web.pages.judge.slope import slope_html
from curator.web.pages.judge.small_board import Compared, board_after, board_html
from tests.samples.hand_made import hand_made_workspace

HARM = '<script>"&'
SETTINGS = Settings("g", "P@20")
IMPACT = Impact(
    SETTINGS,
    0,
    (),
    (
        SystemMove(HARM, 0.4, 0.5, 2, 1),
        SystemMove("b", 0.5, 0.4, 1, 2),
        SystemMove("c", 0.1, 0.1, 3, 3),
    ),
    1,
    1,
    within_noise=frozenset({"b"}),
)


class Tags(HTMLParser):
    """Every tag opened, with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize(
    "drawn",
    [
        slope_html(IMPACT),
        board_html("Board", HARM, Compared(board_after(IMPACT), IMPACT)),
    ],
)
def test_names_do_nothing(drawn: str) -> None:
    assert "<script" not in drawn
    assert "&lt;script&gt;&#34;&amp;" in drawn
    # Streamlit's page takes these out, and with them whatever they would show.
    assert not {"svg", "script", "path"} & {tag for tag, _ in Tags(drawn).found}


def test_the_plot_is_one_picture_with_its_words() -> None:
    (pictures,) = [
        attributes
        for tag, attributes in Tags(slope_html(IMPACT)).found
        if tag == "div" and attributes.get("role") == "img"
    ]
    assert pictures["aria-label"] == (
        f"Ranks before and after: {HARM} rises from 2 to 1; b falls from 1 to 2; "
        "1 system not moving."
    )


def test_arrows_say_their_direction_and_noise_its_name() -> None:
    drawn = board_html("Board", "", Compared(board_after(IMPACT), IMPACT))
    labels = [a["aria-label"] for _, a in Tags(drawn).found if "aria-label" in a]
    assert labels == ["up", "down"]
    assert drawn.count("within </span>noise") == 1
    assert "nan" not in drawn.lower()


def test_a_solo_plot_is_dashed() -> None:
    assert "c-dashed" in slope_html(IMPACT, solo=True)
    assert "c-dashed" not in slope_html(IMPACT)


def test_moves_too_close_to_be_named_are_counted_below() -> None:
    moves = tuple(
        SystemMove(f"s{i}", 0.5, 0.5, i + 1, (i + 1) % 60 + 1) for i in range(60)
    )
    drawn = slope_html(Impact(Settings("g"), 0, (), moves, 1, 1))
    assert "are drawn without a name." in drawn


# The page


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.open(hand_made_workspace(tmp_path / "made"), judge="ann") as opened:
        yield opened


def test_a_desk_compares_this_query_and_all_queries(workspace: Workspace) -> None:
    workspace.apply(Retire("q1/a"))
    page = page_states.load(workspace, View(query="q1", measure="cover"))
    assert page.selected is not None
    overall, here = page.selected.overall.impact, page.selected.here.impact
    assert overall is not None
    assert here is not None
    # by hand: over q1 and q2 "one" falls from 1/3 to 1/4, in q1 from 2/3 to 1/2
    everywhere = {m.system: m.score_after for m in overall.moves}
    assert everywhere == {"one": 0.25, "two": 0.25}
    assert {m.system: m.score_after for m in here.moves} == {"one": 0.5, "two": 0.5}
    assert page.solo is None
    assert {one.question_id for one in page.what_ifs} == {"q1/b", "q1/c"}


def test_a_desk_has_solo_where_the_view_asks_for_it(workspace: Workspace) -> None:
    asked = View(query="q1", measure="cover", question="q1/c", solo=True)
    page = page_states.load(workspace, asked)
    assert page.solo is not None
    assert page.solo.board.ranks() == {"one": 2, "two": 1}
    elsewhere = page_states.load(
        workspace, View(query="q2", question="q1/c", solo=True)
    )
    assert elsewhere.solo is None


# The small board


def rows_of(drawn: str) -> list[list[str]]:
    """The texts of a board's cells, row by row; those folded away as well."""
    rows = re.findall("<tr[^>]*>(.*?)</tr>", drawn, re.DOTALL)
    cells = [re.findall(r"<t[dh]\b[^>]*>(.*?)</t[dh]>", row, re.DOTALL) for row in rows]
    return [[re.sub("<[^>]*>", "", cell) for cell in row] for row in cells[1:]]


def standing(system: str, rank: int, score: float, **more: float | None) -> BoardRow:
    given: dict[str, float | None] = {"lower": score, "upper": score, **more}
    return BoardRow(system, rank, score, 0.01, given["lower"], given["upper"], 1.0)


def impact_of(*moves: SystemMove, missing: int = 0, noise: str = "") -> Impact:
    noisy = frozenset(noise.split())
    return Impact(SETTINGS, missing, (), moves, 2, 2, within_noise=noisy)


def small_board(
    standings: Sequence[BoardRow],
    impact: Impact | None = None,
    *,
    known: int = 4,
    shown: int | None = None,
) -> str:
    board = Leaderboard(SETTINGS, 2, 4, known, tuple(standings))
    return board_html("Board", "", Compared(board, impact), shown)


def test_movers_stand_first_and_the_rest_in_rank_order() -> None:
    moved = impact_of(
        SystemMove("a", 0.9, 0.9, 1, 1),
        SystemMove("b", 0.7, 0.8, 3, 2),
        SystemMove("c", 0.8, 0.7, 2, 3),
        SystemMove("d", 0.6, 0.6, 4, 4),
    )
    standings = [standing(s, r, 1 - r / 10) for r, s in enumerate("abcd", 1)]
    drawn = small_board(standings, moved, shown=3)
    assert [row[:2] for row in rows_of(drawn)] == [
        ["2▲1", "b"], ["3▼1", "c"], ["1–", "a"], ["4–", "d"]
    ]  # fmt: skip
    assert "<summary>1 more</summary>" in drawn


def test_an_incomplete_board_has_bounds_and_no_arrows() -> None:
    moved = impact_of(SystemMove("a", 0.5, 0.5, 2, 1), missing=1)
    drawn = small_board([standing("a", 1, 0.5, upper=0.75)], moved, known=3)
    assert "c-bounded" in drawn
    assert rows_of(drawn) == [["1", "a", ".500–.750", "", ""]]


def test_one_far_off_system_does_not_stretch_the_axis() -> None:
    standings = [standing(f"s{i}", i + 1, 0.7 - i / 100) for i in range(12)]
    drawn = small_board([*standings, standing("far", 13, 0.01)])
    assert '"c-axis"><span>.58</span>' in drawn  # by hand: 0.7 - 0.11 - 0.01
    assert drawn.rpartition("far</span>")[2].count('<b style="left:0.0%">') == 1


BOUNDED = (
    standing("a", 1, 0.9),
    standing("b", 2, 0.674, upper=0.677),
    standing("c", 3, 0.67, upper=0.7),
)


def test_where_grades_are_missing_a_rank_is_a_range() -> None:
    drawn = small_board(BOUNDED, impact_of(missing=1), known=3)
    # By hand: a is ahead of both whatever comes; c may be ahead of b or behind.
    assert [(row[0], row[2]) for row in rows_of(drawn)] == [
        ("1", ".900"), ("2–3", ".674–.677"), ("2–3", ".670–.700")
    ]  # fmt: skip
    assert "missing grades may make of it" in drawn


def test_a_measure_without_bounds_shows_about_where_a_system_stands() -> None:
    drawn = small_board([BoardRow("a", 3, 0.5, None, None, None, 1.0)], known=3)
    assert rows_of(drawn) == [["≈ 3", "a", "≈ .500", "", ""]]
    assert "Lowest if" not in drawn


def test_a_move_within_noise_is_hollow() -> None:
    moved = impact_of(
        SystemMove("a", 0.5, 0.4, 1, 2), SystemMove("b", 0.4, 0.5, 2, 1), noise="b"
    )
    drawn = board_html("Board", "", Compared(board_after(moved), moved))
    assert re.findall('<tr class="([^"]*)"', drawn) == ["c-moved c-hollow", "c-moved"]


def test_of_many_movers_some_are_folded_away_and_counted() -> None:
    found = impact_of(*(SystemMove(f"s{i}", 0.5, 0.4, i + 1, i + 2) for i in range(30)))
    compared = Compared(board_after(found), found)
    assert "18 more, 18 of them moved" in board_html("Board", "", compared, 10)
    assert "<details>" not in board_html("Board", "", compared)


def test_the_later_board_of_an_impact_is_complete_only_with_its_grades() -> None:
    moves = (SystemMove("a", 0.5, 0.4, 1, 2), SystemMove("b", 0.4, 0.5, 2, 1))
    board = board_after(impact_of(*moves))
    assert board.complete
    assert board.ranks() == {"a": 2, "b": 1}
    assert not board_after(impact_of(*moves, missing=2)).complete
