"""The areas of the navigation: their pages, addresses and who sees them."""

from __future__ import annotations

import re
from pathlib import Path

from streamlit.util import calc_hash

from curator.web.components import session
from curator.web.components.listener import LETTERS
from curator.web.components.places import AREAS, JUDGES_SEE, PLACES, area_page
from curator.web.server import HERE
from curator.workspace import Workspace
from tests.web.conftest import OpenApp, page_html


def test_every_place_is_a_page_of_an_area_with_an_address_of_its_own() -> None:
    places = PLACES.values()
    assert {place.area for place in places} == {*AREAS}
    assert all((HERE / "pages" / place.script).is_file() for place in places)
    used = [name for place in places for name in (place.address, *place.former)]
    assert len(used) == len(set(used))
    tabs = [(place.area, place.tab) for place in places]
    assert len(tabs) == len(set(tabs))
    assert {*JUDGES_SEE} < {*AREAS}


def test_letters_after_g_open_the_areas() -> None:
    assert {page: area for area in AREAS for page in [area_page(area)]} == {
        page: PLACES[page].area for page in LETTERS.values()
    }


ADDRESSES = {"judge": "Judge"} | {
    address.partition("?")[0]: name
    for name, place in PLACES.items()
    for address in place.former
}


def test_a_former_address_leads_to_the_page(open_app: OpenApp, hand_made: Path) -> None:
    app = open_app(hand_made, judge="ann", query="q2")
    for address, name in ADDRESSES.items():
        app._page_hash = calc_hash(address)
        html = page_html(app.run())
        assert not app.exception, address
        assert app.session_state[session.KEY].page == name
        if name == "Check":
            queues = {"checks": "pairs", "adjudication": "disagreements"}
            queue = queues.get(address, address)
            assert re.search(f'data-pick="set:queue={queue}" aria-current=', html)
        assert app.query_params["query"] == "q2"


def test_people_have_the_areas_of_their_role(
    open_app: OpenApp, hand_made: Path
) -> None:
    def areas(judge: str) -> list[str]:
        app = open_app(hand_made, judge=judge)
        return [link.proto.label for link in app.get("page_link")]

    assert areas("bo") == [*AREAS]
    with Workspace.open(hand_made, judge="ann") as workspace:
        workspace.add_people("ann", "organizer")
        workspace.add_people("bo", "judge")
        workspace.add_people("vi", "viewer")
    assert areas("ann") == [*AREAS]
    assert areas("bo") == areas("vi") == [*JUDGES_SEE]
