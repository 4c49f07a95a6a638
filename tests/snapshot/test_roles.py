"""Who may do what: every verb, every kind of edit and every event, with every role."""

from __future__ import annotations

import inspect
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from shutil import copy
from types import SimpleNamespace
from typing import Any, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.bank.edits import Add, Decide, Retire, Vote
from curator.errors import CuratorError, InputFileError, RoleError, UnknownNameError
from curator.snapshot import access
from curator.store.people import ROLES, Role
from curator.web.components import channel, session
from curator.web.components.view import View
from curator.workspace import Workspace
from tests.samples.command_line import run
from tests.samples.histories import VERBS
from tests.test_every_kind_of_edit import MADE, workspace_with_rounds
from tests.web.conftest import remember

WRITES = [name for name, verb in VERBS.items() if not verb.reads]
"""Every verb that is no mere reading."""
DOCS = Path(__file__).parents[2] / "docs"
NAMES: dict[Role, str] = {"organizer": "Ann@x.org", "judge": "bo", "viewer": "vi"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = workspace_with_rounds(tmp_path_factory.mktemp("made"))
    with Workspace.open(path, judge="root") as owner:
        for role, name in NAMES.items():
            owner.add_people(name, role)
    return path


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    return Path(copy(made, tmp_path))


def opened(path: Path, role: Role) -> Workspace:
    return Workspace.open(path, judge=NAMES[role], as_judge=True)


def dump(path: Path) -> list[str]:
    """Everything in the file."""
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def enough(role: Role, lowest: Role) -> bool:
    return ROLES.index(role) <= ROLES.index(lowest)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("verb", WRITES)
def test_a_verb_is_refused_below_its_role(path: Path, verb: str, role: Role) -> None:
    (lowest,) = (one.lowest for one in access.ACCESS if verb in one.verbs.split())
    before = dump(path)
    with opened(path, role) as workspace:
        called: Callable[..., Any] = getattr(workspace, verb)
        reason = workspace.standing().forbidden_reason(verb)
        if enough(role, lowest):
            assert not reason
            workspace.require(verb)
            return
        assert f"For {access.ROLE_HOLDERS[lowest]}; you are a {role}" in reason
        with pytest.raises(RoleError, match=f"{NAMES[role]} is a {role} here"):
            called()
    assert dump(path) == before


def test_the_table_has_every_verb_once_and_the_documentation_has_the_table() -> None:
    verbs = [verb for row in access.ACCESS for verb in row.verbs.split()]
    assert sorted(verbs) == sorted([*WRITES, "undo_of_another"])
    rows = [
        [row.thing, *("yes" if enough(role, row.lowest) else "" for role in ROLES)]
        for row in access.ACCESS
    ]
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows).replace("|  ", "| ")
    assert table in (DOCS / "team.md").read_text("utf-8"), table


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("kind", MADE)
def test_an_edit_is_refused_below_its_role(path: Path, kind: str, role: Role) -> None:
    first, make = MADE[kind]
    with Workspace.open(path, judge=NAMES[role]) as owner:
        if first:
            owner.apply(first)
        edit = make(owner.bank())
    before = dump(path)
    with opened(path, role) as workspace:
        if enough(role, access.access_of(edit).lowest):
            (one,) = workspace.apply(edit).changes
            assert one.kind == kind
        else:
            with pytest.raises(RoleError):
                workspace.apply(edit)
            assert dump(path) == before


def test_nobody_signs_for_another(path: Path) -> None:
    for role in ROLES:
        with opened(path, role) as workspace, pytest.raises(RoleError):
            workspace.apply(Add("q1", "Whose?"), by="somebody")


def test_organizers_alone_undo_what_another_did(path: Path) -> None:
    with opened(path, "judge") as bo, opened(path, "organizer") as ann:
        by_bo = bo.apply(Retire("q1/a")).event_ids[0]
        by_ann = ann.apply(Retire("q1/c")).event_ids[0]
        with pytest.raises(RoleError, match="undoing edits of others"):
            bo.undo(event=by_ann)
        ann.undo(event=by_bo)
        assert bo.bank().question("q1/a").state == "kept"


def test_who_is_not_listed_is_turned_away_and_nobody_is_while_none_are(
    path: Path,
) -> None:
    with pytest.raises(RoleError, match="zed is not a member of this workspace"):
        Workspace.open(path, judge="zed", as_judge=True)
    with Workspace.open(path) as owner:
        owner.remove_people(everybody=True)
        assert owner.people() == ()
    with Workspace.open(path, judge="zed", as_judge=True) as zed:
        zed.apply([Add("q1", "Why me?"), Vote("q1/a", "vital")])
        zed.apply(Decide("q1", "vote q1/a", "vital", "0"))


def test_a_role_holds_from_the_moment_it_is_given(path: Path) -> None:
    with Workspace.open(path) as owner, opened(path, "judge") as bo:
        bo.apply(Retire("q1/a"))
        owner.add_people("BO", "viewer")
        with pytest.raises(RoleError):
            bo.undo("q1")
        owner.remove_people("Bo")
        with pytest.raises(RoleError):
            bo.bank()


def test_an_organizer_in_the_app_remains_one(path: Path) -> None:
    with opened(path, "organizer") as ann:
        with pytest.raises(RoleError, match="give up your own role"):
            ann.add_people("ann@X.org", "judge")
        with pytest.raises(RoleError, match="give up your own role"):
            ann.remove_people("Ann@x.org")
        ann.add_people("dee", "organizer")
    with Workspace.open(path, judge="dee", as_judge=True) as dee:
        dee.add_people("Ann@x.org", "judge")
        dee.remove_people("bo")
        with pytest.raises(UnknownNameError, match="'bo' is not listed here"):
            dee.remove_people("bo")


def test_who_is_listed_keeps_a_role_that_is_not_said_and_an_organizer_is_left(
    path: Path,
) -> None:
    run("people", path, "add", "ANN@x.org", "vi", "dee")
    with Workspace.open(path) as owner:
        listed = {one.name: one.role for one in owner.people()}
        assert listed == {n: r for r, n in NAMES.items()} | {"dee": "judge"}
        before = dump(path)
        with pytest.raises(RoleError, match="No organizer would be left"):
            owner.add_people(["dee", "ann@x.org"], "viewer")
        with pytest.raises(RoleError, match="No organizer would be left"):
            owner.remove_people(["bo", "Ann@x.org"])
        assert dump(path) == before
        owner.add_people("dee", "organizer")
        owner.remove_people("Ann@x.org")


CHANGES = st.tuples(
    st.sampled_from(["ann", "bo", "cy"]),
    st.booleans(),
    st.lists(st.sampled_from(["ann", "bo", "cy"]), min_size=1),
    st.sampled_from([*ROLES, None, "remove"]),
)


@settings(max_examples=15, deadline=None)
@given(st.lists(CHANGES, max_size=8))
def test_whoever_is_listed_has_an_organizer(
    tmp_path_factory: pytest.TempPathFactory, changes: list[Any]
) -> None:
    path = tmp_path_factory.mktemp("people") / "w.db"
    Workspace.open(path, create=True).close()
    for judge, as_judge, names, to in changes:
        with (
            suppress(RoleError, UnknownNameError),
            Workspace.open(path, judge=judge, as_judge=as_judge) as workspace,
        ):
            if to == "remove":
                workspace.remove_people(names)
            else:
                workspace.add_people(names, to)
        with Workspace.open(path) as owner:
            people = owner.people()
        assert not people or people[0].role == "organizer"


# ---- events of the browser ----

REAL = {
    **{"question": "q1/a", "query": "q1", "passage": "p1", "texts": ["How so?"]},
    **{"based_on": 1, "text": "How so?", "value": "vital", "passages": ["p1"]},
    **{"questions": [["q1/a", 1]], "reason": "too easy", "seconds": 1.0},
}


@pytest.fixture
def in_app(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[Role], None]]:
    """A session of somebody in this role."""
    monkeypatch.setenv("CURATOR_WORKSPACE", str(path))
    begun: list[object] = []
    monkeypatch.setattr(
        session, "service", lambda: SimpleNamespace(send=begun.append, tasks=list)
    )

    def become(role: Role) -> None:
        remember(View(judge=NAMES[role]))

    yield become
    session.kept_open.clear()


@pytest.mark.parametrize("kind", sorted(channel.HANDLERS))
def test_no_event_of_a_viewer_changes_anything(
    path: Path, in_app: Callable[[Role], None], kind: str
) -> None:
    in_app("viewer")
    handler = channel.HANDLERS[kind]
    hints = get_type_hints(handler)
    payload: dict[str, Any] = {}
    for name, one in inspect.signature(handler).parameters.items():
        if one.kind is one.KEYWORD_ONLY:
            payload[name] = _of(hints[name], REAL.get(name, "q1/a"))
    before = dump(path)
    meant = {"type": kind, "query": "q1", "workspace": session.workspace_id()}
    answer = channel.handled("0123456789ab", meant | payload)
    assert answer.line != channel.UNEXPECTED
    assert "readonly" not in answer.line  # the role says it, not the database
    assert dump(path) == before


CHOICES = ("right", "vital", "pairs", "question")


def _of(hint: Any, wanted: object) -> object:
    """The wanted value where a handler takes it, else the first that it takes."""
    for value in (wanted, True, 1, 1.0, "yes", *CHOICES, [], None):
        try:
            channel.read(hint, value)
        except TypeError:
            continue
        return value
    raise AssertionError(hint)


def test_what_is_done_beside_the_page_asks_for_its_role(
    path: Path, in_app: Callable[[Role], None]
) -> None:
    for role, allowed in (("viewer", []), ("judge", ["ask"]), ("organizer", None)):
        in_app(role)
        for request in session.REQUESTS:
            if allowed is None or request in allowed:
                session.send(request, "embedding")
                continue
            with pytest.raises(CuratorError, match=f"is a {role} here"):
                session.send(request, "embedding")


def test_a_command_changes_nothing_in_the_name_of_a_viewer_unless_forced(
    path: Path,
) -> None:
    before = dump(path)
    retire = ("edit", path, "retire", "q1/a", "--judge", "VI")
    result = run(*retire, code=1)
    assert "vi is a viewer here, and editing is for judges" in result.stderr
    assert "--force" in result.stderr
    assert dump(path) == before
    run(*retire, "--force")


CHECK = {"query_id": "q1", "item_id": "q1/a", "passage_id": "p1", "answer": "yes"}


@pytest.mark.parametrize(
    ("command", "verb", "row"),
    [
        ("judges --record", "record_votes", {"question_id": "q1/a", "vote": "vital"}),
        ("ideals --record", "record_ideals", {"query_id": "q1", "passage_id": "p1"}),
        ("norming answer --file", "record_norming", {"item": 1, "answer": "yes"}),
        ("checks record", "record_checks", CHECK),
    ],
)
def test_a_row_of_a_viewer_is_refused_unless_forced(
    path: Path, tmp_path: Path, command: str, verb: str, row: dict[str, Any]
) -> None:
    with Workspace.open(path, judge="bo") as owner:
        owner.open_norming(items=[("q1", "q1/a", "p1")])
    rows = [row, row | {"judge": "VI"}]
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in rows))
    before = dump(path)
    name, *rest = command.split()
    signed = (name, path, *rest, file, "--judge", "bo")
    result = run(*signed, code=1)
    assert result.stderr.startswith("Error: rows.jsonl, line 2: vi is a viewer here")
    with Workspace.open(path, judge="bo") as owner:
        with pytest.raises(InputFileError, match=" 2: vi is a viewer here"):
            getattr(owner, verb)(rows)
        assert dump(path) == before
        owner.refuse_viewers = False
        getattr(owner, verb)(rows)
    run(*signed, "--force")
