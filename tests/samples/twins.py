"""Two workspaces that differ in nothing but the values of hidden marks."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from shutil import copy

from curator.bank.edits import CheckPair, Decide, Dismiss, JudgeAnswer, Vote
from curator.workspace import Workspace
from tests.samples.restricted import secretive_workspace

OTHER = {"vital": "okay", "yes": "no", "right": "wrong"}


def twin_workspaces(folder: Path) -> tuple[Path, Path]:
    """Two workspaces in which the marks that ann may not see have other values."""
    path = secretive_workspace(folder)
    with Workspace.open(path, judge="owner") as owner:
        begin = owner.baselines().latest
        owner.apply(
            [
                Vote("q1/b", "vital"),
                Vote("q2/c", "vital"),
                CheckPair("q1", "q1/b", "p1", "yes"),
                CheckPair("q2", "q2/c", "p4", "yes"),
                JudgeAnswer("q2/c", "Ann", "right"),
                Dismiss("q2", "check q2/c p4", "0", "yes"),
                Decide("q2", "vote q2/c", "vital", "0"),
            ],
            by="bo",
        )
        gold = [{"query": "q2", "question": "q2/c", "passage": "p4", "answer": "yes"}]
        owner.mark_gold(gold)
        number = owner.open_norming(items=[("q2", "q2/c", "p4")]).round.round_id
    with Workspace.open(path, judge="bo") as bo:
        bo.answer_norming(number, 1, "yes")
    with Workspace.open(path, judge="ann", as_judge=True) as ann:
        ann.draw_batch("pairs", seed=1)
    (folder / "twin").mkdir()
    twin = Path(copy(path, folder / "twin" / path.name))
    with closing(sqlite3.connect(twin)) as connection, connection:
        for value, other in OTHER.items():
            flip = f"replace({{}}, '\"{value}\"', '\"{other}\"')"
            connection.execute(
                f"UPDATE mark SET value = {flip.format('value')} WHERE NOT EXISTS ("
                "SELECT * FROM mark AS own WHERE own.judge = 'ann' AND "
                "(own.query_id, own.kind, own.target) = "
                "(mark.query_id, mark.kind, mark.target))"
            )
            sides = [f"{side} = {flip.format(side)}" for side in ("before", "after")]
            connection.execute(
                f"UPDATE event SET {', '.join(sides)} WHERE event_id > ?", [begin]
            )
    return path, twin
