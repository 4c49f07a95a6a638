"""A bundle rebuilds a workspace table by table, and ``verify`` compares its numbers."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from curator.bank.edits import (
    Add,
    CheckPair,
    Dismiss,
    Done,
    JudgeAnswer,
    Keep,
    MarkIdeal,
    Propose,
    Retire,
    Reword,
    Vote,
    WriteNote,
)
from curator.bank.marks import Ideal
from curator.errors import BundleError, EvaluationError, WorkspaceError
from curator.formats.bundles import DATABASE, FORMER_FORMAT, MANIFEST, SUMS
from curator.store import generations
from curator.store.bundles.copies import EXCLUDED_TABLES
from curator.store.connection import SCHEMA_VERSION, write_transaction
from curator.store.generations import FilledPrompt
from curator.verbs.proposals.request import GenerationRequest
from curator.workspace import Workspace
from grading.models.protocol import Response
from tests.samples.command_line import run
from tests.samples.older_versions import older_workspace
from tests.samples.workspaces import (
    RATED,
    FakeEncoder,
    dump,
    graded_file,
    graded_passage,
    run_file,
    small_collection,
    write_lines,
)

STAYS_BEHIND = ("clock", "published", "_sqlite_migrations", "sqlite_sequence")


def full_workspace(folder: Path) -> Path:
    """A workspace with something of everything that people and models can leave."""
    files = small_collection(folder / "files")
    subtopic = {"subtopic_id": "s", "text": "Süd"}
    first = {"query_id": "q1", "text": "What of q1?", "more": {"of": [1, None]}}
    files["queries"] = write_lines(
        folder / "files" / "queries.jsonl",
        [
            first | {"subtopics": [subtopic]},
            {"query_id": "q2", "text": "What of q2?"},
        ],
    )
    gold = write_lines(
        folder / "files" / "gold.jsonl",
        [{"query_id": "q2", "passage_id": "g1", "text": "The whole of it."}],
    )
    run = run_file(folder / "files" / "s.run", {"q1/s": ["p2"]}, "two")
    qrels = folder / "files" / "s.qrels"
    qrels.write_text("q1/s 0 p1 1\n")
    direct = graded_file(
        folder / "files" / "direct.jsonl",
        {
            query: [graded_passage(p, query, {}, direct=n) for n, p in enumerate(many)]
            for query, many in {"q1": ["p1", "p2"], "q2": ["p3", "p4"]}.items()
        },
    )
    path = folder / "full.db"
    with Workspace.open(path, create=True, judge="ann") as workspace:
        workspace.import_(**files, min_relevance=2, title="Full")
        workspace.import_(autograder=direct)
        workspace.import_(runs=run, judgments=qrels)
        workspace.set_up(
            guidelines="*Read* first.",
            human_first=1,
            generation=GenerationRequest("m", count=3),
        )
        workspace.grade("embedding", encoder=FakeEncoder())
        workspace.apply(Reword("q1/a", "Why so?"), shown="{}", nonce="n1", seconds=2.5)
        workspace.apply([Retire("q2/c", "too vague"), Add("q2", "Where?")])
        workspace.undo()
        workspace.redo()
        proposed(workspace)
        workspace.release("v1", grader="embedding", allow_partial=True, why="first")
        workspace.apply([Vote("q1/a", "vital"), Done("q1")])
        workspace.apply(JudgeAnswer("q1/b", "because", "right"))
        drawn = CheckPair("q1", "q1/b", "p2", "unsure", 0.25, 8, 1.5, at="2026-01-01")
        workspace.apply([drawn, CheckPair("q1", None, "p1", "3", at="2026-01-02")])
        workspace.apply(MarkIdeal("q1", Ideal("p1", 0, 4)))
        workspace.apply(Dismiss("q1", "no-answer q1/a", "0", "not yet"))
        workspace.apply(WriteNote("q1/a", "Too wide?", flagged=True))
        workspace.grade("embedding", encoder=FakeEncoder())
        workspace.import_(gold=gold)
        workspace.grade("embedding", encoder=FakeEncoder())
        workspace.grade("embedding", encoder=FakeEncoder(), depth=1)
    with Workspace.open(path, judge="bob") as workspace:
        workspace.apply([Vote("q1/a", "okay"), Vote("q1/b", "okay")])
        workspace.release("v2/é", grader=RATED, allow_partial=True)
        workspace.decide("vote q1/a", "vital")
        workspace.open_norming(items=[("q1", "q1/a", "p1")])
        workspace.answer_norming(1, 1, "yes")
        workspace.reveal_norming()
        workspace.comment_norming(1, 1, "As it says.")
    return path


def proposed(workspace: Workspace) -> None:
    """One asking with an answer, of which one proposal is kept and one is not."""
    connection = workspace.connection
    ask = FilledPrompt(
        "q1", None, "p1", "dl", "question", "Ask!", "m", {"n": "2"}, "key"
    )
    with write_transaction(connection):
        (number,) = generations.claim(connection, [ask], holder="h:1:x", by="ann")
        counts = {"texts_read": 2, "proposed": 2, "error": None, "broken": False}
        response = Response("[…]")
        generations.finish(connection, number, response, holder="h:1:x", **counts)
    provenance = json.dumps({"generation": number})
    texts = ("Who says so?", "Since when?")
    workspace.apply([Propose("q1", one, provenance) for one in texts], by="chat:m")
    kept = next(q for q in workspace.bank() if q.text == texts[0])
    workspace.apply(Keep(kept.question_id))


@pytest.fixture(scope="module")
def full(tmp_path_factory) -> Path:
    """The full workspace; not to be changed."""
    return full_workspace(tmp_path_factory.mktemp("full"))


@pytest.fixture(scope="module")
def bundle(full, tmp_path_factory) -> Path:
    """Its bundle; not to be changed."""
    path = tmp_path_factory.mktemp("bundle") / "full.zip"
    with Workspace.open(full, judge="ann") as workspace:
        workspace.export("bundle", path, grader=RATED, allow_partial=True)
    return path


@pytest.fixture
def rebuilt(bundle, tmp_path) -> Iterator[Workspace]:
    """A workspace rebuilt from the bundle, which a test may change."""
    with Workspace.open(tmp_path / "rebuilt.db", create=True, judge="eve") as workspace:
        workspace.import_bundle(bundle)
        yield workspace


def rows(path: Path) -> dict[str, Any]:
    """Every table that a bundle holds, row by row."""
    return {name: rows for name, rows in dump(path).items() if name not in STAYS_BEHIND}


def test_a_rebuilt_workspace_is_equal_table_by_table(full, rebuilt):
    there, here = rows(full), rows(rebuilt.path)
    # Other tests bundle segments and frequencies; the rest is work that goes on.
    empty = {name for name, found in there.items() if not found}
    assert empty == {
        "job", "claim", "to_check", "person", "restriction", "assignment", "handed",
        "segment", "frequencies",
    }  # fmt: skip
    assert here == there


def test_a_rebuilt_workspace_gives_the_same_bundle_at_another_time(
    bundle, rebuilt, tmp_path
):
    again = tmp_path / "again.zip"
    rebuilt.judge = "ann"
    rebuilt.export("bundle", again, grader=RATED, allow_partial=True)
    first, second = map(members_of, (bundle, again))
    assert list(first) == list(second)
    differing = {name for name in first if first[name] != second[name]}
    assert differing <= {DATABASE, MANIFEST, SUMS}
    manifests = [json.loads(members[MANIFEST]) for members in (first, second)]
    assert manifests[0] == manifests[1] | {"at": manifests[0]["at"]}


def test_every_number_of_a_rebuilt_workspace_is_equal(rebuilt, bundle):
    found = rebuilt.verify()
    assert found.problems == ()
    # grades that came since have changed its labels
    assert any("release 'v1'" in note for note in found.notes)
    with zipfile.ZipFile(bundle) as zipped:
        numbers = json.loads(zipped.read(MANIFEST))["numbers"].keys()
    paths = {one.path for one in found.files}
    assert {one for one in paths if not one.startswith("collection/")} == numbers
    # by hand: qrels of 3 graders and 2 releases; each of the 2 releases' boards, and 8
    # boards of graders: Cover, P@20 and nDCG@10, of the direct grader no Cover
    assert len(numbers) == 3 + 2 + 2 + 8
    assert sum(one.numbers for one in found.files) > len(numbers)
    assert paths - numbers == {
        *("collection/judgments.qrels", "collection/official.json"),
        *("collection/runs/one.run", "collection/runs/two.run"),
    }
    assert len(rebuilt.verify(bundle).files) == 2 * len(paths)


def test_a_release_goes_out_in_its_canonical_form(bundle, full):
    with Workspace.open(full) as workspace:
        hashes = {one.name: one.sha256 for one in workspace.releases()}
    with zipfile.ZipFile(bundle) as zipped:
        for name, file in {"v1": "v1", "v2/é": "v2_é"}.items():
            content = zipped.read(f"releases/{file}.json")
            assert hashlib.sha256(content).hexdigest() == hashes[name]


def test_the_secret_of_blind_mode_and_what_is_being_asked_stay_behind(full, tmp_path):
    path = shutil.copy(full, tmp_path / "blind.db")
    with Workspace.open(path, judge="ann") as workspace:
        workspace.set_up(blind=True)
        salt = workspace.collection().mask_salt
        ask = FilledPrompt("q2", None, None, "dl", "question", "Now!", "m", {}, "other")
        with write_transaction(workspace.connection):
            generations.claim(workspace.connection, [ask], holder="host:77:x", by="ann")
        workspace.export("bundle", tmp_path / "b.zip", allow_partial=True)
    refused = pytest.raises(EvaluationError, match="organizer")
    with Workspace.open(path, judge="eve", as_judge=True) as judge, refused:
        judge.export("bundle", tmp_path / "c.zip", allow_partial=True)
    everything = b"".join(members_of(tmp_path / "b.zip").values())
    assert salt
    assert salt.encode() not in everything
    assert b"host:77:x" not in everything
    with Workspace.open(tmp_path / "new.db", create=True) as rebuilt:
        rebuilt.import_bundle(tmp_path / "b.zip")
        assert rebuilt.collection().mask_salt not in ("", salt)


def test_a_bundle_is_rebuilt_only_where_nothing_is(rebuilt, bundle):
    before = dump(rebuilt.path)
    with pytest.raises(WorkspaceError, match=r"import NEW\.db --bundle full\.zip"):
        rebuilt.import_bundle(bundle)
    assert dump(rebuilt.path) == before


# Bundles whose hashes are right and whose values mean harm

Members = dict[str, bytes]


def members_of(bundle: Path) -> Members:
    with zipfile.ZipFile(bundle) as zipped:
        return {name: zipped.read(name) for name in zipped.namelist()}


def write_bundle(target: Path, members: Members, skipped: tuple[str, ...] = ()) -> Path:
    """Zip these files under hashes that are right, of all but the ``skipped`` ones."""
    lines = [
        f"{hashlib.sha256(content).hexdigest()}  {name}\n"
        for name, content in sorted(members.items())
        if name not in (SUMS, *skipped)
    ]
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in (members | {SUMS: "".join(lines).encode()}).items():
            zipped.writestr(name, content)
    return target


def altered(bundle: Path, target: Path, change: Callable[[Members], object]) -> Path:
    """A copy with other members, under hashes that are right again."""
    members = members_of(bundle)
    change(members)
    return write_bundle(target, members)


def former_bundle(path: Path, target: Path, changed: Members | None = None) -> Path:
    """A bundle as the version before wrote it, of a workspace of any schema."""
    members: Members = {}
    with closing(sqlite3.connect(path)) as connection:
        (schema,) = connection.execute("PRAGMA user_version").fetchone()
        for (table,) in connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table'"
        ).fetchall():
            if table in EXCLUDED_TABLES | {"digest", "_sqlite_migrations"}:
                continue
            cursor = connection.execute(f"SELECT * FROM {table}")
            names = [name for name, *_ in cursor.description]
            lines = [
                json.dumps(
                    {
                        name: base64.b64encode(value).decode()
                        if isinstance(value, bytes)
                        else value
                        for name, value in zip(names, row, strict=True)
                    }
                )
                for row in cursor
            ]
            content = "".join(f"{line}\n" for line in lines)
            members[f"tables/{table}.jsonl"] = content.encode()
    members |= changed or {}
    manifest = {
        "format": FORMER_FORMAT,
        "schema": schema,
        "made_by": "Curator 0.1.0",
        "at": "2026-01-01T00:00:00.000+00:00",
        "files": {name: {"sha256": "", "size": 0} for name in members},
    }
    members[MANIFEST] = json.dumps(manifest).encode()
    return write_bundle(target, members, (MANIFEST,))


def in_database(*statements: str) -> Callable[[Members], None]:
    """The change of a bundle's database that these statements make."""

    def change(members: Members) -> None:
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            connection.deserialize(members[DATABASE])
            connection.execute("PRAGMA ignore_check_constraints = ON")
            connection.execute("PRAGMA writable_schema = ON")
            for statement in statements:
                assert connection.execute(statement).rowcount
            members[DATABASE] = connection.serialize()

    return change


def instead(name: str, content: bytes) -> Callable[[Members], None]:
    """The change that gives a member this content."""
    return lambda members: members.update({name: content})


TRIGGER = "CREATE TRIGGER t AFTER INSERT ON mark BEGIN DELETE FROM event; END"
LOOSE = "CREATE TABLE official (system TEXT PRIMARY KEY, rank REAL) STRICT"
NO_PASSAGE = "UPDATE ranking SET passages = x'ffff7f00', scores = zeroblob(8)"
CHECK = '{"item":"How is it?","passage_id":"p1"}'
HARM: list[tuple[Callable[[Members], object], str]] = [
    (lambda members: members.pop(DATABASE), "has contents that no"),
    (instead(DATABASE, b"q1"), "not a database"),
    (in_database("PRAGMA user_version = 99"), "by a newer Curator"),
    (in_database(TRIGGER), "the schema has an unknown trigger t"),
    (in_database("DROP TABLE official", LOOSE), "schema has another table official"),
    (in_database("UPDATE question SET state = 'lost'"), "CHECK constraint failed"),
    (in_database("UPDATE text SET body = 'Other.' WHERE body = 'Text of p1.'"), "text"),
    (
        in_database("UPDATE rating_vector SET ratings = x'0303' WHERE grader_id = 1"),
        "do not follow from",
    ),
    (in_database(f"{NO_PASSAGE} WHERE query_id = 'q1'"), "has a missing passage"),
    (in_database("UPDATE item SET choices = '{\"A\": 1}'"), "rows that cannot be read"),
    (in_database("UPDATE release SET body = '{}'"), "is not what was frozen"),
    (in_database("UPDATE event SET question_id = 'q1/z'"), "from the history"),
    (
        in_database(f"UPDATE mark SET target = '{CHECK}' WHERE value LIKE '%unsure%'"),
        "a check mark of query 'q1' does not follow from the history",
    ),
]


@pytest.mark.parametrize(("change", "expected"), HARM)
def test_a_bundle_with_right_hashes_and_wrong_values_is_refused_in_a_line(
    change, expected, bundle, tmp_path
):
    crafted = altered(bundle, tmp_path / "x.zip", change)
    with Workspace.open(tmp_path / "new.db", create=True) as workspace:
        before = dump(workspace.path)
        with pytest.raises(BundleError, match=r"^x\.zip") as refused:
            workspace.import_bundle(crafted)
        assert expected in str(refused.value)
        assert "\n" not in str(refused.value)
        assert dump(workspace.path) == before
        (on,) = workspace.connection.execute("PRAGMA foreign_keys").fetchone()
        assert on == 1


NUMBERS = (
    "The numbers of 15 files (qrels, boards) were not recomputed; `curator verify "
    "WORKSPACE` recomputes and compares them."
)


@pytest.mark.parametrize("schema", [31, 32, SCHEMA_VERSION])
def test_a_bundle_of_the_version_before_is_rebuilt(full, tmp_path, schema):
    path = tmp_path / "older.db"
    if schema < SCHEMA_VERSION:
        older_workspace(tmp_path, schema)
    else:
        shutil.copy(full, path)
    former = former_bundle(path, tmp_path / "x.zip")
    with Workspace.open(path, judge="ann") as workspace:
        before = workspace.bank(), workspace.norming_rounds()
    with Workspace.open(tmp_path / "new.db", create=True, judge="ann") as workspace:
        workspace.import_bundle(former)
        assert workspace.verify().problems == ()
        assert (workspace.bank(), workspace.norming_rounds()) == before
    assert rows(tmp_path / "new.db") == rows(path)


def test_a_bundle_that_was_zipped_again_on_windows_is_read(bundle, tmp_path):
    members = {"Thumbs.db": b"\0", "qrels/": b""}
    for name, content in members_of(bundle).items():
        members[name.replace("/", "\\")] = content
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as zipped:
        for name, content in members.items():
            zipped.writestr(name, content)
    with Workspace.open(tmp_path / "new.db", create=True) as workspace:
        *notices, system_files = workspace.import_bundle(tmp_path / "x.zip").notices
    assert notices == [NUMBERS]
    assert "operating system" in system_files


# The command line


def test_verify_says_equal_and_else_where_not(bundle, tmp_path):
    new = tmp_path / "new.db"
    run("import", new, "--bundle", bundle)
    assert "computed again; equal" in run("verify", new).output
    with closing(sqlite3.connect(new)) as connection, connection:
        connection.execute(
            "UPDATE published SET body = replace(body, 'q1 0 p2 4', 'q1 0 p2 5') "
            "WHERE path = 'releases/v2_é.qrels'"
        )
    verified = json.loads(run("verify", new, "--format", "json", code=1).stdout)
    (unequal,) = [file for file in verified["files"] if not file["equal"]]
    assert unequal["path"] == "releases/v2_é.qrels"
    (line,) = unequal["lines"]
    assert (line["there"], line["here"]) == ("q1 0 p2 5", "q1 0 p2 4")
    assert "1 not equal" in run("verify", new, code=1).output
