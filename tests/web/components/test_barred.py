"""Who may not do a thing is told before: controls say whose they are by the roles."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import Retire
from curator.snapshot.access import Membership
from curator.workspace import Workspace
from tests.web.conftest import OpenApp, given, page_html
from tests.web.test_every_page_opens import turned

JUDGES = "For judges and organizers; you are a viewer here"
ORGANIZERS = "For organizers; you are a judge here"
ON_LOOKING = "You look on: judges edit"


@pytest.fixture
def listed(hand_made: Path) -> Path:
    """Ann organizes, bo judges, vi looks on; there is a release and a norming round."""
    with Workspace.open(hand_made, judge="ann") as one:
        one.add_people("ann", "organizer")
        one.add_people("bo", "judge")
        one.add_people("vi", "viewer")
        one.release("v1", allow_partial=True)
        one.apply([Retire("q1/a")])
        one.open_norming(items=[("q1", "q1/c", "p1")])
    return hand_made


def test_a_control_says_whose_it_is_by_the_role_that_its_verb_asks_for() -> None:
    assert Membership("bo", "judge").forbidden_reason("apply") == ""
    assert Membership("bo", "judge").forbidden_reason("release") == ORGANIZERS
    assert Membership("vi", "viewer").forbidden_reason("apply") == JUDGES
    assert Membership("vi", "viewer").forbidden_reason("export") == ""
    assert Membership("anybody").forbidden_reason("release") == ""


SETTINGS = "settings/page.py"


@pytest.mark.parametrize(
    ("judge", "barred"),
    [
        ("vi", {"judge/page.py": JUDGES, "check/page.py": JUDGES}),
        ("bo", {"judge/page.py": "", SETTINGS: ORGANIZERS}),
        ("ann", {SETTINGS: ""}),
    ],
)
def test_what_is_drawn_in_the_browser_is_told(
    listed: Path, open_app: OpenApp, judge: str, barred: dict[str, str]
) -> None:
    components = {
        "judge/page.py": ["question_list"],
        "check/page.py": ["check_list"],
        SETTINGS: ["settings_form", "request_form"],
    }
    app = open_app(listed, judge=judge)
    for page, reason in barred.items():
        turned(app, page, judge=judge)
        for component in components[page]:
            assert given(app, component)["barred"] == reason
        assert (ON_LOOKING in page_html(app)) == (judge == "vi")


def test_buttons_of_the_organizer_are_closed_to_a_judge(
    listed: Path, open_app: OpenApp
) -> None:
    keys = {
        "releases/page.py": ["freeze", "restore_ask"],
        "settings/grading/page.py": ["grader_form-Count"],
    }
    app = open_app(listed, judge="bo", release="v1")
    for page in keys:
        turned(app, page, judge="bo", release="v1")
        for key in keys[page]:
            (button,) = [one for one in app.button if key in str(one.key)]
            assert button.disabled
            assert button.help == ORGANIZERS
