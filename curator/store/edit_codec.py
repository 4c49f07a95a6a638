"""A change as the history keeps it: its kind, and JSON of before and after."""

from __future__ import annotations

import json
from collections.abc import Mapping

from curator.bank.edits import Change
from curator.bank.marks import Ideal, Judged, Mark, Marked, Voted
from curator.store import bank as store_bank


def base_kind(kind: str) -> str:
    """The kind of edit without what was done to it: "undo retire" is a retire."""
    return kind.removeprefix("undo ").removeprefix("redo ")


def before_and_after(change: Change) -> tuple[str | None, str | None]:
    """What the history keeps of a change, as JSON."""
    match change.mark:
        case None:
            sides = (change.before, change.after)
            return store_bank.question_json(sides[0]), store_bank.question_json(
                sides[1]
            )
        case Voted(question_id, before, after):
            said = {"question_id": question_id}
            return _json(said | {"vote": before}), _json(said | {"vote": after})
        case Judged(question_id, question, answer, before, after):
            said = {"question_id": question_id, "question": question, "answer": answer}
            return _json(said | {"verdict": before}), _json(said | {"verdict": after})
        case Marked(ideal, before, after):
            place = {"passage_id": ideal.passage_id, "start": ideal.start}
            place |= {"end": ideal.end}
            return _json(place | {"ideal": before}), _json(place | {"ideal": after})


def change_from_kept(
    kind: str, query_id: str, before: str | None, after: str | None, reason: str | None
) -> Change:
    """The change that the history kept."""
    done = mark = None
    if base_kind(kind) in ("vote", "verdict", "ideal"):
        mark = mark_from_json(base_kind(kind), str(before), str(after))
        before = after = None
    elif before is None and after is None:
        marked = base_kind(kind) == "done"
        done = marked != kind.startswith("undo ")
    return Change(
        kind=kind,
        query_id=query_id,
        before=store_bank.question_from_json(before),
        after=store_bank.question_from_json(after),
        reason=reason,
        done=done,
        mark=mark,
    )


def mark_from_json(kind: str, before: str, after: str) -> Mark:
    """The mark that the history kept."""
    old, new = json.loads(before), json.loads(after)
    if kind == "vote":
        return Voted(old["question_id"], old["vote"], new["vote"])
    if kind == "verdict":
        words = (old["question_id"], old["question"], old["answer"])
        return Judged(*words, old["verdict"], new["verdict"])
    ideal = Ideal(old["passage_id"], old["start"], old["end"])
    return Marked(ideal, old["ideal"], new["ideal"])


def _json(value: Mapping[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False)
