"""Checks as JSON lines: what people say of pairs, a pair a line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curator.bank.marks import Check
from curator.bank.marks.check import ANSWERS, is_answer
from curator.formats import codec
from curator.formats.text.json_text import json_line
from curator.formats.text.notices import counted
from curator.formats.text.output_files import output_file
from curator.formats.text.records import (
    JsonPlace,
    Place,
    Record,
    described,
    either,
    name_of,
    number_of,
    whole_number,
)
from curator.formats.text.rows import read_rows

EXPECTED = 'a line of JSON for each check: {"query_id", "item_id", "passage_id", …}'
MOST_DRAWN = 10**9
LONGEST_NAME = 1000


@dataclass(frozen=True, slots=True)
class CheckLine:
    """A check; ``question_id`` is None for a check of the passage alone.

    ``drawn`` is None where the line does not say it, ``judge`` likewise.
    """

    place: Place
    query_id: str
    question_id: str | None
    passage_id: str
    answer: str
    judge: str | None = None
    probability: float | None = None
    drawn: int | None = None
    seconds: float | None = None


LEAST = 1e-12  # what is drawn less probably than that is never drawn
LONGEST = 1_000_000  # seconds, eleven days


def read_checks(source: Path | Iterable[Mapping[str, Any]]) -> list[CheckLine]:
    """Read checks from a file, plain or gzipped, or from records.

    Raises InputFileError, which names the line.
    """
    return [_check(row) for row in read_rows(source, name="check", expected=EXPECTED)]


def _check(record: Record) -> CheckLine:
    place = record.at()
    question_id = record.identifier_or_none("item_id")
    probability, seconds = (
        None if record.get(name) is None else number_of(place, record[name], name)
        for name in ("probability", "seconds")
    )
    if probability is not None and not LEAST <= probability <= 1:
        raise place.error(f"probability is {probability}; expected above 0, up to 1.")
    if seconds is not None and not 0 <= seconds <= LONGEST:
        raise place.error(f"seconds is {seconds}; expected 0 to {LONGEST:,}.")
    drawn = record.get("drawn")
    if drawn is not None:
        drawn = whole_number(place, drawn, "drawn", 0, MOST_DRAWN)
        if (drawn > 0) != (probability is not None):
            raise place.error(
                f"drawn is {drawn}; expected 1 or more with a probability, and 0 or "
                "nothing without one."
            )
    judge = record.get("judge")
    if judge is not None and len(name_of(place, judge, "judge")) > LONGEST_NAME:
        raise place.error(f"judge has {len(judge)} characters; expected a name.")
    return CheckLine(
        place,
        record.identifier("query_id"),
        question_id,
        record.identifier("passage_id"),
        _answer(place, record.get("answer"), of_passage=question_id is None),
        judge,
        probability,
        drawn,
        seconds,
    )


def _answer(place: JsonPlace, value: object, *, of_passage: bool) -> str:
    is_number = of_passage and type(value) is int and value < MOST_DRAWN
    answer = str(value) if is_number else value
    if isinstance(answer, str) and is_answer(answer, of_passage=of_passage):
        return answer
    expected = '0, 1, 2 … or "unsure", as item_id is null'
    expected = expected if of_passage else either(ANSWERS)
    raise place.error(f"answer is {described(value)}; expected {expected}.")


def _write(contents: codec.Contents, target: Path) -> codec.WriteResult:
    """The checks as ``record`` reads them, in the order of time.

    Without those of words that no question here has.
    """
    bank, written, wordless = contents.bank, 0, 0
    # Of several questions in these words a kept one is meant.
    ids: dict[tuple[str, str | None], str | None] = {}
    for state in ("retired", "kept"):
        for entry in bank:
            if entry.state == state and entry.text is not None:
                ids[entry.query_id, entry.text] = entry.question_id
    pairs = (
        (query_id, entry) for query_id in bank.checks for entry in bank.checks[query_id]
    )
    with output_file(target) as stream:
        for query_id, check in sorted(pairs, key=lambda pair: pair[1].sort_key()):
            if check.item is not None and (query_id, check.item) not in ids:
                wordless += 1
                continue
            item_id = ids.get((query_id, check.item))
            stream.write(json_line(_record(query_id, item_id, check)))
            written += 1
    words = f"{counted(wordless, 'check')} of texts that no question has"
    return codec.WriteResult(written, "checks", dropped=[words] if wordless else [])


def _record(query_id: str, item_id: str | None, check: Check) -> dict[str, Any]:
    value = check.answer
    record = {
        "query_id": query_id,
        "item_id": item_id,
        "passage_id": check.passage_id,
        "answer": int(value) if value.isdecimal() else value,
        "judge": check.judge,
        "probability": check.probability,
        "drawn": check.drawn or None,
        "seconds": check.seconds,
    }
    return {k: v for k, v in record.items() if v is not None or k == "item_id"}


CODECS = (
    codec.Codec(
        "checks",
        exports=codec.Exports(
            label="Checks",
            what="People’s checks of passages, one per line.",
            group=codec.GRADED,
            forms=(codec.JSONL,),
            carries=codec.carried("checks"),
            write=_write,
        ),
    ),
)
