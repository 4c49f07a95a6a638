"""Signing in with a provider: who signs, and what an expiry keeps.

The provider is a real one, of this process; the server is Curator's.
"""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from oidc_provider_mock import User, run_server_in_thread
from playwright.sync_api import BrowserContext, Page, expect

from curator.web.identity import EXPIRED, SIGNED_OUT, Auth
from curator.workspace import Workspace
from tests.browser.conftest import GONE, WITHOUT_MODEL, Server, watched
from tests.browser.curating import begin, editor, open_curate, ready

pytestmark = pytest.mark.browser

ANN = User(sub="ann", claims={"email": "ann@example.org", "email_verified": True})
OIDC = Auth("oidc")
CLOCK = """
from pathlib import Path
from curator.web import identity
name_in = identity.name_in
identity.name_in = lambda auth, user, now: name_in(
    auth, user, now + 3 * 3600 * Path({later!r}).exists()
)
"""


@pytest.fixture
def later(tmp_path: Path) -> Path:
    """While this file is there, it is three hours later for a guarded server."""
    return tmp_path / "later"


@pytest.fixture
def guarded(path: Path, tmp_path: Path, later: Path) -> Iterator[Server]:
    """A server that has people sign in; the test starts it, and a provider."""
    with Workspace.open(path) as owner:
        owner.add_people("Ann@example.org")
    site = tmp_path / "site"
    site.mkdir()
    clock = CLOCK.format(later=str(later))
    (site / "sitecustomize.py").write_text(f"{WITHOUT_MODEL}{clock}")
    server = Server(path, site, OIDC)
    yield server
    server.stop()


@pytest.fixture
def tab(guarded: Server, context: BrowserContext) -> Iterator[Page]:
    """A page whose server and provider may go."""
    with watched(context.new_page(), f"{GONE}|Failed to load resource") as opened:
        yield opened


def told_of(server: Server, port: int) -> None:
    """Have the server send people to the provider on this port."""
    server.variables = {
        "CURATOR_OIDC_CLIENT_ID": "curator",
        "CURATOR_OIDC_CLIENT_SECRET": "only for this test",
        "CURATOR_OIDC_METADATA_URL": (
            f"http://localhost:{port}/.well-known/openid-configuration"
        ),
        "CURATOR_OIDC_REDIRECT_URI": f"{server.address}/oauth2callback",
        "CURATOR_COOKIE_SECRET": "made for this test alone, of enough characters",
    }


def sign_in(page: Page, who: str) -> None:
    """Ask for it, and say at the provider who one is."""
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("button", name=who, exact=True).click()


def test_who_is_signed_in_signs_and_an_expiry_loses_nothing_that_was_typed(
    tab: Page, guarded: Server, later: Path
) -> None:
    with run_server_in_thread(user_claims=[ANN]) as one:
        told_of(guarded, one.server_port)
        guarded.auth = replace(OIDC, hours=2)
        guarded.start()
        tab.goto(f"{guarded.address}/?query=q1&judge=bo")
        expect(tab.get_by_text(SIGNED_OUT)).to_be_visible()
        expect(tab.locator(".c-question")).to_have_count(0)
        sign_in(tab, "ann")
        expect(tab.locator(".c-saved")).to_contain_text("Ann@example.org judge")
        url = f"{guarded.address}/?query=q1&question=q1/a&judge=bo"
        open_curate(tab, url)
        begin(tab, "Why was it?")

        later.touch()
        expect(tab.get_by_text(EXPIRED)).to_be_visible()
        expect(tab.locator(".c-question")).to_have_count(0)
        with Workspace.open(guarded.path) as workspace:
            assert workspace.bank().question("q1/a").text == "Why is it?"

        # A server that was started again knows who is signed in.
        guarded.stop()
        later.unlink()
        guarded.start()
        tab.goto(url)
        ready(tab)
        expect(editor(tab)).to_have_value("Why was it?")
        editor(tab).press("Enter")
        expect(tab.locator(".c-impact")).to_contain_text("Reworded")
        with Workspace.open(guarded.path) as workspace:
            assert workspace.bank().question("q1/a").text == "Why was it?"
            assert workspace.history()[0].by == "Ann@example.org"

        tab.get_by_role("link", name="Sign out").click()
        tab.goto(guarded.address)
        expect(tab.get_by_text(SIGNED_OUT)).to_be_visible()


def test_files_of_others_are_not_to_be_had_without_signing_in(
    guarded: Server,
) -> None:
    told_of(guarded, 9)
    guarded.start()
    for path in ("/media/abc.csv", "/_stcore/metrics", "/_stcore/upload_file/a/b"):
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(guarded.address + path)
        assert refused.value.code == 403
        assert refused.value.read().decode().strip() == SIGNED_OUT
