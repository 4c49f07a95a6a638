"""A damaged file is read or refused; nothing else happens."""

import json
import random

import pytest

from curator.errors import InputFileError
from tests.samples.files import READERS, as_jsonl, gzipped, sample, written

VALUES = (
    *(None, True, False, 0, 1, -1, 6, 2**31, 10**30, 1.5, -0.0, 1e308, ""),
    *(" ", "a b", "q1", "p1", "\t", "\u0000", "\ud800", "é" * 3, "=1", "x" * 5000),
    *([], {}, [[]], [None], {"a": 1}, {"": None}, ["q1", []], {"query_id": "q1"}),
)
JSON_FAMILIES = (
    *("autograder", "bank", "nuggetbank", "nuggetizer", "ragtime", "nugget_docs"),
    "grades",
    *("queries", "passages", "official", "gold", "reports", "tqa"),
)
ROUNDS = 60


def read_or_refused(family, path):
    try:
        parsed = READERS[family](path)
    except InputFileError:
        return
    # What was read can be stored: text is Unicode, columns are of one length.
    for texts in (parsed.passages, parsed.extras, parsed.official):
        for key, text in texts.items():
            f"{key}{text}".encode()
    for grades in parsed.grades:
        columns = (
            *(grades.query_ids, grades.item_ids, grades.passage_ids),
            *(grades.raws, grades.ratings),
        )
        assert {len(column) for column in columns} == {len(grades)}
        assert set(grades.ratings) <= {-2, 0, 1, 2, 3, 4, 5}
        assert set(zip(grades.query_ids, grades.passage_ids, strict=True)) <= set(
            parsed.pooled
        )


def damaged(content, chance):
    content = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(content)) if content else 0
        match chance.randrange(5):
            case 0 if content:
                content[at] ^= 1 << chance.randrange(8)
            case 1:
                del content[at : at + chance.randint(1, 40)]
            case 2:
                content[at:at] = bytes([chance.randrange(256)])
            case 3:
                content = content[:at]
            case _:
                other = chance.randrange(len(content)) if content else 0
                content[at:at] = content[other : other + chance.randint(1, 40)]
    return bytes(content)


def swapped(value, chance):
    """The value with one node somewhere in it replaced, removed or doubled."""
    if isinstance(value, list) and value and chance.random() < 0.9:
        at = chance.randrange(len(value))
        if chance.random() < 0.1:
            return [*value, value[at]]
        return [swapped(v, chance) if n == at else v for n, v in enumerate(value)]
    if isinstance(value, dict) and value and chance.random() < 0.9:
        at = chance.choice(list(value))
        if chance.random() < 0.1:
            return {key: v for key, v in value.items() if key != at}
        return {key: swapped(v, chance) if key == at else v for key, v in value.items()}
    return chance.choice(VALUES)


@pytest.mark.parametrize("pack", [bytes, gzipped], ids=["plain", "gzip"])
@pytest.mark.parametrize("family", READERS)
def test_flipped_cut_and_moved_bytes(tmp_path, family, pack):
    chance = random.Random(f"{family} bytes")
    content = pack(sample(family))
    for _ in range(ROUNDS):
        read_or_refused(family, written(tmp_path, damaged(content, chance)))


@pytest.mark.parametrize("family", JSON_FAMILIES)
def test_swapped_values(tmp_path, family):
    chance = random.Random(f"{family} values")
    content = sample(family)
    whole = family in ("official", "tqa", "nugget_docs")
    values = [json.loads(content)] if whole else None
    for _ in range(2 * ROUNDS):
        lines = values or [json.loads(line) for line in content.splitlines()]
        for _ in range(chance.randint(1, 3)):
            lines = swapped(lines, chance)
        if isinstance(lines, list):
            read_or_refused(family, written(tmp_path, as_jsonl(lines)))
