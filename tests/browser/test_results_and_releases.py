"""The board is read under another measure, compared, frozen and downloaded."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from curator.workspace import Workspace
from tests.browser.axe import faults
from tests.browser.conftest import Server
from tests.browser.curating import go_to, open_page, open_settings

pytestmark = pytest.mark.browser


def test_results_are_read_and_a_release_is_frozen_and_downloaded(
    page: Page, server: Server, path: Path
) -> None:
    open_page(page, server.address, "Ranking")
    rows = page.locator(".st-key-middle table").first.locator("tbody tr")
    open_settings(page)
    page.get_by_role("combobox", name="Measure").select_option("cover")
    # By hand: two of q1's three questions and none of q2's, (2/3 + 0) / 2.
    expect(rows.filter(has_text="one").first).to_contain_text(".3333")
    found = {"Ranking": faults(page)}
    page.keyboard.press("Escape")
    go_to(page, "Compare")
    expect(page.locator(".m-matrix").first).to_be_visible()
    found["Compare"] = faults(page)

    go_to(page, "Export")
    # Streamlit loads a field's code when the first is drawn; no key finds it before.
    name = page.get_by_label("Name, such as v1")
    expect(name).to_be_visible()
    page.keyboard.press("f")
    expect(name).to_be_focused()
    page.keyboard.type("v1")
    page.get_by_label("Reason").fill("the pilot")
    page.get_by_role("button", name="Freeze").click()
    expect(page.get_by_text("Frozen as v1.")).to_be_visible()
    found["Export"] = faults(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").first.click()
    assert download.value.path().read_text() == "q1 0 p1 5\nq1 0 p2 5\nq2 0 p3 0\n"
    assert not any(found.values()), found
    with Workspace.open(path) as workspace:
        (release,) = workspace.releases()
        assert (release.name, release.by, release.why) == ("v1", "ann", "the pilot")
