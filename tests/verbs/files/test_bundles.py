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
from curator.snapshot.gradebook import GraderRecord
from curator.store import generations
from curator.store.bundles.copies import EXCLUDED_TABLES
from curator.store.connection import SCHEMA_VERSION, write_transaction
from curator.store.generations import FilledPrompt
from curator.verbs.files.bundles.contents import file_name
from curator.verbs.grading.resolve_grader import register_grader
from curator.verbs.proposals.request import GenerationRequest
from curator.workspace import Workspace
from grading.models.protocol import Response
from grading.responders import GraderSpec
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


def full_workspace(folder: Path, stored: GraderSpec | None = None) -> Path:
    """A workspace with something of everything that people and models can leave.

    It has the ``stored`` grader from before.
    """
    files = small_collection(folder / "files")
    files["queries"] = write_lines(
        folder / "files" / "queries.jsonl",
        [
            {
                "query_id": "q1",
                "text": "What of q1?",
                "more": {"of": [1, None]},
                "subtopics": [{"subtopic_id": "s", "text": "Süd"}],
            },
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
        if stored:
            register_grader(workspace.connection, GraderRecord(0, stored))
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
        generations.finish(
            connection,
            number,
            Response("[…]"),
            holder="h:1:x",
            error=None,
            broken=False,
            texts_read=2,
            proposed=2,
        )
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
    filled = {name for name, many in there.items() if many}
    # the sample leaves no table empty but those of work that goes on, and of documents
    # in segments, which engine/test_segmented_documents.py bundles, and words, which
    # grading/test_grading_by_words.py does
    assert there.keys() - filled == {
        "job",
        "claim",
        "to_check",
        "person",
        "restriction",
        "assignment",
        "handed",
        "segment",
        "frequencies",
    }
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
    for manifest in manifests:
        del manifest["at"]
    assert manifests[0] == manifests[1]
    databases = []
    for number, members in enumerate((first, second)):
        (tmp_path / f"{number}.db").write_bytes(members[DATABASE])
        databases.append(dump(tmp_path / f"{number}.db"))
    assert databases[0] == databases[1]


def test_every_number_of_a_rebuilt_workspace_is_equal(rebuilt, bundle):
    found = rebuilt.verify()
    assert found.problems == ()
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


def test_labels_that_grades_have_changed_since_a_release_are_a_note(rebuilt):
    found = rebuilt.verify()
    assert any("release 'v1'" in note for note in found.notes)
    assert found.problems == ()


def test_a_rating_changed_after_the_import_is_named_where_it_shows(rebuilt):
    rebuilt.connection.execute(
        "UPDATE rating_vector SET ratings = x'0500' WHERE query_id = 'q1' "
        "AND grader_id = 1 AND item_id = "
        "(SELECT item_id FROM question WHERE question_id = 'q1/b')"
    )
    rebuilt.connection.execute("UPDATE clock SET value = value + 1")
    problems = rebuilt.verify().problems
    # by hand: q1/a was reworded and has no grade, so q1/b alone makes the labels
    assert any("'q1 0 p1 0' in the file, 'q1 0 p1 5' here" in one for one in problems)
    assert any("'q1 0 p2 4' in the file, 'q1 0 p2 0' here" in one for one in problems)
    assert any(
        one.startswith("boards/fake-llm_Rated-cover.tsv, line") for one in problems
    )


CHANGED_HERE = {
    "a judgment": (
        "UPDATE judgment SET grade = 3 WHERE query_id = 'q1' AND grade = 2",
        "collection/judgments.qrels, line 2: 'q1 0 p1 2' in the file, 'q1 0 p1 3' here",
    ),
    "a judgment taken away": (
        "DELETE FROM judgment WHERE query_id = 'q1' AND grade = 2",
        "collection/judgments.qrels, line 2: 'q1 0 p1 2' in the file, nothing here",
    ),
    "an official rank": (
        "UPDATE official SET rank = 9 WHERE rank = 2",
        "collection/official.json, line 3: '\"one\": 2' in the file, '\"one\": 9' here",
    ),
    "a score of a run": (
        "UPDATE ranking SET scores = zeroblob(length(scores)) "
        "WHERE query_id = 'q1' AND system = 1",
        "collection/runs/one.run is not what `curator export WORKSPACE --runs",
    ),
}


@pytest.mark.parametrize("what", CHANGED_HERE)
def test_what_was_official_and_is_otherwise_here_is_named(what, rebuilt, bundle):
    sql, said = CHANGED_HERE[what]
    assert rebuilt.connection.execute(sql).rowcount == 1
    rebuilt.connection.execute("UPDATE clock SET value = value + 1")
    problems = rebuilt.verify(bundle).problems
    for where in ("", "full.zip, "):
        assert any(one.startswith(where + said) for one in problems), problems


def test_judgments_that_came_later_are_a_note(rebuilt, tmp_path):
    judgments = tmp_path / "more.qrels"
    judgments.write_text("q2 0 p9 1\n")
    rebuilt.import_(judgments=judgments)
    found = rebuilt.verify()
    assert found.problems == ()
    note = "collection/judgments.qrels: 1 judgment here is not in it."
    assert note in found.notes


def test_edits_after_the_import_make_no_number_unequal(rebuilt):
    rebuilt.apply([Retire("q1/b"), Add("q1", "Which?")])
    assert rebuilt.verify().problems == ()


def test_a_release_goes_out_in_its_canonical_form(bundle, full):
    with Workspace.open(full) as workspace:
        hashes = {one.name: one.sha256 for one in workspace.releases()}
    with zipfile.ZipFile(bundle) as zipped:
        for name, file in {"v1": "v1", "v2/é": "v2_é"}.items():
            content = zipped.read(f"releases/{file}.json")
            assert hashlib.sha256(content).hexdigest() == hashes[name]


def test_grades_and_history_are_written_for_people(bundle):
    with zipfile.ZipFile(bundle) as zipped:
        grades = lines(zipped, "grades/fake-llm_Rated.jsonl")
        history = lines(zipped, "history.jsonl")
    first = {"query": "q1", "kind": "question", "passage": "p1", "rating": 5}
    # q1/a was reworded since, so no question has these words
    assert grades[0] == first | {"question": None, "text": "Why is it?", "raw": "5"}
    reworded = next(one for one in history if one["kind"] == "reword")
    assert reworded["by"] == "ann"
    assert reworded["before"]["text"] == "Why is it?"
    assert reworded["after"]["text"] == "Why so?"
    retired = next(one for one in history if one["kind"] == "retire")
    assert retired["reason"] == "too vague"


def lines(zipped: zipfile.ZipFile, name: str) -> list[Any]:
    return [json.loads(line) for line in zipped.read(name).splitlines()]


def test_sha256sum_can_check_every_other_file(bundle):
    with zipfile.ZipFile(bundle) as zipped:
        sums = zipped.read("SHA256SUMS").decode().splitlines()
        names = set(zipped.namelist()) - {"SHA256SUMS"}
        assert len(sums) == len(names)
        for line in sums:
            said, name = line.split("  ", 1)
            assert hashlib.sha256(zipped.read(name)).hexdigest() == said


def test_the_secret_of_blind_mode_and_what_is_being_asked_stay_behind(full, tmp_path):
    path = tmp_path / "blind.db"
    shutil.copy(full, path)
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
    with zipfile.ZipFile(tmp_path / "b.zip") as zipped:
        everything = b"".join(map(zipped.read, zipped.namelist()))
    assert salt
    assert salt.encode() not in everything
    assert b"host:77:x" not in everything
    with Workspace.open(tmp_path / "new.db", create=True) as rebuilt:
        rebuilt.import_bundle(tmp_path / "b.zip")
        assert rebuilt.collection().blind
        assert rebuilt.collection().mask_salt not in ("", salt)


def test_a_judge_who_is_not_shown_the_votes_of_others_gets_no_bundle(full, tmp_path):
    path = tmp_path / "full.db"
    shutil.copy(full, path)
    with Workspace.open(path, judge="eve") as workspace:
        workspace.set_up(human_first=0)
    refused = pytest.raises(EvaluationError, match="votes of others")
    with Workspace.open(path, judge="eve", as_judge=True) as workspace, refused:
        workspace.export("bundle", tmp_path / "x.zip", allow_partial=True)
    assert not (tmp_path / "x.zip").exists()


def test_numbers_that_rest_on_missing_grades_are_refused_unless_allowed(full, tmp_path):
    with Workspace.open(full, judge="ann") as workspace:
        with pytest.raises(EvaluationError, match=r"fake-llm/Rated: .* missing"):
            workspace.export("bundle", tmp_path / "x.zip")
        said = workspace.export("bundle", tmp_path / "x.zip", allow_partial=True)
    assert "missing" in said.notices[0]
    with zipfile.ZipFile(tmp_path / "x.zip") as zipped:
        assert json.loads(zipped.read(MANIFEST))["missing_grades"] > 0


def test_a_bundle_is_rebuilt_only_where_nothing_is(rebuilt, bundle, tmp_path):
    before = dump(rebuilt.path)
    with pytest.raises(WorkspaceError, match=r"import NEW\.db --bundle full\.zip"):
        rebuilt.import_bundle(bundle)
    assert dump(rebuilt.path) == before
    with Workspace.open(tmp_path / "titled.db", create=True) as workspace:
        workspace.set_up(title="Mine")
        with pytest.raises(WorkspaceError):
            workspace.import_bundle(bundle)


def test_an_empty_workspace_makes_a_bundle_that_comes_back(tmp_path):
    with Workspace.open(tmp_path / "empty.db", create=True) as workspace:
        workspace.export("bundle", tmp_path / "empty.zip")
        assert workspace.import_bundle(tmp_path / "empty.zip").new == {}
        assert workspace.verify().problems == ()


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


def in_table(table: str, number: int, **values: Any) -> Callable[[Members], None]:
    """The change that gives one row of a table, counted by its key, these values."""
    columns = ", ".join(
        f"{name} = {value}" if isinstance(value, int) else f"{name} = '{value}'"
        for name, value in values.items()
    )
    key = {
        "ranking": "system, query_id",
        "mark": "query_id, kind, target, judge",
        "rating_vector": "grader_id, query_id, item_id, key_id",
        "judgment": "query_id, passage",
        "extra": "entity, key, format",
        "setting": "key",
        "query": "query_id",
    }.get(table, f"{table}_id")
    key = "number" if table in ("passage", "question") else key
    row = f"SELECT {key} FROM {table} ORDER BY {key} LIMIT 1 OFFSET {number}"
    return in_database(f"UPDATE {table} SET {columns} WHERE ({key}) = ({row})")


def instead(name: str, content: bytes) -> Callable[[Members], None]:
    """The change that gives a member this content."""
    return lambda members: members.update({name: content})


EVENT = {"question_id": "q1/a", "query_id": "q1", "text": 5}
HARM: dict[str, tuple[Callable[[Members], object], str]] = {
    "no database": (lambda members: members.pop(DATABASE), "has contents that no"),
    "a text for a database": (instead(DATABASE, b"q1"), "not a database"),
    "a database cut short": (
        lambda members: members.update({DATABASE: members[DATABASE][:8192]}),
        "x.zip: its database",
    ),
    "another schema": (in_database("PRAGMA user_version = 3"), "its schema 3 is not"),
    "a newer schema": (in_database("PRAGMA user_version = 99"), "by a newer Curator"),
    "a trigger": (
        in_database(
            "CREATE TRIGGER t AFTER INSERT ON mark BEGIN DELETE FROM event; END"
        ),
        "the schema has an unknown trigger t",
    ),
    "a trigger with a name of SQLite's own": (
        in_database(
            "CREATE TRIGGER t AFTER INSERT ON mark BEGIN DELETE FROM event; END",
            "UPDATE sqlite_schema SET name = 'sqlite_t' WHERE name = 't'",
        ),
        "its database",
    ),
    "a view in the place of a table": (
        in_database(
            "ALTER TABLE judgment RENAME TO other",
            "CREATE VIEW judgment AS SELECT * FROM other",
        ),
        "the schema has an unknown",
    ),
    "a table without its constraints": (
        in_database(
            "DROP TABLE official",
            "CREATE TABLE official (system TEXT PRIMARY KEY, rank REAL) STRICT",
        ),
        "the schema has another table official",
    ),
    "a virtual table": (
        in_database("CREATE VIRTUAL TABLE v USING fts5(a)"),
        "the schema has an unknown table v",
    ),
    "an index on an expression": (
        in_database("CREATE INDEX i ON text (length(body))"),
        "the schema has an unknown index i",
    ),
    "a state that there is not": (
        in_table("question", 0, state="lost"),
        "CHECK constraint failed",
    ),
    "a blob of an odd size": (
        in_database("UPDATE ranking SET passages = x'00'"),
        "CHECK constraint failed",
    ),
    "a setting that there is not": (
        in_table("setting", 0, key="admin"),
        "CHECK constraint failed",
    ),
    "a row that refers to nothing": (
        in_table("judgment", 0, passage=999),
        "judgment: 1 row with a reference to a missing passage",
    ),
    "a text that is not its hash": (
        in_table("text", 0, body="Other.", letters=6),
        "the text 'Other.' is not the one that was stored",
    ),
    "a text of broken bytes": (
        in_database("UPDATE query SET title = CAST(x'ff41' AS TEXT)"),
        "Could not decode to UTF-8",
    ),
    "a rating that follows from nothing": (
        in_database("UPDATE rating_vector SET ratings = x'0303' WHERE grader_id = 1"),
        "do not follow from what is stored",
    ),
    "a passage's number that is none": (
        in_database(
            "UPDATE ranking SET passages = x'ffff7f00', scores = zeroblob(8) "
            "WHERE query_id = 'q1'"
        ),
        "a ranking of 'q1' has a missing passage",
    ),
    "choices of the wrong shape": (
        in_table("item", 0, choices='{"A": 1}'),
        "rows that cannot be read",
    ),
    "an event of the wrong shape": (
        in_table("event", 0, after=json.dumps(EVENT)),
        "rows that cannot be read",
    ),
    "a time that is none": (
        in_table("batch", 0, at="yesterday"),
        "a row of batch has an invalid at: 'yesterday'",
    ),
    "a grader described as a list": (
        in_table("grader", 0, spec="[]"),
        "Invalid description of a grader",
    ),
    "a grader of another name": (
        in_table("grader", 0, name="other"),
        "the grader 'other' does not match its description",
    ),
    "a release of no shape": (
        in_table("release", 0, body="{}"),
        "is not what was frozen",
    ),
    "a threshold that is no number": (
        in_table("setting", 3, value="many"),
        "its database has contents that no workspace has",
    ),
    "an asking with odd parameters": (
        in_table("generation", 0, parameters="[1]"),
        "its database",
    ),
    "an id with a blank": (
        in_table("passage", 0, passage_id="p 1"),
        "an invalid passage_id: 'p 1'",
    ),
    "a question that the history does not know": (
        in_table("event", 0, question_id="q1/z"),
        "the questions of query 'q1' do not follow from the history",
    ),
    "provenance that the history does not know": (
        in_table("question", 0, provenance="[]"),
        "the questions of query 'q1' do not follow from the history",
    ),
    "a check that the history does not have": (
        in_table("mark", 0, target='{"item":"How is it?","passage_id":"p1"}'),
        "a check mark of query 'q1' does not follow from the history",
    ),
    "a check at no time": (
        in_table("mark", 0, at="then"),
        "a row of mark has an invalid at: 'then'",
    ),
    "a check that nobody can give": (
        in_table("mark", 0, value='{"answer":"maybe"}'),
        "rows that cannot be read",
    ),
    "unknown fields of no shape": (
        in_table("extra", 0, json="[3]"),
        "has extra fields that are not an object",
    ),
}


@pytest.mark.parametrize("what", HARM)
def test_a_bundle_with_right_hashes_and_wrong_values_is_refused_in_a_line(
    what, bundle, tmp_path
):
    change, said = HARM[what]
    crafted = altered(bundle, tmp_path / "x.zip", change)
    with Workspace.open(tmp_path / "new.db", create=True) as workspace:
        before = dump(workspace.path)
        with pytest.raises(BundleError) as refused:
            workspace.import_bundle(crafted)
        assert said in str(refused.value)
        assert "\n" not in str(refused.value)
        assert str(refused.value).startswith("x.zip")
        assert dump(workspace.path) == before
        (on,) = workspace.connection.execute("PRAGMA foreign_keys").fetchone()
        assert on == 1


def test_an_unchanged_copy_of_a_bundle_is_taken(bundle, tmp_path):
    copy = altered(bundle, tmp_path / "x.zip", lambda members: None)
    with Workspace.open(tmp_path / "new.db", create=True) as workspace:
        assert workspace.import_bundle(copy).new["questions"] == 6


NUMBERS = (
    "The numbers of 15 files (qrels, boards) were not recomputed; `curator verify "
    "WORKSPACE` recomputes and compares them."
)
DIFFER = "differs from what this version writes from the same database, which counts."


def gone(members: dict[str, bytes]) -> None:
    del members["releases/v1.json"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda members: None, []),
        *(
            (instead(name, b"{}\n"), [f"{name}: {DIFFER}"])
            for name in (
                "collection/queries.jsonl",
                "history.jsonl",
                "grades/fake-llm_Rated.jsonl",
                "releases/v1.json",
            )
        ),
        (gone, [f"releases/v1.json: {DIFFER}"]),
        (
            instead("grades/nobody.jsonl", b"{}\n"),
            ["grades/nobody.jsonl: not written by this version, so it was not read."],
        ),
        (instead("boards/fake-llm_Rated-cover.tsv", b"x\n"), []),
    ],
)
def test_a_file_to_be_read_that_the_tables_do_not_give_is_told(
    bundle, tmp_path, change, said
):
    crafted = altered(bundle, tmp_path / "x.zip", change)
    with Workspace.open(tmp_path / "new.db", create=True) as workspace:
        assert list(workspace.import_bundle(crafted).notices) == [*said, NUMBERS]


def test_numbers_changed_in_a_bundle_are_taken_and_found_unequal(bundle, tmp_path):
    def change(members: dict[str, bytes]) -> None:
        name = "qrels/fake-llm_Rated.qrels"
        assert b"q1 0 p2 4\n" in members[name]
        members[name] = members[name].replace(b"q1 0 p2 4\n", b"") + b"q2 0 p9 1\n"

    crafted = altered(bundle, tmp_path / "x.zip", change)
    with Workspace.open(tmp_path / "new.db", create=True) as workspace:
        workspace.import_bundle(crafted)
        problems = workspace.verify().problems
    assert problems == (
        "qrels/fake-llm_Rated.qrels, line 2: 'q2 0 p9 1' in the file, nothing here",
        "qrels/fake-llm_Rated.qrels: nothing in the file, 'q1 0 p2 4' here",
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


FORMER_HARM = {
    "a row that is no object": ("query", b'["q1"]\n', "line 1: cannot be read"),
    "a row of another table": ("query", b'{"rank": 1}\n', "expected the fields query_"),
    "a line that is no JSON": ("query", b"\n{\n", "line 1: cannot be read"),
    "a line of deep nesting": ("query", b"[" * 100_000, "line 1: cannot be read"),
    "a huge number": (
        "official",
        b'{"system": "one", "rank": ' + b"9" * 5000 + b"}\n",
        "line 1: cannot be read",
    ),
    "a list for a text": (
        "official",
        b'{"system": [], "rank": 1}\n',
        "line 1: cannot be read",
    ),
    "half a character": (
        "official",
        b'{"system": "\\ud800", "rank": 1}\n',
        "line 1: cannot be read",
    ),
    "a table that there is not": (
        "sqlite_master",
        b"{}\n",
        "cannot be read (table sqlite_master may not be",
    ),
    "a table of no columns": ("vote", b'{"a b": 1}\n', "its fields are no columns"),
}


@pytest.mark.parametrize("what", FORMER_HARM)
def test_a_bundle_of_the_version_before_with_wrong_rows_is_refused(
    what, full, tmp_path
):
    table, content, said = FORMER_HARM[what]
    path = f"tables/{table}.jsonl"
    crafted = former_bundle(full, tmp_path / "x.zip", {path: content})
    with Workspace.open(tmp_path / "new.db", create=True) as workspace:
        before = dump(workspace.path)
        with pytest.raises(BundleError) as refused:
            workspace.import_bundle(crafted)
        assert f"x.zip, {path}" in str(refused.value)
        assert said in str(refused.value)
        assert "\n" not in str(refused.value)
        assert dump(workspace.path) == before


@pytest.mark.parametrize("form", ["macOS", "Windows"])
def test_a_bundle_that_was_zipped_again_is_read(bundle, tmp_path, form):
    members = members_of(bundle)
    if form == "macOS":
        members = {f"full/{name}": content for name, content in members.items()}
        members |= {"__MACOSX/full/._README.txt": b"\0", "full/.DS_Store": b"\0"}
    else:
        members = {name.replace("/", "\\"): body for name, body in members.items()}
        members |= {"Thumbs.db": b"\0", "qrels/": b""}
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as zipped:
        for name, content in members.items():
            zipped.writestr(name, content)
    with Workspace.open(tmp_path / "new.db", create=True) as workspace:
        *notices, system_files = workspace.import_bundle(tmp_path / "x.zip").notices
        assert notices == [NUMBERS]
        assert "operating system" in system_files
        assert workspace.verify().problems == ()


# The command line


def test_a_failed_import_leaves_no_file(bundle, tmp_path):
    broken = altered(bundle, tmp_path / "x.zip", HARM["a trigger"][0])
    found = run("import", tmp_path / "new.db", "--bundle", broken, code=1)
    assert found.output.startswith("Error: x.zip: its database")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["x.zip"]


def test_verify_says_equal_and_else_where_not(bundle, tmp_path):
    new = tmp_path / "new.db"
    run("import", new, "--bundle", bundle)
    found = run("verify", new)
    assert "exported numbers computed again; equal" in found.output
    connection = sqlite3.connect(new)
    with connection:
        connection.execute(
            "UPDATE published SET body = replace(body, 'q1 0 p2 4', 'q1 0 p2 5') "
            "WHERE path = 'releases/v2_é.qrels'"
        )
    connection.close()
    found = run("verify", new, "--format", "json", code=1)
    value = json.loads(found.stdout)
    (unequal,) = [one for one in value["files"] if not one["equal"]]
    assert unequal["path"] == "releases/v2_é.qrels"
    (line,) = unequal["lines"]
    assert (line["there"], line["here"]) == ("q1 0 p2 5", "q1 0 p2 4")
    assert "1 not equal" in run("verify", new, code=1).output


@pytest.mark.parametrize("option", [("--title", "x"), ("--min-relevance", "0")])
def test_no_setting_is_passed_over_beside_a_bundle(bundle, tmp_path, option):
    found = run("import", tmp_path / "new.db", "--bundle", bundle, *option, code=2)
    assert "give --bundle alone" in found.output


def test_the_import_of_a_bundle_counts_what_there_is_by_its_kind(bundle, tmp_path):
    new = run("import", tmp_path / "new.db", bundle).stdout.partition("new: ")[2]
    assert new.startswith("2 queries, 1 subtopic, ")
    assert new.endswith(", 6 questions\n")


@pytest.mark.parametrize("command", ["status", "verify"])
def test_a_bundle_in_the_place_of_a_workspace_is_named_with_the_way_out(
    bundle, command
):
    found = run(command, bundle, code=1)
    assert "full.zip' is a zip file, not a workspace" in found.output
    assert "`curator import NEW.db --bundle full.zip`" in found.output
    assert "--against full.zip" in found.output


@pytest.mark.parametrize("name", ["x.gz", "x.zip.gz", "x.tar.gz", "x.tgz", "x.tar.XZ"])
def test_a_bundle_that_is_to_be_another_archive_is_refused(full, tmp_path, name):
    refused = pytest.raises(EvaluationError, match="name it FILE")
    with Workspace.open(full, judge="ann") as workspace, refused:
        workspace.export("bundle", tmp_path / name, allow_partial=True)


def test_a_good_verification_is_two_lines(rebuilt):
    found = run("verify", rebuilt.path)
    first, second = found.stdout.splitlines()
    assert first.endswith("checked; all as stored")
    assert second.endswith("exported numbers computed again; equal")


def test_a_bad_verification_says_how_many_problems_there_are(rebuilt):
    rebuilt.connection.execute("UPDATE text SET letters = 99 WHERE text_id <= 2")
    found = run("verify", rebuilt.path, code=1)
    assert found.stdout.splitlines()[0].endswith("checked; 2 problems")


def test_verify_compares_a_single_file_with_its_manifest(full, tmp_path):
    with Workspace.open(full) as workspace:
        kinds = {"qrels": "a.qrels.gz", "question_qrels": "q", "leaderboard": "b.csv"}
        for kind, name in kinds.items():
            workspace.export(
                kind, tmp_path / name, grader=RATED, allow_partial=True, measure="P@20"
            )
            found = run("verify", full, "--against", tmp_path / name)
            assert "not equal" not in found.stderr
            manifest = tmp_path / f"{name}.manifest.json"
            assert run("verify", full, "--against", manifest).output == found.output
    board = tmp_path / "b.csv"
    board.write_text(board.read_text("utf-8-sig").replace("0.", "0.9", 1), "utf-8-sig")
    found = run("verify", full, "--against", board, code=1)
    assert "b.csv is not the file described by its manifest" in found.output
    assert "b.csv, line" in found.output
    (tmp_path / "b.csv.manifest.json").unlink()
    found = run("verify", full, "--against", board, code=1)
    assert "its manifest 'b.csv.manifest.json' is missing" in found.output


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("v1", "v1"),
        ("../../x y", "x_y"),
        ("nul", "_nul"),  # a device to Windows, whatever its ending
        ("COM1.old", "_COM1.old"),
        ("console", "console"),
        ("///", "unnamed"),
    ],
)
def test_names_become_names_of_files_everywhere(name, plain):
    assert file_name(name) == plain


def test_the_files_of_a_release_have_one_name(tmp_path, full):
    with Workspace.open(shutil.copy(full, tmp_path / "w.db")) as workspace:
        workspace.release("a/b", allow_partial=True)
        workspace.release("a_b", allow_partial=True)
        workspace.export("bundle", tmp_path / "b.zip", allow_partial=True)
    with zipfile.ZipFile(tmp_path / "b.zip") as packed:
        names = [n for n in packed.namelist() if n.startswith("releases/a_b")]
    assert sorted(names) == [
        f"releases/a_b{number}.{ending}"
        for number in ("-2", "")
        for ending in ("json", "qrels", "tsv")
    ]
