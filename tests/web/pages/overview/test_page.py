"""The Overview page: the first after opening."""

from __future__ import annotations

import re
from pathlib import Path

from streamlit.testing.v1 import AppTest

from curator.bank.edits import Add, Propose, Retire
from curator.bank.marks.done import Done
from curator.web.server import APP
from curator.workspace import Workspace
from tests.web.conftest import OpenApp, given, page_html


def test_an_address_without_parameters_opens_the_overview(
    open_app: OpenApp, hand_made: Path
) -> None:
    open_app(hand_made)  # says which workspace
    app = AppTest.from_file(str(APP), default_timeout=30).run()
    assert not app.exception
    assert '<h1 class="c-title">Overview' in page_html(app)


def test_the_page_says_where_the_bank_stands(
    open_app: OpenApp, hand_made: Path, at_once: None
) -> None:
    with Workspace.open(hand_made, judge="ann") as workspace:
        workspace.release("v1", "cover")
        workspace.apply(Retire("q1/a"), seconds=4.0)
        workspace.apply(Done("q1"))
        workspace.apply(Retire("q1/b"), by="ben")
    app = open_app(hand_made, "overview/page.py", measure="cover").run()
    html = page_html(app)
    assert "<b>1</b> untouched" in html
    assert "<b>1</b> changed since done" in html
    assert "Since v1" in html
    removed = html.partition("Since v1")[2].partition("</table>")[0]
    assert re.findall("<td>(.*?)</td>", removed)[:2] == ["0", "2"]
    assert '<th scope="row">ann</th>' in html
    assert "<td>4.0</td>" in html
    # By hand: c is left in q1, answered by p2 alone, which is judged not relevant.
    assert 'data-pick="on-curate:query=q1&amp;question=q1%2Fc"' in html
    first = html.index('data-pick="on-curate:')
    assert html.count('data-key="."') == 1
    assert first < html.index('data-key="."') < html.index("</li>", first)


def test_the_picture_has_a_bar_a_question_in_the_order_of_their_numbers(
    open_app: OpenApp, hand_made: Path
) -> None:
    with Workspace.open(hand_made, judge="ann") as workspace:
        workspace.apply(Retire("q1/c"))
        workspace.apply(Propose("q1", "Whence?", "{}"), by="m")
        workspace.apply(Add("q2", "Whither?"))
    app = open_app(hand_made, "overview/page.py", measure="cover")
    first, second = given(app, "bank_picture")["strips"]
    a, b, c, proposed = first["bars"]
    # By hand: system one of two reaches a and b, each half of what one can cover.
    # Without a nothing moves: one has 1 of 1 as it had 2 of 2, and two 0.
    assert (a[0], a[1], a[2]) == ("q1/a", "o-r2", 0)
    assert a[3] == (
        "1. Why is it? — answered by 1 passage, 1 of 2 systems, influence 0"
    )
    assert b[1] == "o-r2"
    # With c one falls from 1 to 2/3 and two rises from 0 to 1/3: 1/3, the highest.
    assert (c[1], c[2]) == ("o-retired", 100)
    assert "retired, influence .333" in c[3]
    assert proposed[1] == "o-proposed"
    d, added = second["bars"]
    assert (d[1], added[1]) == ("o-r0", "o-unknown")
    assert "0 of 1 grade known" in added[3]
