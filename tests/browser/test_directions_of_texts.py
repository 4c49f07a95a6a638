"""Texts from right to left on every page, and the fields that they are written in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from curator.web.components.places import PLACES
from tests.browser.conftest import Server, serving
from tests.samples.arabic import JUDGE, arabic_workspace

pytestmark = pytest.mark.browser

# How many texts in Arabic there are, and which of them, and which fields to write in,
# do not take their direction from themselves.
LOOK = """() => {
  const arabic = [], lost = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let text; (text = walker.nextNode()); ) {
    const holder = text.parentElement
    if (/\\p{Script=Arabic}/u.test(text.data) && !holder.matches("script, style")) {
      arabic.push(text.data)
      const nearest = holder.closest("[dir]")
      if (nearest?.getAttribute("dir") !== "auto") lost.push(holder.outerHTML)
    }
  }
  const fields = "textarea, input:is(:not([type]), [type=text], [type=search])"
  for (const field of document.querySelectorAll(fields))
    if (field.getAttribute("dir") !== "auto") lost.push(field.outerHTML)
  return { arabic: arabic.length, lost }
}"""


@pytest.fixture(scope="module")
def arabic(
    tmp_path_factory: pytest.TempPathFactory, without_model: Path
) -> Iterator[Server]:
    path = arabic_workspace(tmp_path_factory.mktemp("arabic") / "whole")
    with serving(path, without_model) as server:
        yield server


@pytest.mark.parametrize("name", PLACES)
def test_every_text_and_field_of_a_page_takes_its_own_direction(
    arabic: Server, page: Page, name: str
) -> None:
    asked = {"judge": JUDGE, "query": "leaves", "question": "leaves/a", "k": 20}
    place = "" if name == "Judge" else PLACES[name].address
    page.goto(f"{arabic.address}/{place}?{urlencode(asked)}")
    drawn = "html[data-listener=ready] .stApp[data-test-script-state=notRunning]"
    expect(page.locator(drawn)).to_be_attached()
    page.wait_for_function(f"({LOOK})().arabic > 0")
    assert page.evaluate(LOOK)["lost"] == []
