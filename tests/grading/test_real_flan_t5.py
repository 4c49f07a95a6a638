"""FLAN-T5-large itself against its published ratings, where its weights are at hand.

CURATOR_FLAN_T5=/models/flan-t5-large python -m pytest -m flan_t5
"""

from __future__ import annotations

import gzip
import json
import os
import random
from pathlib import Path

import pytest

from grading.items import Item
from grading.registry import open_grader

PAIRS = 200
PART_OPTIONS = (
    0.95  # the published ones were made with other versions, on another device
)


@pytest.fixture
def weights() -> Path:
    folder = os.environ.get("CURATOR_FLAN_T5")
    if not folder:
        pytest.skip("no FLAN-T5-large here: set CURATOR_FLAN_T5 to its folder")
    return Path(folder)


def published_pairs(folder: Path) -> list[tuple[str, str, int]]:
    """(question, passage, published rating) of DL19, drawn with a seed.

    Half of them are rated 1 or more; of all pairs only a sixth are.
    """
    texts = {}
    with gzip.open(folder / "dl19" / "questions.jsonl.gz", "rt") as lines:
        for line in lines:
            record = json.loads(line)
            for item in record.get("items") or record["questions"]:
                texts[item["question_id"]] = item["question_text"]
    pairs = []
    with gzip.open(folder / "dl19" / "graded.jsonl.gz", "rt") as lines:
        for line in lines:
            _, passages = json.loads(line)
            pairs += [
                (texts[one["question_id"]], passage["text"], one["self_rating"])
                for passage in passages
                for one in passage["exam_grades"][0]["self_ratings"]
            ]
    draw = random.Random(2019)
    rated = [pair for pair in pairs if pair[2]]
    zeros = [pair for pair in pairs if not pair[2]]
    return draw.sample(rated, PAIRS // 2) + draw.sample(zeros, PAIRS // 2)


@pytest.mark.flan_t5
@pytest.mark.real_data
def test_published_ratings_come_out_again(shared_data, weights):
    grader = open_grader(f"flan-t5:{weights}/float32")
    pairs = published_pairs(shared_data)
    items = [Item("question", question) for question, _, _ in pairs]
    prompts = [
        grader.prompt_for(item, passage)
        for item, (_, passage, _) in zip(items, pairs, strict=True)
    ]
    said = {at: one.raw for batch in grader.ask(prompts) for at, one in batch}
    equal = sum(
        grader.read(said[at], (), items[at]) == rating
        for at, (_, _, rating) in enumerate(pairs)
    )
    assert equal >= PART_OPTIONS * PAIRS, f"{equal} of {PAIRS} ratings are as published"
