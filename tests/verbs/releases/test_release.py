"""A release is the bank, the settings and the labels as they stood, and stays so."""

from __future__ import annotations

import random
from pathlib import Path

import ir_measures
import pytest

from curator.bank.edits import Add, Restore, Retire, Reword
from curator.evaluation.grades import NO_LABEL, graded_labels
from curator.store import versions
from curator.store.connection import write_transaction
from curator.verbs import releases
from curator.workspace import Workspace
from tests.samples.tiny_exams import any_correct
from tests.samples.workspaces import (
    RATED,
    graded_file,
    graded_passage,
    one_graded,
    question_bank,
    run_file,
    small_collection,
    write_lines,
)

QUERIES = ("q1", "q2")


def freeze(workspace: Workspace, name: str = "v1", **options: object):
    return workspace.release(name, allow_partial=True, **options)


def sums_of(workspace: Workspace, folder: Path) -> list[bytes]:
    """The bytes of everything that is exported of a release, and its hash."""
    target = folder / "exported.tsv"
    found = [workspace.release_named("v1")[1].sha256.encode()]
    for kind, options in (
        ("qrels", {}),
        ("qrels", {"binary": True}),
        ("leaderboard", {}),
    ):
        workspace.export(kind, target, release="v1", **options)
        found.append(target.read_bytes())
    return found


# What is frozen


@pytest.fixture
def random_grades(tmp_path):
    """A workspace of random ratings and direct grades, a fifth of them missing."""
    dice = random.Random(0)

    def passage(query_id, number):
        asked = [f"{query_id}/{letter}" for letter in "abc"]
        ratings = {item: dice.randrange(6) for item in asked if dice.random() < 0.8}
        return graded_passage(
            f"{query_id}p{number}",
            query_id,
            ratings,
            ranks={"one": number + 1},
            judgment=1,
            direct=dice.randrange(4) if dice.random() < 0.8 else None,
        )

    graded = {query: [passage(query, n) for n in range(6)] for query in QUERIES}
    bank = {query: {f"{query}/{x}": f"Why {x}?" for x in "abc"} for query in QUERIES}
    with Workspace.open(tmp_path / "random.db", create=True) as workspace:
        workspace.import_(
            bank=question_bank(tmp_path / "bank.jsonl", bank),
            autograder=graded_file(tmp_path / "graded.jsonl", graded),
        )
        workspace.apply(Retire("q2/b"))
        yield workspace


@pytest.mark.parametrize("kind", ["rated", "direct"])
@pytest.mark.parametrize("binary", [False, True])
def test_labels_and_counts_are_those_of_the_board_at_that_moment(
    random_grades, kind, binary
):
    snapshot = random_grades.current_snapshot()
    (grader,) = [state for state in random_grades.graders() if state.kind == kind]
    rating = random_grades.fitting_rating(grader.name, 3)
    settings = random_grades.settings(grader.name, "P@3", min_rating=rating)
    record = freeze(random_grades, settings=settings)
    _, frozen = random_grades.release_named("v1")
    board = random_grades.leaderboard(settings)
    assert (frozen.needed, frozen.known) == (board.needed, board.known)
    assert (record.needed, record.known) == (grader.needed, grader.known)
    assert record.known < record.needed
    assert [(s.system, s.rank, s.score, s.stderr) for s in board.standings] == [
        (s.system, s.rank, s.score, s.stderr) for s in frozen.board
    ]
    assert record.questions == 5  # by hand: 2 queries of 3, less one retired
    expected = {}
    for query_id in QUERIES:
        graded = snapshot.matrix(grader.name, query_id, snapshot.bank)
        labels = graded_labels(graded)
        if binary:
            labels = any_correct(graded, snapshot.threshold(settings))
        passages = graded.pool.passage_ids
        for passage_id, label in zip(passages, labels, strict=True):
            if label != NO_LABEL:
                expected[query_id, passage_id] = int(label)
    assert frozen.labels(binary=binary) == expected
    (drift,) = random_grades.release_drifts()
    assert (drift.labels, drift.questions) == ((), 0)


def test_an_unreadable_response_is_frozen_as_unknown_and_not_as_not_asked(workspace):
    connection = workspace.connection
    with write_transaction(connection):
        # int8 by pool position (p1, p2, p0): rated 5, unreadable, not asked
        connection.execute(
            "UPDATE rating_vector SET ratings = x'05FEFF' WHERE query_id = 'q1' AND "
            "item_id = (SELECT item_id FROM question WHERE question_id = 'q1/a')"
        )
        versions.bump(connection, [versions.GRADERS])
    freeze(workspace)
    _, frozen = workspace.release_named("v1")
    query = next(one for one in frozen.queries if one.query_id == "q1")
    assert query.passage_ids == ("p0", "p1", "p2")
    assert query.items[0].ratings == "-5?"


def test_equal_banks_and_grades_have_one_hash_whatever_came_in_first(tmp_path):
    files = small_collection(tmp_path / "files")
    # By the second way p2 comes before p1 into the pool of q1.
    ways = (
        ["autograder", "bank", "runs", "passages", "queries"],
        ["queries", "passages", "two", "one", "bank", "autograder"],
    )
    hashes, pools = set(), set()
    for number, kinds in enumerate(ways):
        path = tmp_path / f"{number}.db"
        with Workspace.open(path, create=True, judge=f"judge {number}") as workspace:
            for kind in kinds:
                if kind in files:
                    workspace.import_(**{kind: files[kind]})
                else:
                    workspace.import_(runs=files["runs"] / f"{kind}.run")
            if number:  # a way that leads back to where it began
                workspace.apply(Reword("q1/a", "Why was it?"))
                workspace.apply(Reword("q1/a", "Why is it?"))
                workspace.apply(Retire("q2/c"))
                workspace.apply(Restore("q2/c"))
            hashes.add(freeze(workspace, f"name {number}", why=f"{number}").sha256)
            pools.add(workspace.collection().pools["q1"].passage_ids)
    assert len(hashes) == 1
    assert len(pools) == 2  # the files did come in another order


# What never changes


def test_nothing_that_comes_later_changes_a_release(tmp_path, workspace):
    workspace.apply(Add("q1", "Where is it?"))
    freeze(workspace, measure="P@2")
    before = sums_of(workspace, tmp_path)
    assert len(set(before)) == len(before)  # there is something in each of them

    workspace.undo()  # takes out a question that is in the release
    workspace.import_(
        autograder=one_graded(tmp_path / "m.jsonl", "p0", "q1", {"q1/a": 5, "q1/b": 5}),
        runs=run_file(tmp_path / "three.run", {"q1": ["p9", "p1"]}, "three"),
        passages=write_lines(
            tmp_path / "p9.jsonl", [{"passage_id": "p9", "text": "Text of p9."}]
        ),
        judgments=_lines(tmp_path / "j.qrels", "q2 0 p4 2\n"),
    )
    assert len(workspace.collection().systems) == 3
    assert sums_of(workspace, tmp_path) == before
    assert workspace.reparse(RATED).new_grader != RATED
    workspace.restore_release("v1")
    with Workspace.open(workspace.path) as again:
        assert sums_of(again, tmp_path) == before


def _lines(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_a_board_can_be_computed_from_a_releases_qrels_by_another_program(
    tmp_path, workspace
):
    freeze(workspace, measure="P@2")
    workspace.export("qrels", tmp_path / "v1", release="v1", binary=True)
    qrels = list(ir_measures.read_trec_qrels(str(tmp_path / "v1")))
    found = {}
    for system in ("one", "two"):
        run = ir_measures.read_trec_run(str(tmp_path / "files/runs" / f"{system}.run"))
        scores = ir_measures.calc_aggregate([ir_measures.P @ 2], qrels, run)
        found[system] = scores[ir_measures.P @ 2]
    _, frozen = workspace.release_named("v1")
    assert {one.system: one.score for one in frozen.board} == pytest.approx(found)
    # by hand: one has p1 of q1 at 5 and nothing of q2, two all three of its passages
    assert found == {"one": 0.25, "two": 0.75}


# What is said of it later


def test_grades_that_came_later_are_drift_and_edits_are_none(tmp_path, workspace):
    freeze(workspace)
    workspace.apply([Reword("q1/a", "Why was it?"), Retire("q2/c")])
    (drift,) = workspace.release_drifts()
    assert (drift.labels, drift.questions) == ((), 2)

    workspace.import_(
        autograder=one_graded(tmp_path / "more.jsonl", "p0", "q1", {"q1/b": 3})
    )
    (drift,) = workspace.release_drifts()
    (label,) = drift.labels  # by hand: of p0 nothing was known
    assert (label.passage_id, label.before, label.after) == ("p0", None, 3)
    assert releases.drift_sentence(drift) == (
        "release 'v1': 1 label has changed since (by new grades, or a new reading "
        "of them); its qrels stay as they were."
    )
    assert workspace.status().notes == (releases.drift_sentence(drift),)


# Two of them, and the workspace as it is


def test_a_release_is_compared_with_the_workspace_under_its_own_settings(workspace):
    freeze(workspace, min_rating=5)
    assert workspace.release_difference("v1").is_empty
    workspace.apply([Reword("q1/a", "Why was it?"), Retire("q2/c")])
    workspace.apply(Add("q2", "Who was it?"))
    found = workspace.release_difference("v1")
    assert [item.text for _, item in found.added] == ["Who was it?"]
    assert [item.item_id for _, item in found.removed] == ["q2/c"]
    assert [new.text for _, _, new in found.reworded] == ["Why was it?"]
    # by hand: without q1/a, p1 falls from 5 to 0; p2 has 4 by q1/b still; p3 and p4 of
    # q2 rested on what is retired now
    assert [(c.passage_id, c.before, c.after) for c in found.labels] == [
        ("p1", 5, 0),
        ("p3", 0, None),
        ("p4", 5, None),
    ]
    assert found.settings[0].min_rating == 5
    board = workspace.leaderboard(min_rating=5).scores()
    assert {m.system: m.score_after for m in found.systems} == board


def test_a_release_is_compared_with_another(workspace):
    freeze(workspace, measure="cover")
    workspace.apply(Retire("q1/b"))
    freeze(workspace, "v2", measure="cover")
    workspace.undo()
    found = workspace.release_difference("v1", "v2")
    assert [item.item_id for _, item in found.removed] == ["q1/b"]
    # by hand: two's Cover stays at 1; one answers all of q1 without b: (1 + 0)/2
    assert [(m.system, m.score_before, m.score_after) for m in found.moved] == [
        ("one", 0.25, 0.5)
    ]
