"""Can I trust it?: agreement of judges on votes, and each judge's own board."""

from __future__ import annotations

from pathlib import Path

from curator.bank.edits import Vote
from curator.workspace import Workspace
from tests.web.conftest import OpenApp, page_html

PAGE = "results/validity/page.py"


def vote(path: Path, judge: str, **votes: str) -> None:
    """Save a judge's votes on questions of q1, by letter."""
    with Workspace.open(path, judge=judge) as workspace:
        workspace.apply([Vote(f"q1/{one}", how) for one, how in votes.items()])


def test_agreement_counts_what_the_reader_has_voted_on(
    open_app: OpenApp, hand_made: Path
) -> None:
    vote(hand_made, "Benedict", a="vital", b="okay")
    html = page_html(open_app(hand_made, PAGE, judge="ann"))
    assert "Benedict" not in html
    vote(hand_made, "ann", b="vital")
    html = page_html(open_app(hand_made, PAGE, judge="ann"))
    assert "1 question on which votes differ" in html
    assert 'data-pick="on-curate:query=q1&amp;question=q1%2Fb"' in html
    assert "question=q1%2Fa" not in html  # the vote on a is hidden yet
