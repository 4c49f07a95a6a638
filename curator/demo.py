"""The demo workspace: our own small collection, imported and graded on first use."""

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
from curator.unfinished import part_of
from curator.verbs.proposals.generate import keep_recorded
from curator.verbs.proposals.request import GenerationRequest
from curator.workspace import Workspace
from grading.errors import GradingError
from grading.registry import DEFAULT_GRADER, open_grader

GRADER = DEFAULT_GRADER

Progress = Callable[[int, int], None]


def demo_files() -> Path:
    """The folder with the demo collection: the checkout's, else the installed one."""
    here = Path(__file__).parent
    for folder in (here.parent / "data" / "demo", here / "demo_collection"):
        if folder.is_dir():
            return folder
    raise WorkspaceError(
        "The demo collection is not in this installation; get it from the source "
        "distribution, folder data/demo."
    )


def demo_path(files: Path) -> Path:
    """Where the demo workspace of these very files lives: the user's cache folder.

    ``CURATOR_DEMO`` names another file. A changed collection or grader gets a new
    workspace, so that nobody's edits are mixed up with it.
    """
    if named := os.environ.get("CURATOR_DEMO"):
        return Path(named)
    digest = hashlib.sha256(open_grader(GRADER).spec.key.encode())
    for file in sorted(f for f in files.rglob("*") if f.is_file()):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    folder = user_cache_path("curator", ensure_exists=True)
    return folder / f"demo-{digest.hexdigest()[:12]}.db"


def is_demo(path: Path) -> bool:
    """Whether this is the demo workspace of this installation."""
    try:
        return path.resolve() == demo_path(demo_files()).resolve()
    except (CuratorError, GradingError):
        return False  # nothing to compare with


def build_demo(*, fresh: bool = False, progress: Progress | None = None) -> Path:
    """The demo workspace's path, built if it is not there (or ``fresh`` is asked).

    It is built beside its place and moved there whole, so an interrupted build
    leaves nothing behind. Raises GradingError where the packaged model is missing.
    """
    files = demo_files()
    path = demo_path(files)
    if path.exists() and not fresh:
        return path
    with part_of(path) as part:
        with Workspace.open(part, create=True, judge="demo") as workspace:
            import_demo(workspace, files)
            propose_recorded(workspace, files / "proposals.jsonl")
            workspace.grade(GRADER, progress=progress)
        remove_workspace(path)
        os.replace(part, path)
    return path


def propose_recorded(workspace: Workspace, path: Path) -> None:
    """Propose what a model answered when it was asked about the demo's queries."""
    for line in path.read_text(encoding="utf-8").splitlines():
        recorded = json.loads(line)
        request = GenerationRequest(
            model=f"{recorded['model']} (recorded)",
            prompt=prompt_named(recorded["prompt"]),
            count=recorded["count"],
            query_id=recorded["query_id"],
        )
        keep_recorded(
            workspace,
            request,
            when=recorded["recorded"],
            response=recorded["response"],
        )


def import_demo(workspace: Workspace, files: Path) -> None:
    """Import the demo collection from its folder."""
    workspace.import_(
        queries=files / "queries.jsonl",
        passages=files / "passages.jsonl",
        bank=[files / "questions.jsonl", files / "exam.jsonl"],
        runs=files / "runs",
        judgments=files / "judgments.qrels",
        official=files / "official.json",
        min_relevance=2,
        title="Curator demo",
    )
