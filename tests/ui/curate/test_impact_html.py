"""The right column's HTML: escaped, said in words, and only what survives a page."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from curator import Workspace
from curator.bank.edits import Retire
from curator.evaluation.impact import Impact, Move
from curator.evaluation.settings import Settings
from curator.ui.curate import page_state as page_states
from curator.ui.curate.changed_passages import LISTED, passages_html
from curator.ui.curate.changed_rows import PassageRow
from curator.ui.curate.page_state import Compared
from curator.ui.curate.slope import slope_html
from curator.ui.curate.small_board import board_html
from curator.ui.shared.board_rows import board_after
from curator.ui.shared.view import View
from tests.samples.hand_made import hand_made_workspace

HARM = '<script>"&'
IMPACT = Impact(
    Settings("g", "P@20"),
    0,
    (),
    (Move(HARM, 0.4, 0.5, 2, 1), Move("b", 0.5, 0.4, 1, 2), Move("c", 0.1, 0.1, 3, 3)),
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
    assert "&lt;script&gt;&quot;&amp;" in drawn
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
        "1 system does not move."
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
    moves = tuple(Move(f"s{i}", 0.5, 0.5, i + 1, (i + 1) % 60 + 1) for i in range(60))
    drawn = slope_html(Impact(Settings("g"), 0, (), moves, 1, 1))
    assert "are drawn without a name." in drawn


def test_of_many_changed_passages_the_first_are_seen_and_all_are_counted() -> None:
    rows = tuple(PassageRow(f"p{i}", "5", "0", "down", "", False) for i in range(150))
    drawn = passages_html(rows, "", {"p0": HARM})
    assert drawn.count('data-pick="passage:p') == LISTED
    assert f"140 more, {LISTED - 10} of them here" in drawn
    assert "<script" not in drawn
    assert 'aria-label="down"' in drawn


# The page


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.open(hand_made_workspace(tmp_path / "made"), judge="ann") as opened:
        yield opened


def test_a_desk_compares_this_query_and_all_queries(workspace: Workspace) -> None:
    workspace.apply(Retire("q1/a"))
    page = page_states.load(workspace, View(query="q1", measure="cover"))
    assert page is not None
    assert page.selected is not None
    assert page.selected.impact is not None
    assert page.here is not None
    assert page.here.impact is not None
    # by hand: over q1 and q2 "one" falls from 1/3 to 1/4, in q1 from 2/3 to 1/2
    everywhere = {m.system: m.score_after for m in page.selected.impact.moves}
    here = {m.system: m.score_after for m in page.here.impact.moves}
    assert everywhere == {"one": 0.25, "two": 0.25}
    assert here == {"one": 0.5, "two": 0.5}
    assert page.solo is None
    assert {one.question_id for one in page.what_ifs} == {"q1/b", "q1/c"}


def test_a_desk_has_solo_where_the_view_asks_for_it(workspace: Workspace) -> None:
    asked = View(query="q1", measure="cover", question="q1/c", solo=True)
    page = page_states.load(workspace, asked)
    assert page is not None
    assert page.solo is not None
    assert page.solo.board.ranks() == {"one": 2, "two": 1}
    elsewhere = page_states.load(
        workspace, View(query="q2", question="q1/c", solo=True)
    )
    assert elsewhere is not None
    assert elsewhere.solo is None
