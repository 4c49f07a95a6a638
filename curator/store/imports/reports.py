"""Generated reports as they came in, and the check that none changes its meaning."""

from __future__ import annotations

import json
from sqlite3 import Connection
from typing import Any

from curator.collection.citations import CITATIONS
from curator.errors import ImportConflictError
from curator.formats.parsed_import import ParsedImport
from curator.formats.reports import FORMAT, LINE, PASSAGES, passage_stem


def read_report_lines(connection: Connection) -> dict[tuple[str, str], str]:
    """The line of every response by run and topic, in the order they came in."""
    rows = connection.execute(
        "SELECT line.key, line.json FROM extra AS line JOIN extra AS made ON "
        "made.entity = ? AND made.key = line.key AND made.format = line.format "
        "WHERE line.entity = ? AND line.format = ? "
        "ORDER BY json_extract(made.json, '$.place'), line.key",
        (PASSAGES, LINE, FORMAT),
    )
    return {tuple(key.split("\t")): line for key, line in rows}


def report_stems(connection: Connection) -> set[str]:
    """What the ids of all responses' passages begin with."""
    return {
        passage_stem(key.split("\t")[1], sha256)
        for key, sha256 in connection.execute(
            "SELECT key, json_extract(json, '$.sha256') FROM extra "
            "WHERE entity = ? AND format = ?",
            (PASSAGES, FORMAT),
        )
    }


def settle_reports(connection: Connection, parsed: ParsedImport) -> list[str]:
    """Give the new responses their places after those that are here; what was noticed.

    Where a response is here already, its own line and place stay. Raises
    ImportConflictError for one with another text, or cut by another tokenizer: the ids
    of its passages would mean other texts.
    """
    keys = [
        key for entity, key, form in parsed.extras if (entity, form) == (LINE, FORMAT)
    ]
    if not keys:
        return []
    stored = {
        (entity, key): text
        for entity, key, text in connection.execute(
            "SELECT entity, key, json FROM extra WHERE format = ?", (FORMAT,)
        )
    }
    place = sum(entity == LINE for entity, _ in stored)
    otherwise = 0
    for key in keys:
        made = json.loads(parsed.extras[PASSAGES, key, FORMAT])
        if (LINE, key) not in stored:
            place += 1
            parsed.extras[PASSAGES, key, FORMAT] = json.dumps(
                made | {"place": place}, sort_keys=True, separators=(",", ":")
            )
            continue
        _refuse_other_passages(parsed, key, made, json.loads(stored[PASSAGES, key]))
        line = parsed.extras.pop((LINE, key, FORMAT))
        del parsed.extras[PASSAGES, key, FORMAT]
        if json.loads(line) != json.loads(stored[LINE, key]):
            otherwise += 1
            run_id, topic_id = key.split("\t")
            parsed.extras.pop((CITATIONS, f"{topic_id}\t{run_id}", FORMAT), None)
    if not otherwise:
        return []
    responses = "response is" if otherwise == 1 else "responses are"
    return [
        f"{otherwise:,} {responses} known here with other fields beside the text, "
        "which stay."
    ]


def _refuse_other_passages(
    parsed: ParsedImport, key: str, made: dict[str, Any], before: dict[str, Any]
) -> None:
    run_id, topic_id = key.split("\t")
    here, there = made["tokenizer"], before["tokenizer"]
    same_cut = made["most"] == before["most"] and made["revision"] == before["revision"]
    if not same_cut or (here != there and not made["revision"]):
        raise ImportConflictError(
            parsed.source,
            f"what run '{run_id}' says of topic '{topic_id}' was cut into passages of "
            f"up to {before['most']} tokens of '{there}' in this workspace; cut by "
            f"'{here}', their ids would mean other texts. Use that tokenizer, or "
            "another workspace.",
            (run_id, topic_id),
        )
    if made["sha256"] != before["sha256"]:
        raise ImportConflictError(
            parsed.source,
            f"run '{run_id}' answers topic '{topic_id}' otherwise in this workspace. "
            "Give a changed run a new name.",
            (run_id, topic_id),
        )
