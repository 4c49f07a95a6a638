"""Many sessions at once: what is acknowledged is kept, and nobody holds up another."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchmarks.load import run
from curator.web.components import background_status, session
from curator.workspace import Workspace
from tests.samples.hand_made import hand_made_workspace
from tests.web.conftest import remember


@pytest.mark.long
def test_every_edit_that_sessions_are_answered_is_in_the_history(
    tmp_path: Path, without_model_here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = hand_made_workspace(tmp_path / "work")
    before = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", f"{without_model_here}{os.pathsep}{before}")
    with ThreadPoolExecutor(1) as alone:  # a browser's test leaves a loop in this one
        found = alone.submit(run, path, 3, seconds=0, every=0.5, least=3).result()
    assert found.clicks == found.acknowledged + found.refused >= 9
    assert found.ranks.median <= found.whole.median
    assert found.backup.verified
    assert found.kept == found.acknowledged
    assert found.lost == 0
    with Workspace.open(path) as workspace:
        batches = {e.batch_id for e in workspace.history()}
        assert len(batches) >= found.acknowledged
    assert all(found.lines())


def test_one_run_draws_at_a_time_except_while_one_rests_or_takes_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[str] = []

    def draw(name: str) -> None:
        with session.run():
            drawn.append(name)

    def begun(name: str) -> threading.Thread:
        thread = threading.Thread(target=draw, args=(name,))
        thread.start()
        return thread

    with pytest.raises(RuntimeError), session.run():
        raise RuntimeError  # which leaves its turn to others
    with session.run():
        other = begun("while one rests")
        assert not drawn
        with session.resting():
            other.join(60)
        assert drawn == ["while one rests"]
        third = begun("later")
    third.join(60)
    assert drawn == ["while one rests", "later"]
    monkeypatch.setattr(session, "LONGEST_TURN", 0.01)
    with session.run():
        begun("all the same").join(60)
        assert drawn[-1] == "all the same"
    draw("and again")
    assert drawn[-1] == "and again"


def test_pages_follow_others_in_turns_and_the_query_shown_soon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    monkeypatch.setattr(background_status.time, "monotonic", lambda: now[0])
    turns = background_status.Turns()
    assert turns.take(0.1)
    now[0] = 100.3
    assert not turns.take(0.1)  # another page's
    assert turns.take(0.1, at_once=True)
    now[0] = 100.6
    assert not turns.take(0.1)
    now[0] = 100.75  # by hand: 4 times 100 ms after the last
    assert turns.take(0.1)

    monkeypatch.setattr(background_status, "TURNS", turns)
    this = remember()
    this.drawn, this.drawn_for = ("anywhere", "here"), 0.1
    now[0] = 100.8
    assert not background_status.follows(("anywhere", "here"))
    assert not background_status.follows(("anywhere", "changed"))  # no turn yet
    now[0] = 102.3  # 1.5 s later, whatever the others do
    assert turns.take(10.0)
    assert not background_status.follows(("changed", "here"))
    assert background_status.follows(("anywhere", "changed"))


def test_the_file_is_looked_at_only_where_somebody_changed_it(judging: Path) -> None:
    from curator.bank.edits import Retire

    before = session.file_now()
    assert before == session.file_now() is not None
    with Workspace.open(judging) as one:
        question = next(q for q in one.bank() if q.state == "kept")
        one.apply(Retire(question.question_id))
    assert session.file_now() != before
    changed = session.file_now()
    judging.rename(judging.with_suffix(".old"))
    judging.write_bytes(judging.with_suffix(".old").read_bytes())
    assert session.file_now() != changed  # another file in its place
