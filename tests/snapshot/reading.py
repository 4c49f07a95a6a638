"""Calls of every reading verb of a workspace, for the tests of what is hidden."""

from __future__ import annotations

import inspect
from typing import Any

from curator.bank.edits import Retire
from curator.errors import CuratorError
from curator.workspace import Workspace
from tests.samples.histories import READING
from tests.samples.restricted import ANSWERS, GRADER, SECRET

ASKED: dict[str, object] = {
    "against": "lexical",
    "count": 9,
    "edits": [Retire("q1/a")],
    "event": 3,
    "event_ids": [3, 4],
    "grader": GRADER,
    "kind": "validity",
    "measures": ["cover"],
    "name": "v1",
    "named": "v1",
    "passage_id": "p1",
    "depth": 2,
    "passage_ids": ["p1", "p2", "p3"],
    "query_id": "q1",
    "question_id": "q1/a",
    "seed": 1,
    "system": "one",
    "text": "Is it blue?",
    "words": SECRET,
    "dropped.kind": "bank",
    "answers.name": ANSWERS,
    "answering.name": ANSWERS,
    "unreadable.name": GRADER,
    "lags_behind_edits.name": GRADER,
}
"""Arguments by parameter, or by method and parameter."""


def everything(workspace: Workspace, **asked: object) -> dict[str, str]:
    """Return the result of every reading method, or its refusal, by name."""
    values, found = ASKED | asked, {}
    for name in READING:
        method = getattr(workspace, name)
        given: list[object] = []
        options: dict[str, Any] = {}
        for one in inspect.signature(method).parameters.values():
            value = values.get(f"{name}.{one.name}", values.get(one.name))
            if one.default is one.empty and one.kind is one.POSITIONAL_OR_KEYWORD:
                if one.name == "settings":
                    value = workspace.settings(
                        measure="cover", grader=str(values["grader"])
                    )
                given.append(value)
            elif one.name in ("query_id", "seed"):
                options[one.name] = value
        try:
            result = method(*given, **options)
            found[name] = f"{result!r}\n{result}"
        except CuratorError as error:
            found[name] = str(error)
    return found
