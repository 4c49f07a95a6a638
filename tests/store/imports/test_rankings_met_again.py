"""A ranking that comes again agrees with the first, fills it, or is refused."""

import pytest

from curator.errors import ImportConflictError
from curator.workspace import Workspace
from tests.samples.workspaces import dump, graded_file, graded_passage

FIRST = ("p1 1 9", "p2 2 8", "p3 3 7")  # passage, rank, score
TWICE = (*FIRST, "p1 4 6")
DIFFERS = (
    "1 ranking with other scores or ranks than in this workspace: what is here stays, "
    "and missing ranks were added."
)


@pytest.fixture
def empty(tmp_path):
    with Workspace.open(tmp_path / "w.db", create=True, judge="ann") as opened:
        yield opened


def run(folder, lines):
    path = folder / "a.run"
    path.write_text("".join(f"q1 Q0 {line} one\n" for line in lines))
    return path


def graded(folder, ranks):
    passages = [
        graded_passage(passage, "q1", {"q1/a": 5}, ranks={"one": rank})
        for passage, rank in ranks.items()
    ]
    return graded_file(folder / "graded.jsonl", {"q1": passages})


def ranked(workspace, folder):
    """What an export says of the ranking, written as in ``run``."""
    workspace.export("runs", folder / "out.run")
    lines = (line.split() for line in (folder / "out.run").read_text().splitlines())
    return [f"{one} {rank} {float(score):g}" for _, _, one, rank, score, _ in lines]


def met(summary):
    """The notices about rankings that were there."""
    return [notice for notice in summary.notices if notice == DIFFERS]


@pytest.mark.parametrize(
    ("first", "again", "kept", "new"),
    [
        (FIRST, FIRST, FIRST, False),
        (FIRST, ("p1 1 3", "p2 2 2", "p3 3 1"), FIRST, False),
        (FIRST, ("p1 1 9", "p2 2 1"), FIRST, False),
        (FIRST[:2], FIRST, FIRST, True),
        (FIRST[::2], FIRST[::-2], FIRST[::2], False),  # nothing at rank 2 in either
        (FIRST[::2], FIRST, FIRST, True),
        (FIRST[1:2], FIRST, FIRST, True),
        # that a passage stands at a worse rank too says nothing
        (TWICE, FIRST, TWICE, False),
    ],
)
def test_a_run_that_agrees_stays_as_it_first_came_and_what_differs_is_said(
    tmp_path, empty, first, again, kept, new
):
    empty.import_(runs=run(tmp_path, first))
    (summary,) = empty.import_(runs=run(tmp_path, again))
    assert ranked(empty, tmp_path) == list(kept)
    assert met(summary) == [DIFFERS] * (sorted(again) != sorted(first))
    assert bool(summary.new) == new


@pytest.mark.parametrize(
    ("again", "line", "said"),
    [
        (("p2 1 9", "p1 2 8"), 1, "rank 1 is 'p2' in the file and 'p1'"),
        (("p9 1 1", *FIRST[1:]), 1, "rank 1 is 'p9' in the file and 'p1'"),
    ],
)
def test_a_run_that_ranks_otherwise_is_refused(tmp_path, empty, again, line, said):
    empty.import_(runs=run(tmp_path, FIRST))
    before = dump(tmp_path / "w.db")
    with pytest.raises(ImportConflictError, match=f"^a.run, line {line}: .*{said}"):
        empty.import_(runs=run(tmp_path, again))
    assert dump(tmp_path / "w.db") == before


def test_a_graded_file_may_leave_ranks_out_and_one_passage_has_one_rank(
    tmp_path, empty
):
    empty.import_(runs=run(tmp_path, FIRST))
    # Scores are 1/rank there, and the text at rank 1 was not to be had.
    (summary,) = empty.import_(autograder=graded(tmp_path, {"p2": 2, "p3": 3, "p4": 5}))
    assert ranked(empty, tmp_path) == [*FIRST, "p4 5 0.2"]
    assert met(summary) == [DIFFERS]
    for ranks, said in (
        ({"p2": 3}, "at rank 3 is 'p2' in the file and 'p3' in the workspace"),
        ({"p2": 4}, "'p2' is at rank 4 in the file and at rank 2 in the workspace"),
        (
            {"p2": 2, "p4": 4},
            "'p4' is at rank 4 in the file and at rank 5 in the workspace",
        ),
    ):
        with pytest.raises(ImportConflictError, match=f"^graded.jsonl, line 1.*{said}"):
            empty.import_(autograder=graded(tmp_path, ranks))
