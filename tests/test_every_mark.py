"""Every kind of mark through all that follows from its declaration, for every role.

Whoever adds a kind adds how it is made to ``MADE``, and who else sees it to AUDIENCES.
``samples/added_marks/tag.py`` is a kind that nothing but these two lines knows.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from shutil import copy
from typing import Any

import pytest

from curator.bank.changes import Audience, Mark
from curator.bank.edits import Add, Propose
from curator.bank.edits.kinds import KINDS, MARKS
from curator.bank.questions import Bank
from curator.errors import EditError, EvaluationError
from curator.workspace import Workspace
from tests.samples.command_line import json_of, run
from tests.test_every_kind_of_edit import MADE, workspace_with_rounds

PEOPLE = {"olga": "organizer", "jay": "judge", "ann": "judge", "vic": "viewer"}
ROOT = Path(__file__).parents[1]
EVENTS = {kind.mark.kind: name for name, kind in reversed(KINDS.items()) if kind.mark}
"""Kind of event by kind of mark."""
AUDIENCES: dict[str, Audience] = {
    **dict.fromkeys(("vote", "verdict", "check"), "own first"),
    **dict.fromkeys(("note", "done", "ideal", "dismissal", "comment"), "everyone"),
    **{"decision": "organizers", "norming": "nobody", "tag": "everyone"},
}
every_kind = pytest.mark.parametrize("kind", MARKS)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = workspace_with_rounds(tmp_path_factory.mktemp("made"))
    with Workspace.open(path) as owner:
        for name, role in PEOPLE.items():
            owner.add_people(name, role)
    return path


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    return Path(copy(made, tmp_path))


def marked(path: Path, kind: str, by: str = "olga") -> None:
    """Make a mark of this kind on question a of q1, or where its kind can be."""
    first, make = MADE[EVENTS[kind]]
    with Workspace.open(path, judge=by) as workspace:
        for edit in first:
            workspace.apply(edit)
        workspace.apply(make(workspace.bank()))


def marks_in(bank: Bank, mark: type[Mark]) -> list[tuple[Any, ...]]:
    """Query, target and judge of each mark of a class."""
    if mark.is_on_question:
        return [
            (question.query_id, question.question_id, judge)
            for question in bank
            for judge, _ in question.votes
        ]
    return [
        (query_id, *mark.row(one)[:2])
        for query_id, marks in bank.marks.get(mark.kind, {}).items()
        for one in marks
    ]


def seen(workspace: Workspace, kind: str, by: str) -> bool:
    """Whether the judge's mark is shown; the same in the bank, its past and History."""
    latest = workspace.baselines().latest
    banks = workspace.bank(), workspace.bank_at(latest)
    judges = [{row[2] for row in marks_in(bank, MARKS[kind])} for bank in banks]
    owner = "" if kind == "ideal" else by
    events = [
        (one.by, one.change.mark.kind) for one in workspace.history() if one.change.mark
    ]
    shown = {*(owner in of for of in judges), (by, kind) in events}
    assert len(shown) == 1
    return shown.pop()


@every_kind
@pytest.mark.parametrize("mode", [{}, {"blind": True}, {"human_first": 1}])
def test_a_mark_is_seen_by_whom_its_kind_names(
    kind: str, mode: dict[str, Any], path: Path
) -> None:
    marked(path, kind)
    with Workspace.open(path, judge="owner") as owner:
        owner.set_up(**mode)
        assert seen(owner, kind, "olga") == (AUDIENCES[kind] != "nobody")
    for name, role in PEOPLE.items():
        shown = {
            "everyone": True,
            "own first": role == "organizer",
            "organizers": role == "organizer",
            "nobody": name == "olga",
        }
        with Workspace.open(path, judge=name, as_judge=True) as workspace:
            assert seen(workspace, kind, "olga") == shown[AUDIENCES[kind]]
            if role != "organizer" and not shown[AUDIENCES[kind]]:
                target = path.with_name("all.zip")
                with pytest.raises(EvaluationError, match=r"may not (see yet|export)"):
                    workspace.export("bundle", target, allow_partial=True)
    if AUDIENCES[kind] == "own first":
        marked(path, kind, "jay")
        with Workspace.open(path, judge="jay", as_judge=True) as jay:
            assert seen(jay, kind, "olga")
            jay.undo()
            assert seen(jay, kind, "olga") == bool(MADE[EVENTS[kind]][0])
    if kind == "norming":
        with Workspace.open(path, judge="olga") as olga:
            olga.reveal_norming(1)
        with Workspace.open(path, judge="vic", as_judge=True) as vic:
            assert seen(vic, kind, "olga")


@every_kind
def test_a_mark_on_a_hidden_question_is_hidden_with_it(kind: str, path: Path) -> None:
    with Workspace.open(path, judge="olga") as olga:
        olga.set_up(human_first=1)
        proposal = Propose("q1", "Where is it?", '{"generation": 1}')
        (change,) = olga.apply(proposal, by="chat:m").changes
        edit: Any = MADE[EVENTS[kind]][1](olga.bank())
        if hasattr(edit, "question_id"):
            edit = replace(edit, question_id=change.question_id)
        elif kind == "dismissal":
            edit = replace(edit, key=f"no-answer {change.question_id}")
        else:
            assert not MARKS[kind].hides_with_question
            return
        try:
            olga.apply(edit)
        except EditError:
            assert kind in ("vote", "verdict", "check")
            return
    with Workspace.open(path, judge="ann", as_judge=True) as ann:
        assert not seen(ann, kind, "olga")
        ann.apply(Add("q1", "Which is it?"))
        assert seen(ann, kind, "olga")


@every_kind
def test_a_mark_in_a_restricted_query_is_withheld(kind: str, path: Path) -> None:
    marked(path, kind)
    with Workspace.open(path, judge="olga", as_judge=True) as olga:
        before = marks_in(olga.bank(), MARKS[kind])
        assert before
        olga.restrict(["q1"])
        assert marks_in(olga.bank(), MARKS[kind]) == before
        olga.export("bundle", path.with_name("all.zip"), allow_partial=True)
    for name in ("jay", "vic"):
        with Workspace.open(path, judge=name, as_judge=True) as workspace:
            assert not workspace.history()
            found = marks_in(workspace.bank(), MARKS[kind])
            assert not found or not MARKS[kind].holds_text
    rebuilt = path.with_name("rebuilt.db")
    with Workspace.open(rebuilt, create=True) as workspace:
        workspace.import_bundle(path.with_name("all.zip"))
        assert not marks_in(workspace.bank(), MARKS[kind])
        assert not workspace.history()
        assert not workspace.verify().problems


@every_kind
def test_lost_marks_are_told_counted_and_written_again(kind: str, path: Path) -> None:
    marked(path, kind)
    with Workspace.open(path, judge="olga") as olga:
        bank = olga.bank()
        lost = olga.export("queries", path.with_name("queries.jsonl")).lost
        assert f"1 {MARKS[kind].noun}" in lost
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM mark")
    with Workspace.open(path, judge="olga") as olga:
        assert any(f"a {kind} mark" in problem for problem in olga.verify().problems)
        olga.repair()
        assert not olga.verify().problems
    with Workspace.open(path, judge="olga") as olga:
        assert olga.bank() == bank


def test_a_new_kind_needs_its_module_alone(path: Path) -> None:
    if "tag" not in MARKS:
        files = "tests/test_every_kind_of_edit.py", "tests/test_every_mark.py"
        options = "-n", "0", "-p", "tests.samples.with_tag", "-k", "tag or walk or new"
        command = sys.executable, "-m", "pytest", *options, *files
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout
        return
    assert "Tag a question" in run("edit", path, "tag", "--help").output
    run("edit", path, "tag", "q1/a", "hard", "--note", "Ask Bo.", "--judge", "jay")
    (event,) = json_of("history", path)
    assert (event["kind"], event["by"]) == ("tag", "jay")
    assert event["after"] == {"tag": "hard", "note": "Ask Bo."}
