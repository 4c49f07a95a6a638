"""The tour is of six steps, and offers itself over the demo alone."""

from __future__ import annotations

import pytest

from curator.web.components.listener import STOPS, tour
from curator.web.components.places import PLACES
from curator.web.server import TOUR_VARIABLE


def test_six_steps_on_pages_that_there_are() -> None:
    assert len(STOPS) == 6
    assert {stop["page"] for stop in STOPS} <= set(PLACES)


def test_only_a_server_of_the_demo_offers_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOUR_VARIABLE, raising=False)
    assert not tour("Judge")["offered"]
    monkeypatch.setenv(TOUR_VARIABLE, "yes")
    assert tour("Judge")["offered"]
    assert tour("Overview")["offered"]
    assert not tour("Export")["offered"]
