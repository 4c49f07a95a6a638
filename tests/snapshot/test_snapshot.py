"""What a process keeps of a workspace is what its file says, and no more is read.

The contract of ``curator.snapshot.snapshot``: a verb sees the file as it is when it is
called; what an edit did not touch is the same object as before; a state once handed
out never changes, so that its parts always belong together.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from curator.bank.edits import Add, Restore, Retire
from curator.snapshot import scoring
from curator.snapshot import settings as chosen_settings
from curator.snapshot.gradebook import grade_matrix
from curator.store import grades as store_grades
from curator.store.connection import write_transaction
from curator.workspace import Workspace
from tests.samples.workspaces import (
    RATED,
    FakeEncoder,
    board_lines,
    demo_workspace,
    one_graded,
    write_lines,
)


def test_nothing_is_read_again_while_nothing_changes(workspace):
    first = workspace.current_snapshot()
    workspace.leaderboard()
    workspace.questions()
    assert workspace.current_snapshot().bank is first.bank
    assert workspace.current_snapshot().collection is first.collection
    assert workspace.leaderboard() is workspace.leaderboard()
    with Workspace.open(workspace.path, judge="bob") as other:
        assert other.current_snapshot().bank is first.bank


def test_an_edit_reloads_only_its_query(workspace):
    before = workspace.current_snapshot()
    workspace.apply(Retire("q1/a"))
    after = workspace.current_snapshot()
    assert after.bank.questions_of("q2") is before.bank.questions_of("q2")
    assert after.bank.questions_of("q1") is not before.bank.questions_of("q1")
    assert after.collection is before.collection
    record = after.grader(RATED)
    grades = [one.gradebook.vectors(record, "q1") for one in (before, after)]
    assert grades[0] is grades[1]
    matrices = [boards.matrix(RATED, "q2", boards.bank) for boards in (before, after)]
    assert matrices[0] is matrices[1]


def test_a_state_once_seen_never_changes(workspace):
    before = workspace.current_snapshot()
    seen = board_lines(workspace.leaderboard())
    workspace.apply([Retire("q1/b"), Add("q2", "Where?")])
    workspace.grade("embedding", encoder=FakeEncoder())
    workspace.import_(
        passages=write_lines(
            workspace.path.parent / "more.jsonl", [{"passage_id": "p9", "text": "More"}]
        )
    )
    workspace.leaderboard()
    settings = chosen_settings.settings(before)
    assert board_lines(scoring.board_of(before, settings, before.bank, None)) == seen


def rated_otherwise(path, query_id):
    """Have all ratings of a query be 0, through a connection of its own."""
    with (
        Workspace.open(path, judge="bob") as other,
        write_transaction(other.connection),
    ):
        stored = store_grades.stored_vectors(other.connection, 1)[query_id]
        vectors = {item: 0 * vector for item, vector in stored.items()}
        store_grades.write_vectors(other.connection, 1, query_id, vectors)


def test_a_state_that_outlived_its_moment_keeps_no_later_grades_as_its_own(workspace):
    before = workspace.current_snapshot()
    with Workspace.open(workspace.path, judge="bob") as other, other.snapshot() as same:
        assert same.gradebook.cache_key(same.grader(RATED), "q1") == (
            before.gradebook.cache_key(before.grader(RATED), "q1")
        )
        rated_otherwise(workspace.path, "q1")
        assert not before.matrix(RATED, "q1", before.bank).ratings.any()
        assert scoring.board(
            before, chosen_settings.settings(before, measure="cover")
        ).scores() == (
            {"one": 0.0, "two": 0.5}  # by hand: nothing is answered in q1
        )
        assert same.matrix(RATED, "q1", same.bank).ratings.any()
        board = scoring.board(same, chosen_settings.settings(same, measure="cover"))
        assert board.scores() == {"one": 0.25, "two": 1.0}


def copy_of(workspace, name):
    """The workspace as it is now, in another file."""
    path = workspace.path.parent / name
    with contextlib.closing(sqlite3.connect(path)) as copy:
        workspace.connection.backup(copy)
    return path


def test_an_older_copy_put_back_in_place_is_noticed(workspace):
    start = board_lines(workspace.leaderboard())
    backup = copy_of(workspace, "backup.db")
    workspace.grade("embedding", encoder=FakeEncoder())
    workspace.apply([Retire("q1/b"), Add("q2", "Where?")])
    workspace.leaderboard()
    workspace.close()
    shutil.copy(backup, workspace.path)  # the same file to the file system
    with Workspace.open(workspace.path) as restored:
        assert board_lines(restored.leaderboard()) == start
        assert [state.name for state in restored.graders()] == [RATED]
        assert len(list(restored.bank())) == 3


def test_threads_that_read_while_one_writes_see_states_that_belong_together(
    tmp_path, demo_folder
):
    """The bank says how many questions are kept; board and pools must say the same."""
    path = tmp_path / "demo.db"
    with demo_workspace(path, demo_folder) as workspace:
        workspace.grade("embedding", encoder=FakeEncoder())
        ids = [q.question_id for q in workspace.bank().questions_of("dust-bowl")]
    stop = threading.Event()

    def read(_: int) -> int:
        looked = 0
        with Workspace.open(path) as mine:
            while not stop.is_set():
                snapshot = mine.current_snapshot()
                settings = mine.settings(grader="embedding")
                board = mine.leaderboard(settings)
                same = scoring.board(snapshot, settings)
                kept = {
                    q: sum(one.state == "kept" for one in snapshot.bank.questions_of(q))
                    for q in snapshot.collection.pools
                }
                pools = snapshot.collection.pools
                assert same.needed == sum(kept[q] * pools[q].size for q in kept)
                assert 0 < board.known <= board.needed
                mine.impact(
                    [Add("dust-bowl", "Where?")],
                    settings=settings,
                    encoder=FakeEncoder(),
                )
                looked += 1
        return looked

    def write() -> None:
        with Workspace.open(path, judge="bob") as mine:
            for number in range(8):
                question = ids[number % len(ids)]
                mine.apply(Retire(question))
                mine.apply([Restore(question), Add("dust-bowl", f"New {number}?")])
                mine.grade("embedding", encoder=FakeEncoder())
                mine.import_(
                    autograder=one_graded(
                        tmp_path / f"more{number}.jsonl",
                        f"new-{number}",
                        "dust-bowl",
                        {ids[0]: number % 6},
                        ranks={f"sys-{number}": 1},
                    )
                )

    with ThreadPoolExecutor(5) as pool:
        readers = [pool.submit(read, i) for i in range(4)]
        try:
            pool.submit(write).result()
        finally:
            stop.set()
        assert all(reader.result() > 0 for reader in readers)
    with Workspace.open(path) as workspace:
        assert workspace.verify().problems == ()


def test_grades_read_after_an_import_fit_the_pool_of_before():
    newer = np.array([5, 0, 3], dtype=np.int8)
    assert grade_matrix([newer, None], 2).tolist() == [[5, 0], [-1, -1]]
