"""How often prose that gives no answer is told from answers in the same words.

    python -m benchmarks.no_answer

Reads ``no_answer.tsv``: responses written for this project; real answers are mostly
chosen to mislead. Those called fresh were written last, after ``grading.no_answer`` had
been tuned on all others.
"""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

from grading.chat_ratings import final_text
from grading.no_answer import classify_answer

SENTENCES = Path(__file__).parent / "no_answer.tsv"


def counts(part: str) -> Counter[tuple[str, str]]:
    """Count (what a response states, what it is read as) over one part."""
    with SENTENCES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    texts = ((row, row["response"].replace("\\n", "\n")) for row in rows)
    return Counter(
        (row["states"], classify_answer(final_text(text)))
        for row, text in texts
        if row["part"] == part
    )


def shares(found: Counter[tuple[str, str]], kind: str) -> tuple[float, float]:
    """Precision and recall of one kind, in [0, 1]."""
    right = found[kind, kind]
    read = sum(n for (_, as_kind), n in found.items() if as_kind == kind)
    stated = sum(n for (states, _), n in found.items() if states == kind)
    return right / read, right / stated


def main() -> None:
    """Print precision and recall of each kind, for each part."""
    print(
        "| part | states | responses | precision | recall |\n|---|---|---:|---:|---:|"
    )
    for part in ("tuned", "held", "fresh"):
        found = counts(part)
        for kind in ("no answer", "refusal", "answer"):
            size = sum(n for (states, _), n in found.items() if states == kind)
            precision, recall = shares(found, kind)
            print(f"| {part} | {kind} | {size} | {precision:.1%} | {recall:.1%} |")


if __name__ == "__main__":
    main()
