"""The demo workspace: a small collection, imported and graded on first use."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

from platformdirs import user_cache_path

from curator.errors import CuratorError, WorkspaceError
from curator.generation.prompts import prompt_named
from curator.store.connection import remove_workspace
from curator.unfinished import unfinished_file
from curator.verbs.proposals.generate import save_recorded
from curator.verbs.proposals.request import GenerationRequest
from curator.workspace import Workspace
from grading.errors import GradingError
from grading.registry import DEFAULT_GRADER, open_grader

GRADER = DEFAULT_GRADER

Progress = Callable[[int, int], None]


def demo_folder() -> Path:
    """Return the demo collection's folder: the checkout's, else the installed one."""
    package_folder = Path(__file__).parent
    for folder in (
        package_folder.parent / "data" / "demo",
        package_folder / "demo_collection",
    ):
        if folder.is_dir():
            return folder
    raise WorkspaceError(
        "The demo collection is not in this installation; get it from the source "
        "distribution, folder data/demo."
    )


def demo_path(collection: Path) -> Path:
    """Return the path in the user's cache folder of this collection's demo workspace.

    ``CURATOR_DEMO`` names another file. A changed collection or grader gets a new
    workspace, so that no edits are mixed with it.
    """
    if configured := os.environ.get("CURATOR_DEMO"):
        return Path(configured)
    digest = hashlib.sha256(open_grader(GRADER).spec.key.encode())
    for file in sorted(file for file in collection.rglob("*") if file.is_file()):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    folder = user_cache_path("curator", ensure_exists=True)
    return folder / f"demo-{digest.hexdigest()[:12]}.db"


def is_demo(path: Path) -> bool:
    """Return True if this is the demo workspace of this installation."""
    try:
        return path.resolve() == demo_path(demo_folder()).resolve()
    except (CuratorError, GradingError):
        return False  # nothing to compare with


def build_demo(*, fresh: bool = False, progress: Progress | None = None) -> Path:
    """Return the path of the demo workspace; build it if missing or ``fresh``.

    It is built in a temporary file and renamed, so that an interrupted build leaves
    nothing behind. Raises GradingError if the packaged model is missing.
    """
    collection = demo_folder()
    path = demo_path(collection)
    if path.exists() and not fresh:
        return path
    with unfinished_file(path) as part:
        with Workspace.open(part, create=True, judge="demo") as workspace:
            import_demo(workspace, collection)
            propose_recorded(workspace, collection / "proposals.jsonl")
            workspace.grade(GRADER, progress=progress)
        remove_workspace(path)
        os.replace(part, path)
    return path


def propose_recorded(workspace: Workspace, path: Path) -> None:
    """Store a model's recorded responses to the demo's queries as proposals."""
    for line in path.read_text(encoding="utf-8").splitlines():
        recorded = json.loads(line)
        request = GenerationRequest(
            model=f"{recorded['model']} (recorded)",
            prompt=prompt_named(recorded["prompt"]),
            count=recorded["count"],
            query_id=recorded["query_id"],
        )
        save_recorded(
            workspace,
            request,
            when=recorded["recorded"],
            response=recorded["response"],
        )


def import_demo(workspace: Workspace, folder: Path) -> None:
    """Import the demo collection from its folder."""
    workspace.import_(
        queries=folder / "queries.jsonl",
        passages=folder / "passages.jsonl",
        bank=[folder / "questions.jsonl", folder / "exam.jsonl"],
        runs=folder / "runs",
        judgments=folder / "judgments.qrels",
        official=folder / "official.json",
        min_relevance=2,
        title="Curator demo",
    )
