"""Grading from the page, in a real job; and a board that catches up, by a real T5."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from curator.web.pages.settings.first_screen import SAMPLES
from curator.workspace import Workspace
from tests.browser.conftest import Server, serving, watched
from tests.browser.curating import (
    impact,
    open_page,
    ready,
)

pytestmark = pytest.mark.browser
pytest.importorskip("transformers")

JOB = 120_000  # milliseconds in which a process starts or a model, on a busy machine
# While a file is there, the model of a job waits before it reads what is of q2.
HELD_MODEL = """
import time
from pathlib import Path
import numpy as np
import grading.graders.embedding as grader
from grading.worker import Worker

class HeldModel:
    def __init__(self, model):
        pass

    def encode(self, texts):
        while Path({held!r}).exists() and any("Who is it?" in text for text in texts):
            time.sleep(0.02)
        return [np.eye(1, 4, len(text) % 4, dtype=np.float16) for text in texts]

grader.EmbeddingModel = HeldModel
Worker.start = lambda self: None
"""


@pytest.fixture
def held_server(path: Path, tmp_path: Path) -> Iterator[Server]:
    """A server whose jobs stop before the second query, until the test is over."""
    held, site = tmp_path / "held", tmp_path / "site"
    held.touch()
    site.mkdir()
    (site / "sitecustomize.py").write_text(HELD_MODEL.format(held=str(held)))
    try:
        with serving(path, site) as found:
            yield found
    finally:
        held.unlink()


def act(page: Page, name: str) -> None:
    """Press a job's button as a keyboard does."""
    button = page.get_by_role("button", name=name, exact=True)
    button.focus()
    button.press("Enter")


def test_a_grader_is_counted_started_paused_resumed_and_stopped_from_the_page(
    held_server: Server, context: BrowserContext, path: Path
) -> None:
    server = held_server
    with watched(context.new_page()) as page:
        open_page(page, server.address, "Grading")

        # A name that means nothing here is one line; nothing is started by counting.
        field = page.get_by_label("Grader", exact=True)
        field.fill("flan-t5:/no/such/folder")
        field.press("Enter")
        expect(page.locator(".st-key-new_grader .c-error")).to_contain_text("/no/such")
        field.fill("embedding")
        page.get_by_role("button", name="Count").click()
        counted = page.locator(".g-counted")
        # by hand: three questions on two passages, and one on one
        expect(counted.get_by_role("cell", name="7", exact=True).first).to_be_visible()
        expect(field).to_have_value("embedding")
        with Workspace.open(path) as workspace:
            assert workspace.jobs() == ()

        counted.get_by_role("button", name="Start").click()
        job = page.locator(".g-job")
        expect(job).to_contain_text("6 of 7 grades", timeout=JOB)
        expect(job).to_contain_text("started by ann")
        expect(page.locator(".st-key-graders")).to_contain_text("grading")

        act(page, "Pause")
        expect(job).to_contain_text("Paused")
        expect(page.get_by_role("button", name="Pause")).to_have_count(0)

    # The tab is closed, the server is another: the job is where it was.
    server.kill()
    server.start()
    with watched(context.new_page()) as again:
        open_page(again, server.address, "Grading")
        job = again.locator(".g-job")
        expect(job).to_contain_text("Paused: 6 of 7 grades kept")
        act(again, "Resume")
        expect(job).not_to_contain_text("Paused")
        act(again, "Stop")
        expect(job).to_contain_text("Stopped")
        expect(again.get_by_role("button", name="Stop")).to_have_count(0)
    with Workspace.open(path) as workspace:
        (stopped,) = workspace.jobs()
        assert stopped.state == "stopped"
        assert not stopped.process_ended
        assert (stopped.done, stopped.total) == (6, 7)


def test_the_first_files_are_recognised_imported_and_graded(
    context: BrowserContext, tmp_path: Path
) -> None:
    site, path = tmp_path / "site", tmp_path / "new.db"
    site.mkdir()
    (site / "sitecustomize.py").write_text(HELD_MODEL.format(held=str(site / "no")))
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
