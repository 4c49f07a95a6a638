"""How many extracted answers stand in their passages, and how they were found.

    python -m scripts.located_answers FOLDER [--examples N]

FOLDER holds ``graded.jsonl.gz`` in the Autograder interchange format. The Markdown
table that docs/ava.md shows goes to stdout, a line for every prompt whose responses
are answers (records without self-ratings). ``--examples`` adds N answers of every way,
spread over the file, for a look at them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grading.highlight import METHODS, Span, is_extract
from grading.readings import answer_of

FOUND = tuple(METHODS)
COLUMNS = (*FOUND, "none", "no extract", "no answer")
SHOWN = 60  # characters of an answer, and of the words located


@dataclass(frozen=True)
class Response:
    """A response to an answering prompt, and the passage it was given for."""

    prompt: str
    passage_id: str
    item_id: str
    raw: str
    passage: str


def responses(graded: Path) -> Iterator[Response]:
    """Every response to an answering prompt, in the order of the file."""
    with gzip.open(graded, "rt", encoding="utf-8") as lines:
        for line in lines:
            _, paragraphs = json.loads(line)
            for paragraph in paragraphs:
                for record in paragraph.get("exam_grades") or []:
                    if record.get("self_ratings") is not None:
                        continue
                    prompt = (record.get("prompt_info") or {}).get("prompt_class", "")
                    for item_id, raw in record["answers"]:
                        yield Response(
                            prompt,
                            paragraph["paragraph_id"],
                            item_id,
                            raw,
                            paragraph["text"],
                        )


def how_located(response: Response) -> tuple[str, Span | None]:
    """The column a response counts in, and the span where there is one.

    *no answer*: unanswerable, or without words; *no extract*: "yes" and its like;
    *none*: an answer that does not stand in the passage.
    """
    answer = answer_of("answered", response.raw)
    if answer is None:
        return "no answer", None
    if not is_extract(answer):
        return "no extract", None
    for name, way in METHODS.items():
        span = way(answer, response.passage)
        if span is not None:
            return name, span
    return "none", None


def share_located(counts: Counter[str]) -> float:
    """Located answers over all answers, "yes" and its like included, in [0, 1].

    0 where there are no answers.
    """
    answers = counts.total() - counts["no answer"]
    return sum(counts[way] for way in FOUND) / answers if answers else 0.0


def table(counts: dict[str, Counter[str]]) -> str:
    """Markdown: a row for every prompt, the shares over its answers."""
    rows = ["| prompt | responses | " + " | ".join(COLUMNS) + " | located |"]
    rows.append("|---|" + "---:|" * (len(COLUMNS) + 2))
    for prompt, counted in sorted(counts.items()):
        answers = max(1, counted.total() - counted["no answer"])
        cells = [
            f"{counted[column]:,}"
            + ("" if column == "no answer" else f" ({counted[column] / answers:.1%})")
            for column in COLUMNS
        ]
        share = f"{share_located(counted):.1%}"
        rows.append(
            f"| {prompt} | {counted.total():,} | {' | '.join(cells)} | {share} |"
        )
    return "\n".join(rows)


def example(response: Response, span: Span | None) -> str:
    """A Markdown row: passage, item, the answer and the words located, both cut."""
    words = "" if span is None else response.passage[slice(*span)]
    cells = (response.passage_id, response.item_id, response.raw, words)
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _cell(text: str) -> str:
    text = " ".join(text.split())
    return (text if len(text) <= SHOWN else text[:SHOWN] + "…").replace("|", "\\|")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.located_answers")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--examples", type=int, default=0, metavar="N")
    options = parser.parse_args(arguments)

    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    located: defaultdict[str, list[tuple[Response, Span | None]]] = defaultdict(list)
    seconds = 0.0
    for response in responses(options.folder / "graded.jsonl.gz"):
        began = time.perf_counter()
        column, span = how_located(response)
        seconds += time.perf_counter() - began
        counts[response.prompt][column] += 1
        if options.examples:
            located[column].append((response, span))
    print(table(counts))
    for column in COLUMNS if options.examples else ():
        found = located[column]
        step = max(1, len(found) // options.examples)
        print(f"\n{column}\n")
        for response, span in found[::step][: options.examples]:
            print(example(response, span))
    print(f"located in {seconds:.1f} s", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
