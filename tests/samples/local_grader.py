"""The hand-made collection graded by a model that answers here, as if it had been.

Nothing is asked of any model: what it would have said is written down.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from curator.snapshot.gradebook import GraderRecord
from curator.store import jobs as store_jobs
from curator.store.collection import pool_texts
from curator.store.connection import open_workspace, write_transaction
from curator.store.grades import responder_id_of, write_ratings
from curator.store.responses import put_responses
from curator.store.texts import item_ids, item_of
from curator.verbs.grading.resolve_grader import register_grader
from curator.workspace import Workspace
from grading.readings import (
    ANSWERED,
    CHAT_RATING,
    SELF_RATING,
    answer_of,
    read_response,
)
from grading.responders import ENGINE, GraderSpec, Reading, Responder

LOCAL = "flan-t5-large"
PAID = "chat:some-model"
ANSWERING = "flan-t5-large/qa"

Said = Mapping[tuple[str, str], str]
"""Responses by (question id, passage id); "4" for any other."""


def spec(name: str) -> GraderSpec:
    """A grader of this name; of its model nothing is here."""
    engine = "chat" if name.startswith("chat:") else "flan-t5"
    rating = CHAT_RATING if engine == "chat" else SELF_RATING
    kind, parser = ("answered", ANSWERED) if "/qa" in name else ("rated", rating)
    return GraderSpec(
        name,
        Responder(
            name.partition("/")[0], "1", "{question} {context}", ((ENGINE, engine),)
        ),
        Reading(kind, "question", parser),  # type: ignore[arg-type]
    )


def grade(path: Path, name: str = LOCAL, said: Said | None = None) -> str:
    """Store a response for every kept question and passage; the grader's name."""
    with Workspace.open(path) as workspace:
        bank, pools = workspace.bank(), workspace.collection().pools
    connection = open_workspace(path)
    record = register_grader(connection, GraderRecord(0, spec(name)))
    reading = record.spec.reading
    responder = responder_id_of(connection, record.grader_id)
    with write_transaction(connection):
        for query_id, pool in pools.items():
            texts = pool_texts(connection, query_id)
            for question in bank.questions_of(query_id):
                item = item_of(question)
                item_id = item_ids(connection, [item])[item]
                raws = [
                    (said or {}).get((question.question_id, passage_id), "4")
                    for passage_id in pool.passage_ids
                ]
                responses = [
                    (item_id, text_id, raw, answer_of(reading.kind, raw))
                    for (text_id, _, _), raw in zip(texts, raws, strict=True)
                ]
                put_responses(connection, responder, responses)
                ratings = {
                    at: read_response(reading, raw) for at, raw in enumerate(raws)
                }
                write_ratings(
                    connection, record.grader_id, query_id, {(item_id, 0): ratings}
                )
    connection.close()
    return record.name


def job_row(
    path: Path,
    *,
    total: int = 7,
    by: str = "ann",
    grader: str = LOCAL,
    kind: store_jobs.JobKind = "grade",
    **columns: object,
) -> Path:
    """The workspace with a job of this grader, its row as given; no process."""
    connection = open_workspace(path)
    with write_transaction(connection):
        job = store_jobs.insert_job(
            connection,
            kind,
            {"grader": grader, **({"count": "10"} if kind == "generate" else {})},
            by=by,
            total=total,
            at=0.0,
        )
        named = ", ".join(f"{name} = ?" for name in columns)
        connection.execute(
            f"UPDATE job SET {named} WHERE job_id = ?", (*columns.values(), job)
        )
    connection.close()
    return path
