"""The first files of an empty workspace are imported and graded."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from curator.web.pages.settings.first_screen import SAMPLES
from curator.workspace import Workspace
from tests.browser.conftest import serving, watched
from tests.browser.curating import (
    impact,
    ready,
)

pytestmark = pytest.mark.browser
pytest.importorskip("transformers")

JOB = 120_000  # milliseconds in which a process starts or a model, on a busy machine
FAKE_MODEL = """
import numpy as np
import grading.graders.embedding as grader
from grading.worker import Worker

class FakeModel:
    def __init__(self, model):
        pass

    def encode(self, texts):
        return [np.eye(1, 4, len(text) % 4, dtype=np.float16) for text in texts]

grader.EmbeddingModel = FakeModel
Worker.start = lambda self: None
"""


def test_the_first_files_are_recognised_imported_and_graded(
    context: BrowserContext, tmp_path: Path
) -> None:
    site, path = tmp_path / "site", tmp_path / "new.db"
    site.mkdir()
    (site / "sitecustomize.py").write_text(FAKE_MODEL)
    Workspace.open(path, create=True).close()
    files = {
        "queries.jsonl": "queries",
        "passages.jsonl": "passages",
        "systems.run": "run",
        "bank.jsonl": "question bank",
    }
    with serving(path, site) as server, watched(context.new_page()) as page:
        page.goto(server.address)
        idea = "A passage is relevant if it answers one of your questions."
        expect(page.get_by_role("heading", name=idea)).to_be_visible()
        page.get_by_role("radio", name="Yes").check()
        expect(page.locator(".c-example")).to_contain_text("rises from rank 3 to 2")
        expect(page.locator(".c-yes")).to_be_visible()
        expect(page.locator(".c-no")).to_be_hidden()
        field = page.locator(".st-key-first_import input[type=file]")
        field.set_input_files([SAMPLES / name for name in files])
        for number, (name, kind) in enumerate(files.items()):
            file = page.locator(f".st-key-upload_{number}")
            expect(file).to_contain_text(name)
            expect(file).to_contain_text(kind)
        page.get_by_role("button", name="Import 4 files and grade").click()
        ready(page)
        expect(impact(page)).to_contain_text(
            re.compile(r"([1-9]) of \1 questions graded"), timeout=JOB
        )
        expect(page.locator(".st-key-drawer .c-board")).to_have_count(0)
