"""Every bank format writes texts, choices and keys as they are after edits."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import Add, Retire, Reword, SetKey
from curator.bank.questions import Question
from curator.formats.autograder.bank import BANK_OPTION
from curator.formats.registry import codecs
from curator.workspace import Workspace
from tests.samples.files import sample, written

BANKS = [
    name
    for name, codec in codecs().items()
    if codec.exports and codec.imports and codec.imports.option is BANK_OPTION
]
CHOICES = (("a", "the wind"), ("b", "the moon"), ("c", "the sun"))
KEYS = (  # answers, choices, aggregator
    (("tin",), (), "OR"),
    (("zinc", "copper"), (), "OR"),
    (("copper", "zinc"), (), "OR"),
    (("copper", "zinc"), (), "AND"),
    (("the moon",), CHOICES, "OR"),
    (("the wind",), CHOICES, "OR"),
    (("moon",), (("x", "sun"), ("b", "moon")), "OR"),
    ((), (("x", "sun"), ("y", "moon")), "OR"),
    ((), (), "OR"),
)


def items(workspace: Workspace, kind: str) -> dict[str | None, tuple[object, ...]]:
    """What the format of ``kind`` carries of each kept item, by the item's text."""
    exports = codecs()[kind].exports
    assert exports
    carries = exports.carries.things

    def facts(item: Question) -> tuple[object, ...]:
        keyed = "answers" in carries and item.kind == "question"
        return (
            item.query_id,
            item.choices if "choices" in carries else None,
            item.answers[: 1 if kind == "tqa" else None] if keyed else None,
            item.aggregator if "aggregators" in carries and keyed else None,
        )

    return {
        item.text: facts(item)
        for item in workspace.bank()
        if item.state == "kept" and f"kept {item.kind}s" in carries
    }


def assert_comes_back(workspace: Workspace, kind: str, folder: Path) -> None:
    file = folder / "bank.json"
    workspace.export(kind, file)
    with Workspace.open(folder / "again.db", create=True) as again:
        again.import_(bank=file)
        assert items(again, kind) == items(workspace, kind) != {}
    (folder / "again.db").unlink()


@pytest.mark.parametrize("kind", BANKS)
def test_what_was_edited_is_exported_as_it_is_now(kind: str, tmp_path: Path) -> None:
    with Workspace.open(tmp_path / "a.db", create=True, judge="ann") as workspace:
        workspace.import_(bank=written(tmp_path, sample(kind), "came.json"))
        for answers, choices, aggregator in KEYS:
            edits = [
                SetKey(item.question_id, answers, choices, aggregator=aggregator)
                for item in workspace.bank()
                if item.text is not None
                and (item.answers, item.choices, item.aggregator)
                != (answers, choices, aggregator)
            ]
            workspace.apply(edits)
            assert_comes_back(workspace, kind, tmp_path)
        first, *_, last = workspace.bank()
        key = {"answers": ("tin",), "choices": (("a", "iron"), ("b", "tin"))}
        workspace.apply(Reword(first.question_id, "Which metal?", **key))
        workspace.apply(Add(first.query_id, "Which other?", first.kind, **key))
        workspace.apply(Retire(last.question_id))
        assert_comes_back(workspace, kind, tmp_path)
