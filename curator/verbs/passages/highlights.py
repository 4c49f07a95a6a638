"""``record_ideals`` and ``word_agreement``: highlights of several annotators.

Source: Keikha, Park & Croft 2014, section 5.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from curator.bank.edits import MarkIdeal
from curator.bank.marks import Ideal
from curator.evaluation.agreement import cohens_kappa, confusion
from curator.formats.text.records import Record, whole_number_in
from curator.formats.text.rows import Source, read_rows, required_text
from curator.results import Rows, column
from curator.snapshot.ideals import ideal_edits
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.snapshot import Snapshot
from curator.store.collection import passage_texts
from curator.store.connection import write_transaction
from curator.verbs.curate.edits import Recorded, record_edits

GRADES = {"fair": 1, "good": 2, "excellent": 3, "perfect": 4}
"""The grades of the paper with the paper's numbers."""

EXPECTED = "rows of query_id, passage_id, start, end, judge and grade"
MAX_POSITION = 10**9
WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class WordAgreement:
    """Agreement of two annotators on the words of the passages either highlighted in.

    Over the queries in which both highlighted something. ``kappa`` is Cohen's, None if
    it is 0/0.
    """

    first: str = field(metadata=column("annotator"))
    second: str = field(metadata=column("and"))
    passages: int
    words: int
    by_first: int
    by_second: int
    by_both: int
    kappa: float | None = field(metadata=column(title="Cohen’s κ"))


def record_ideals(workspace: OpenWorkspace, highlights: Source) -> Recorded:
    """Save the highlights of a file or of records in one transaction.

    Rows have ``query_id``, ``passage_id``, ``start`` and ``end`` in characters (without
    both, the whole passage), ``grade`` (a number from 1 or a word of GRADES) and
    ``judge``. Each judge's highlights form one batch. Raises InputFileError, also for a
    listed viewer unless ``refuse_viewers`` is False.
    """
    rows = read_rows(highlights, name="highlight", expected=EXPECTED)
    with write_transaction(workspace.connection):
        snapshot = workspace.current_snapshot().full
        named = ((row.place, row.get("judge"), row) for row in rows)
        return record_edits(
            workspace,
            snapshot.bank,
            named,
            lambda bank, row, judge: _edits(replace(snapshot, bank=bank), row, judge),
        )


def _edits(snapshot: Snapshot, row: Record, by: str) -> list[MarkIdeal]:
    query_id = required_text(row, "query_id")
    passage_id = required_text(row, "passage_id")
    span: tuple[int, int | None] = (0, None)
    if "start" in row or "end" in row:
        start, end = (
            whole_number_in(row.place, required_text(row, name), name, 0, MAX_POSITION)
            for name in ("start", "end")
        )
        span = start, end
    grade = None
    if row.get("grade") is not None:
        text = required_text(row, "grade").lower()
        grade = GRADES.get(text) or whole_number_in(row.place, text, "grade", 1, 100)
    return ideal_edits(
        snapshot, query_id, passage_id, [span], marked=True, judge=by, grade=grade
    )


def word_agreement(
    snapshot: Snapshot, query_id: str | None = None
) -> Rows[WordAgreement]:
    """Return Cohen's kappa on words for every pair of annotators.

    A word counts as highlighted if a highlight contains any of its characters.
    """
    by_judge: defaultdict[str, dict[str, dict[str, list[Ideal]]]] = defaultdict(dict)
    for query in snapshot.query_ids(query_id):
        for ideal in snapshot.bank.ideals_of(query):
            if ideal.judge:
                of_query = by_judge[ideal.judge].setdefault(query, {})
                of_query.setdefault(ideal.passage_id, []).append(ideal)
    pairs = []
    for first, second in combinations(sorted(by_judge), 2):
        marks, flags = (by_judge[first], by_judge[second]), []
        for query in marks[0].keys() & marks[1].keys():
            passage_ids = [*dict.fromkeys([*marks[0][query], *marks[1][query]])]
            texts = passage_texts(snapshot.connection, passage_ids)
            flags += [
                np.array([highlighted(text, of[query].get(name, ())) for of in marks])
                for name, text in texts.items()
            ]
        if flags:
            by_first, by_second = np.concatenate(flags, axis=1)
            table = confusion(by_first, by_second)
            (_, only), (alone, common) = table
            counts = len(by_first), alone + common, only + common, common
            kappa = cohens_kappa(table)
            pairs.append(WordAgreement(first, second, len(flags), *counts, kappa))
    notes = [] if pairs else ["No query has highlights of two annotators."]
    return Rows(pairs, WordAgreement, notes, "words highlighted")


def highlighted(text: str, ideals: Sequence[Ideal]) -> NDArray[np.bool_]:
    """(words,): True for each word of the text that a highlight touches."""
    marked = np.zeros(len(text), dtype=np.bool_)
    for ideal in ideals:
        marked[ideal.start : ideal.end] = True
    spans = [word.span() for word in WORD.finditer(text)]
    return np.array([marked[start:end].any() for start, end in spans], dtype=np.bool_)
