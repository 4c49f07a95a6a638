"""Faults that axe-core finds on a page."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page

# Of ninety queries in a list, those after the fifth are drawn as those before it.
CONTEXT = {"exclude": [".c-query:nth-child(n+6):not([aria-current])"]}
BACKGROUND = "getComputedStyle(document.querySelector('.stApp')).backgroundColor"


def faults(page: Page) -> list[str]:
    """Serious and critical faults: the rule, the element, what is wrong.

    In the scheme that the page is in, and then what the other one changes: colours
    alone. The page stays in that one, since each change draws everything anew.
    """
    found = faults_now(page, {})
    before = page.evaluate(BACKGROUND)
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    page.emulate_media(color_scheme="light" if dark else "dark")
    page.wait_for_function(f"before => {BACKGROUND} !== before", arg=before)
    settled(page)
    return found + faults_now(page, {"runOnly": ["color-contrast"]})


def settled(page: Page) -> None:
    """No colour is on its way to another any more."""
    page.wait_for_function(
        "document.getAnimations().every(one => one.playState !== 'running' ||"
        " one.effect.getTiming().iterations === Infinity)"
    )


def faults_now(page: Page, rules: dict[str, Any]) -> list[str]:
    """The faults in the scheme that the page is in."""
    options: dict[str, Any] = {"resultTypes": ["violations"], **rules}
    if page.evaluate("window.axe === undefined"):
        page.evaluate(Axe().axe_script)
    found: list[dict[str, Any]] = page.evaluate(
        "given => axe.run(...given).then(said => said.violations)", [CONTEXT, options]
    )
    return [
        f"{one['id']}: {node['target'][0]}: {node['failureSummary']}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]
