"""What proposals cost whoever looks at them: worked out beforehand, and planned."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.timing import Timing, timed
from curator import Workspace
from curator.bank.edits import Propose
from curator.store import grades as store_grades
from curator.store.connection import open_workspace, write_transaction
from curator.store.texts import item_ids, item_of
from curator.verbs.curate import impact
from curator.verbs.proposals import plan as planning
from curator.verbs.proposals.request import GenerationRequest

QUERIES = 10
PROPOSALS = 10  # of each query, the published number


def proposal_lines(name: str, path: Path, *, kept: float) -> list[Timing]:
    """What keeping each of ten proposals would do, and the plan of a whole batch."""
    propose(path)
    with Workspace.open(path, judge="benchmark") as workspace:
        snapshot = workspace.current_snapshot()
        queries = list(snapshot.collection.pools)
        lines = []
        for measure in ("cover", "P@20", "nDCG@10"):
            settings = workspace.settings(measure=measure)
            workspace.leaderboard(settings)
            lines.append(
                timed(
                    f"{name}: what keeping each of {PROPOSALS} proposals would do, "
                    f"{measure}",
                    lambda number, settings=settings: impact.if_kept(
                        snapshot, queries[number % QUERIES], settings
                    ),
                    runs=QUERIES,  # each once: what was worked out is kept
                    budget=kept,
                )
            )
        connection = open_workspace(path)
        order = GenerationRequest(model="a model")
        plan = planning.plan_prompts(snapshot, order)
        lines.append(
            timed(
                f"{name}: the {len(plan.texts)} prompts of a batch, planned",
                lambda _: planning.plan_prompts(snapshot, order),
                runs=5,
            )
        )
        connection.close()
    return lines


def propose(path: Path) -> None:
    """Ten graded proposals in each of the first ten queries."""
    random = np.random.default_rng(0)
    with Workspace.open(path, judge="benchmark") as workspace:
        snapshot = workspace.current_snapshot()
        record = snapshot.gradebook.records[0]
        connection = open_workspace(path)
        for query_id in list(snapshot.collection.pools)[:QUERIES]:
            edits = [
                Propose(query_id, f"What of proposal {number}?", "{}")
                for number in range(PROPOSALS)
            ]
            batch = workspace.apply(edits)
            made = [change.after for change in batch.changes if change.after]
            size = snapshot.collection.pools[query_id].size
            with write_transaction(connection):
                ids = item_ids(connection, [item_of(one) for one in made])
                store_grades.write_ratings(
                    connection,
                    record.grader_id,
                    query_id,
                    {
                        (ids[item_of(one)], 0): dict(
                            enumerate(random.choice([0, 0, 0, 4], size).tolist())
                        )
                        for one in made
                    },
                )
        connection.close()
