"""Settings: what is typed stays through a reload; the checklist leads to its pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from curator.workspace import Workspace
from tests.browser.conftest import Server
from tests.browser.curating import open_page

pytestmark = pytest.mark.browser


def test_typed_guidelines_stay_through_a_reload_and_are_saved(
    page: Page, server: Server, path: Path
) -> None:
    open_page(page, server.address, "Settings")
    page.get_by_label("Guidelines").fill("Read **this**.")
    expect(page.locator(".st-key-guidelines_preview")).to_contain_text("Read this.")
    page.reload()
    expect(page.get_by_label("Guidelines")).to_have_value("Read **this**.")
    state = page.locator(".s-state")
    expect(state).to_contain_text("Not saved yet.")
    page.get_by_label("Relevant from").fill("")
    page.locator(".s-form button[type=submit]").click()
    expect(page.locator(".s-form .c-error")).to_contain_text("is a whole number")
    page.get_by_label("Relevant from").fill("2")
    page.locator(".s-form button[type=submit]").click()
    expect(state).to_contain_text("Saved")
    with Workspace.open(path) as workspace:
        assert workspace.collection().guidelines == "Read **this**."
        assert workspace.collection().min_relevance == 2
