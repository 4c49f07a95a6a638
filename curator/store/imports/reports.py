"""Generated reports as imported, and the check that none changes its meaning."""

from __future__ import annotations

import json
from sqlite3 import Connection
from typing import Any

from curator.collection.citations import CITATIONS
from curator.errors import ImportConflictError
from curator.formats.parsed_import import ParsedImport
from curator.formats.reports import FORMAT, LINE, PASSAGES, passage_stem
from curator.formats.text.notices import Oddities


def read_report_lines(connection: Connection) -> dict[tuple[str, str], str]:
    """Return the line of every response by run and topic, in order of import."""
    rows = connection.execute(
        "SELECT line.key, line.json FROM extra AS line JOIN extra AS made ON "
        "made.entity = ? AND made.key = line.key AND made.format = line.format "
        "WHERE line.entity = ? AND line.format = ? "
        "ORDER BY json_extract(made.json, '$.place'), line.key",
        (PASSAGES, LINE, FORMAT),
    )
    return {tuple(key.split("\t")): line for key, line in rows}


def report_stems(connection: Connection) -> set[str]:
    """Return the prefixes of the passage ids of all responses."""
    return {
        passage_stem(key.split("\t")[1], sha256)
        for key, sha256 in connection.execute(
            "SELECT key, json_extract(json, '$.sha256') FROM extra "
            "WHERE entity = ? AND format = ?",
            (PASSAGES, FORMAT),
        )
    }


def number_reports(connection: Connection, parsed: ParsedImport, odd: Oddities) -> None:
    """Number the new responses after the existing ones.

    If a response exists already, its line and place stay. Raises ImportConflictError if
    it has another text, or was cut by another tokenizer: the ids of its passages would
    mean other texts.
    """
    keys = [
        key
        for entity, key, format_name in parsed.extras
        if (entity, format_name) == (LINE, FORMAT)
    ]
    stored = {
        (entity, key): text
        for entity, key, text in connection.execute(
            "SELECT entity, key, json FROM extra WHERE format = ?", (FORMAT,)
        )
    }
    place = sum(entity == LINE for entity, _ in stored)
    for key in keys:
        passage_info = json.loads(parsed.extras[PASSAGES, key, FORMAT])
        if (LINE, key) not in stored:
            place += 1
            parsed.extras[PASSAGES, key, FORMAT] = json.dumps(
                passage_info | {"place": place}, sort_keys=True, separators=(",", ":")
            )
            continue
        _refuse_other_passages(
            parsed, key, passage_info, json.loads(stored[PASSAGES, key])
        )
        line = parsed.extras.pop((LINE, key, FORMAT))
        del parsed.extras[PASSAGES, key, FORMAT]
        if json.loads(line) != json.loads(stored[LINE, key]):
            odd.count("reports")
            run_id, topic_id = key.split("\t")
            parsed.extras.pop((CITATIONS, f"{topic_id}\t{run_id}", FORMAT), None)


def _refuse_other_passages(
    parsed: ParsedImport, key: str, new: dict[str, Any], stored: dict[str, Any]
) -> None:
    run_id, topic_id = key.split("\t")
    new_tokenizer, stored_tokenizer = new["tokenizer"], stored["tokenizer"]
    same_cut = new["most"] == stored["most"] and new["revision"] == stored["revision"]
    if not same_cut or (new_tokenizer != stored_tokenizer and not new["revision"]):
        raise ImportConflictError(
            parsed.source,
            f"the response of run '{run_id}' to topic '{topic_id}' was split into "
            f"passages of up to {stored['most']} tokens of '{stored_tokenizer}' in "
            f"this workspace; split by '{new_tokenizer}', their ids would mean other "
            "texts. Use the tokenizer of this workspace, or another workspace.",
            (run_id, topic_id),
        )
    if new["sha256"] != stored["sha256"]:
        raise ImportConflictError(
            parsed.source,
            f"run '{run_id}' has another answer to topic '{topic_id}' in this "
            "workspace. "
            "Give a changed run a new name.",
            (run_id, topic_id),
        )
