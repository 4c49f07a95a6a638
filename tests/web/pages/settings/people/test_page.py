"""The People tab: the organizer gives roles and work, a judge sees their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import Done, Vote
from curator.web.pages.judge.query_list import (
    choices,
    next_to_do,
    query_rows,
)
from curator.workspace import Workspace
from tests.web.conftest import OpenApp, page_html


@pytest.fixture
def team(hand_made: Path) -> Path:
    """Ann organizes, bo and cy judge."""
    with Workspace.open(hand_made, judge="ann") as one:
        one.add_people("ann", "organizer")
        one.add_people(["bo", "cy"])
    return hand_made


def test_an_organizer_adds_people_and_changes_roles(
    team: Path, open_app: OpenApp
) -> None:
    app = open_app(team, "settings/people/page.py", judge="ann")
    app.text_input(key="team_name").input("dee@example.org")
    app.button(key="FormSubmitter:add_people-Add").click().run()
    assert "dee@example.org" in page_html(app)
    app.selectbox(key="role_bo_judge").select("viewer").run()
    app.selectbox(key="role_cy_judge").select("not listed").run()
    with Workspace.open(team) as one:
        roles = {p.name: p.role for p in one.people()}
        assert roles == {"ann": "organizer", "bo": "viewer", "dee@example.org": "judge"}
        assert {p.added_by for p in one.people()} == {"ann"}


def test_work_is_given_evenly_and_given_on(team: Path, open_app: OpenApp) -> None:
    app = open_app(team, "settings/people/page.py", judge="ann")
    app.number_input(key="team_overlap").set_value(2)
    app.button(key="FormSubmitter:assign_evenly-Assign").click().run()
    with Workspace.open(team) as one:
        queries = len(one.collection().pools)
        assert len(one.assignments()) == 2 * queries
        assert {o.judge for o in one.assignments()} == {"bo", "cy"}
    assert [*app.dataframe[0].value.status] == ["to do"] * 2 * queries
    app.selectbox(key="team_from").select("bo")
    app.selectbox(key="team_taker").select("cy")
    app.button(key="FormSubmitter:reassign-Give").click().run()
    assert "as cy had this already: q1 (curate), q2 (curate)" in page_html(app)


def test_a_judge_sees_whose_work_it_is_and_changes_nothing(
    team: Path, open_app: OpenApp
) -> None:
    with Workspace.open(team, judge="ann") as one:
        one.assign(["bo", "cy"], ["q1"])
        one.apply(Vote("q1/a", "vital"), by="cy")
    app = open_app(team, "settings/people/page.py", judge="bo")
    assert not app.button
    assert all(role.disabled for role in app.selectbox)
    html = page_html(app)
    assert "organizer’s to see" in html
    progress = html.partition("Progress")[2].partition("</table>")[0]
    assert ">bo<" in progress
    assert ">cy<" not in progress
    with Workspace.open(team, judge="ann") as one:
        one.unassign("bo")
    assert "0 of 0 assignments to you finished." in page_html(app.run())


def test_my_queries_are_listed_first_and_done_goes_to_the_next_of_them(
    demo_db: Path,
) -> None:
    with Workspace.open(demo_db, judge="bo") as one:
        first, second, third = list(one.collection().pools)
        one.assign(["bo", "cy"], [first, third])
        one.apply(Done(first))
        work = one.assignments(judge="bo", work="curate")
        rows = query_rows(one.collection(), one.bank(), "bo", first, {}, work)
        shown = choices(rows)
        assert list(shown) == ["mine", "waiting", "all", "done"]
        assert (shown["mine"], shown["waiting"]) == ("mine 1", "waiting 1")
        assert rows[0].title.endswith("Waiting for cy")
        assert next_to_do(rows, first) == next_to_do(rows, second) == third
        rows = query_rows(one.collection(), one.bank(), "bo", first, {}, ())
        assert list(choices(rows)) == ["to do", "all", "done"]
        assert next_to_do(rows, first) == second
