"""The Settings page: what the organizer decides, saved field by field; no key."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.verbs.proposals.request import GenerationRequest
from curator.web.components import session
from curator.web.components.channel import Answer
from curator.web.pages.settings import settings_form
from curator.workspace import Workspace
from tests.web.conftest import OpenApp, given, page_html, sent

PAGE = "settings/page.py"
KEY = "sk-not-to-be-shown"
TYPED = {
    "title": "Ours",
    "guidelines": "Read *this*. Then judge.",
    "blind": "yes",
    "human_first": "2",
    "min_relevance": "1",
}


def save(*changed: str, nonce: str = "1" * 8, **other: str) -> Answer:
    """What becomes of Save with these fields changed."""
    values = [*(TYPED | other).values()]
    return sent("settings", nonce, changed=list(changed), save=True, values=values)


def test_all_that_setup_decides_is_saved_from_the_page(judging: Path) -> None:
    assert save(*TYPED).ok
    with Workspace.open(judging) as workspace:
        assert settings_form.fields_of(workspace) == TYPED
    assert session.current().settings_draft is None


def test_a_key_is_said_to_be_there_and_never_shown(
    open_app: OpenApp, hand_made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "No key is there" in page_html(open_app(hand_made, PAGE))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Workspace.open(hand_made) as workspace:
        workspace.set_up(
            generation=GenerationRequest("m", endpoint="http://models.test:8000/v1")
        )
    monkeypatch.setenv("OPENAI_BASE_URL", "http://models.test:8000/v1")
    app = open_app(hand_made, PAGE)
    html = page_html(app)
    assert "sent to models.test:8000 and kept nowhere" in html
    form = given(app, "request_form")
    assert form["saved"]["endpoint"] == "http://models.test:8000/v1"
    assert KEY not in html + str(form)
