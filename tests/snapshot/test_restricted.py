"""Restricted queries: their texts reach organizers alone, their numbers everybody.

Every text of query q1 holds one word. It is looked for in whatever any method of the
workspace says, in every exported file, and in what an endpoint is sent.
"""

from __future__ import annotations

import zipfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from curator.bank.edits import Add, CheckPair, Retire, Vote
from curator.errors import (
    BundleError,
    CuratorError,
    NormingError,
    RoleError,
)
from curator.formats.registry import exports
from curator.workspace import Workspace
from tests.samples.restricted import (
    GRADER,
    SECRET,
    secretive_workspace,
)
from tests.snapshot.reading import everything

LINE = "Restricted: shown to organizers alone"
NUMBERS = (
    *("agreement", "check_quality", "compare", "coverage"),
    *("drawn_board", "grader_agreement", "graders", "impact"),
    *("judges", "judgments", "labels", "leaderboard", "leave_out", "leave_out_each"),
    *("letters", "pool", "pool_to_depth", "progress", "pyramid", "ratings"),
    *("release_drifts", "rouge_agreement", "runs", "scores", "significance", "solo"),
    *("stability", "topics", "validity"),
)
"""The methods that say numbers and ids alone."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The workspace with query q1 restricted."""
    path = secretive_workspace(tmp_path)
    with opened(path, "owner") as owner:
        owner.restrict("q1")
    return path


def opened(path: Path, judge: str) -> Workspace:
    return Workspace.open(path, judge=judge, as_judge=judge != "owner")


def telling(found: dict[str, str]) -> set[str]:
    return {name for name, what in found.items() if SECRET in what}


def test_no_method_tells_judges_and_viewers_of_it_and_numbers_stay(tmp_path):
    path = secretive_workspace(tmp_path)
    with opened(path, "owner") as owner, opened(path, "ann") as ann:
        before = everything(ann)
        assert len(telling(before)) > 15
        owner.restrict("q1")
        after = everything(ann)
        assert telling(after) == set()
        assert {n: after[n] for n in NUMBERS} == {n: before[n] for n in NUMBERS}
        for measure in ("rouge-su4-r", "nDCG@10", "weighted-cover"):
            for grader in (GRADER, "lexical", "people", f"checked:{GRADER}+lexical"):
                board = [
                    str(one.leaderboard(measure, grader=grader)) for one in (owner, ann)
                ]
                assert board[0] == board[1], (measure, grader)
        assert ann.passage("q1", "p1").text == LINE
        assert {one.title for one in ann.bank().questions_of("q1")} == {LINE}
        with opened(path, "vic") as vic:
            assert telling(everything(vic)) == set()
        # An organizer sees what was there, and all do once it is lifted.
        with opened(path, "olga") as olga:
            assert telling(everything(olga)) >= telling(before)
        owner.restrict("q1", lift=True)
        assert telling(everything(ann)) == telling(before)


def test_judges_do_nothing_in_it(path):
    with opened(path, "ann") as ann:
        for edit in (
            Add("q1", "What?"),
            Retire("q1/a"),
            Vote("q1/a", "okay"),
            CheckPair("q1", "q1/a", "p2", "no"),
        ):
            with pytest.raises(RoleError, match="'q1' is restricted") as refused:
                ann.apply(edit)
            assert SECRET not in str(refused.value)
        with pytest.raises(RoleError):
            ann.mark_ideals("q1", "p2")
        with pytest.raises(RoleError):
            ann.undo()  # hers is a batch in both queries
        assert {one.drawn.query_id for one in ann.draw_batch("pairs").pairs} == {"q2"}
    with opened(path, "olga") as olga:
        olga.apply(Retire("q1/a"))
        with pytest.raises(NormingError, match="restricted"):
            olga.open_norming(items=[("q1", "q1/b", "p1")])


def test_organizers_alone_restrict_and_who_did_is_kept(path):
    for judge in ("ann", "vic"):
        with opened(path, judge) as one, pytest.raises(RoleError):
            one.restrict("q1", lift=True)
    with opened(path, "olga") as olga:
        olga.restrict(["q1", "q2"])  # q1 is already
        olga.restrict("q2", lift=True)
        kept = [(one.query_id, one.lifted, one.by) for one in olga.restrictions()]
        assert kept == [
            ("q1", False, "owner"),
            ("q2", False, "olga"),
            ("q2", True, "olga"),
        ]
    with opened(path, "owner") as owner:
        owner.remove_people(everybody=True)
    # Nobody is listed: who reaches the app may do everything but read these.
    with opened(path, "anybody") as anybody, pytest.raises(RoleError):
        anybody.restrict("q1", lift=True)


SLOW = ("paper", "report")
"""Exports that take longer than all others: written once, where it matters."""


def written(folder: Path) -> bytes:
    """All that stands in the files of a folder, and in zips; moments left out."""
    found = b""
    for file in sorted(folder.rglob("*")):
        if zipfile.is_zipfile(file):
            with zipfile.ZipFile(file) as packed:
                found += b"".join(packed.read(name) for name in packed.namelist())
        elif file.is_file():
            lines = file.read_bytes().splitlines()
            found += b"\n".join(one for one in lines if b' "at": "' not in one)
    return found


def exported(
    workspace: Workspace, folder: Path, besides: Collection[str] = ()
) -> dict[str, bytes]:
    """What every kind of export writes, by kind; why not where it refuses."""
    found = {}
    kinds = {kind: form for kind, form in exports().items() if kind not in besides}
    for kind, form in kinds.items():
        options: dict[str, Any] = {"grader": GRADER} if form.of_one_grader else {}
        if form.only_released:
            options = {"release": "v1"}
        target = folder / kind / f"file{form.endings[0]}"
        target.parent.mkdir(parents=True)
        try:
            workspace.export(kind, target, allow_partial=True, **options)
        except CuratorError as error:
            target.write_text(str(error))
        found[kind] = written(target.parent)
    return found


def test_it_stands_in_no_export_whoever_writes_it(tmp_path):
    path = secretive_workspace(tmp_path)
    with opened(path, "owner") as owner:
        before = exported(owner, tmp_path / "before", SLOW)
        told = {kind for kind, found in before.items() if SECRET.encode() in found}
        assert told >= {"bank", "autograder", "grades", "answers", "reports"}
        assert told >= {"queries", "passages", "gold", "bundle"}
        owner.restrict("q1")
        after = exported(owner, tmp_path / "after")
        with opened(path, "ann") as ann:
            of_judge = exported(ann, tmp_path / "ann", SLOW)
        for found in (after, of_judge):
            assert not [kind for kind in found if SECRET.encode() in found[kind]]
        for kind in ("qrels", "question_qrels", "leaderboard", "runs", "judgments"):
            assert after[kind] == before[kind], kind
        summary = owner.export("queries", tmp_path / "queries.out")
        assert summary.notices == ("Restricted queries left out: q1.",)
        assert owner.verify().problems == ()


def test_a_bundle_is_a_workspace_without_it_whose_every_number_can_be_verified(
    path, tmp_path
):
    file = tmp_path / "w.zip"
    with opened(path, "owner") as owner:
        owner.apply(Add("q2", "It is Pteranodon.", kind="nugget"))
        owner.grade("lexical")
        board = owner.leaderboard("cover", grader=GRADER, query_id="q2")
        with opened(path, "olga") as olga:
            summary = olga.export("bundle", file, allow_partial=True)
        assert "release v1, 1 norming round" in " ".join(summary.notices)
        with pytest.raises(BundleError, match="'q1', which this workspace has"):
            owner.verify(against=file)
    with Workspace.open(tmp_path / "new.db", create=True, judge="eve") as other:
        assert "without the restricted queries q1" in str(other.import_bundle(file))
        assert other.verify(against=file).problems == ()
        assert [one.query_id for one in other.collection().queries] == ["q2"]
        again = other.leaderboard("cover", grader=GRADER)
        assert again.standings == board.standings
        stems = other.connection.execute("SELECT by_stem FROM frequencies").fetchall()
        assert len(stems) == 1
        assert SECRET[:8] not in str(stems)
        assert not other.connection.execute("PRAGMA foreign_key_check").fetchall()
