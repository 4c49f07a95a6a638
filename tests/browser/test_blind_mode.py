"""Blind: no page tells a judge which system is which, or what others judged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, WebSocket, expect

from curator.workspace import Workspace
from tests.browser.conftest import Server
from tests.browser.curating import go_to, impact, open_board, open_curate, row, saved
from tests.browser.tasks import tasks_workspace

pytestmark = pytest.mark.browser

SYSTEMS = ("zz-bm25-zz", "zz-colbert-zz")
OF_THE_BANK = "τ to other questions’ board"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A workspace with judgments and official ranks whose organizer hides them."""
    path = tasks_workspace(tmp_path, ["t1", "t2"], SYSTEMS)
    official = tmp_path / "official.json"
    official.write_text(json.dumps({SYSTEMS[0]: 1, SYSTEMS[1]: 2}))
    with Workspace.open(path) as workspace:
        workspace.import_(official=official)
        workspace.set_up(blind=True)
    return path


def received(page: Page) -> list[bytes]:
    """All that the server sends to the page from now on."""
    frames: list[bytes] = []

    def opened(socket: WebSocket) -> None:
        socket.on(
            "framereceived",
            lambda payload: frames.append(
                payload if isinstance(payload, bytes) else payload.encode()
            ),
        )

    page.on("websocket", opened)
    return frames


def test_blind_hides_names_judgments_and_official_ranks_on_every_page(
    page: Page, server: Server, path: Path
) -> None:
    frames = received(page)

    def told_nothing() -> None:
        content = page.content().lower()
        for system in SYSTEMS:
            assert system not in content
        # How far other questions agree is of the bank, and comes once it is computed.
        text = page.locator("body").inner_text().lower().replace(OF_THE_BANK, "")
        for said in ("official 2", "judged", "disagrees", "spearman", "kendall", "τ"):
            assert said not in text, said

    open_curate(page, f"{server.address}/?question=t1%2Fa")
    expect(page.locator(".c-blind")).to_be_visible()
    open_board(page)
    expect(page.locator(".st-key-drawer .c-board")).to_contain_text("System 1")
    expect(page.locator(".c-reader")).to_contain_text("System")
    row(page, "t1/a").hover()
    told_nothing()
    page.keyboard.press("x")
    expect(impact(page)).to_contain_text("Retired")
    saved(page)
    told_nothing()
    page.keyboard.press("j")
    page.keyboard.press("s")
    expect(page.locator(".c-column")).to_contain_text("This question alone")
    told_nothing()
    for name, place in {
        "Ranking": ".st-key-middle table",
        "Grading": ".st-key-middle input",
        "History": ".c-event",
    }.items():
        go_to(page, name)
        expect(page.locator(place).first).to_be_visible()
        expect(page.locator(".c-blind")).to_be_visible()
        told_nothing()
    page.locator(".c-event").first.click()
    expect(page.locator(".c-impact")).to_be_visible()
    told_nothing()
    assert frames
    assert not any(s.encode() in frame for frame in frames for s in SYSTEMS)

    with Workspace.open(path) as workspace:
        (event,) = workspace.history()
        assert event.shown is not None
        assert event.shown.endswith(
            "; blind: system names masked, judgments and official ranks hidden"
        )
