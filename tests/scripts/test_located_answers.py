"""The count of located answers that docs/ava.md shows."""

import gzip
import json
from collections import Counter, defaultdict
from itertools import islice

import pytest

from scripts.located_answers import how_located, main, responses, share_located

PASSAGE = "Adult dogs have 42 teeth. Puppies have 28."
ANSWERS = {
    "42 teeth": "exact",
    "adult dogs": "normalised",
    "puppy have 28": "aligned",
    "white teeth": "none",
    "yes": "no extract",
    "unanswerable": "no answer",
    "": "no answer",
}


@pytest.fixture
def folder(tmp_path):
    def record(prompt, answers, **more):
        return {
            "answers": [[f"q/{at}", answer] for at, answer in enumerate(answers)],
            "prompt_info": {"prompt_class": prompt},
            **more,
        }

    paragraph = {
        "paragraph_id": "p1",
        "text": PASSAGE,
        "exam_grades": [
            record("Answering", ANSWERS),
            record("Extracting", ["no"]),
            record("Rating", ["5"], self_ratings=[]),
        ],
    }
    ungraded = {"paragraph_id": "p2", "text": "x", "exam_grades": None}
    with gzip.open(tmp_path / "graded.jsonl.gz", "wt") as file:
        file.write(json.dumps(["q", [paragraph, ungraded]]) + "\n")
    return tmp_path


@pytest.mark.parametrize(("answer", "column"), ANSWERS.items())
def test_every_answer_counts_in_one_column(folder, answer, column):
    found = {r.raw: how_located(r) for r in responses(folder / "graded.jsonl.gz")}
    assert found[answer][0] == column
    assert (found[answer][1] is not None) == (
        column in ("exact", "normalised", "aligned")
    )


def test_shares_are_of_the_answers_and_ratings_are_none(folder, capsys):
    assert main([str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    # by hand: 7 responses, 2 of them no answer; of 5 answers 3 are located
    assert lines[2] == (
        "| Answering | 7 | 1 (20.0%) | 1 (20.0%) | 1 (20.0%) | 1 (20.0%) | 1 (20.0%) "
        "| 2 | 60.0% |"
    )
    assert lines[3].startswith("| Extracting | 1 | 0 (0.0%) |")
    assert len(lines) == 4


@pytest.mark.long
@pytest.mark.real_data
def test_llmjudges_answers_are_located_as_often_as_docs_say(shared_data):
    every_fifth = islice(
        responses(shared_data / "llmjudge" / "graded.jsonl.gz"), 0, None, 5
    )
    counts = defaultdict(Counter)
    for response in every_fifth:
        counts[response.prompt][how_located(response)[0]] += 1
    shares = {prompt: share_located(counted) for prompt, counted in counts.items()}
    # measured on every fifth response; on all of them 81.9 % and 84.1 %
    assert shares["QuestionCompleteConciseUnanswerablePromptWithChoices"] >= 0.832
    assert shares["NuggetExtractionPrompt"] >= 0.847
    # A way that finds many more finds what is not there.
    assert all(share < 0.87 for share in shares.values())
    assert all(c["exact"] > 20 * c["aligned"] for c in counts.values())
