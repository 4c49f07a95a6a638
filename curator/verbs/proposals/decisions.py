"""``decisions``: questions written by people, and their decisions on proposals.

People tend to accept the first draft of a machine. The number of proposals kept
unedited, the time per decision, and the share written by people show if that
happened.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, median
from typing import ClassVar

from rapidfuzz.distance import Levenshtein

from curator.edit_words import DROP, REWORD
from curator.results import Result, column, computed
from curator.snapshot.snapshot import Snapshot, cached_in_snapshot
from curator.store.question_history import (
    ProposalDecision,
    last_texts_by_judge,
    read_decisions,
    read_written_questions,
)


@dataclass(frozen=True, slots=True)
class DecisionCounts:
    """Counts of questions written and decided, in the whole bank or by one judge.

    ``written`` counts kept questions that people wrote themselves, ``unedited`` and
    ``reworded`` proposals that were kept, by their present words, or those after the
    judge's last edit; ``dropped`` those that were not. ``still_kept`` counts the kept
    ones that were not retired since; ``undecided`` and ``imported`` are set for the
    bank only. ``edit_distance`` is the mean number of characters inserted, deleted or
    replaced in a reworded proposal (Levenshtein), ``edited_share`` its mean ratio to
    the longer text's length. ``seconds`` is the median time for one decision, over the
    ``timed`` that were measured. None where there are no values. ``at_once`` counts the
    decisions that were made for several proposals in one step.
    """

    columns: ClassVar = (
        "judge written share_written unedited reworded edit_distance dropped undecided "
        "imported seconds at_once"
    )

    judge: str | None = field(metadata=column(show=lambda judge: judge or "(bank)"))
    written: int
    unedited: int = field(metadata=column("kept as proposed"))
    reworded: int = field(metadata=column(title=REWORD.past.capitalize()))
    dropped: int = field(metadata=column(title=DROP.past.capitalize()))
    still_kept: int = field(default=0, metadata=column(json="standing"))
    undecided: int = field(
        default=0, metadata=column(row=lambda row: _if_bank(row, row.undecided))
    )
    imported: int = field(
        default=0, metadata=column(row=lambda row: _if_bank(row, row.imported))
    )
    edit_distance: float | None = None
    edited_share: float | None = None
    seconds: float | None = None
    timed: int = 0
    at_once: int = 0

    @property
    @computed()
    def share_written(self) -> float | None:
        """Share of the kept questions that people wrote; imports left out."""
        kept = self.written + self.still_kept
        return self.written / kept if kept else None


def _if_bank(row: DecisionCounts, count: int) -> int | None:
    return count if row.judge is None else None


@dataclass(frozen=True)
class Decisions(Result[DecisionCounts], rows="counts"):
    """Shares of the bank and of each judge, by name."""

    notes: ClassVar = (
        "seconds: median time of a decision on the page; at once: decisions made for "
        f"several proposals in one step; edit distance: mean number of characters "
        f"changed in a {REWORD.past} proposal.",
    )

    bank: DecisionCounts
    judges: tuple[DecisionCounts, ...]

    @property
    def counts(self) -> tuple[DecisionCounts, ...]:
        return (self.bank, *self.judges)


def decisions(snapshot: Snapshot) -> Decisions:
    """Return who wrote questions, and the decisions on proposals.

    Covers all queries for every viewer. Counted from the effective history: undone
    decisions do not count.
    """
    return _decisions(snapshot.full)


@cached_in_snapshot
def _decisions(snapshot: Snapshot) -> Decisions:
    connection = snapshot.connection
    bank = {question.question_id: question for question in snapshot.bank}
    kept_ids = {id_ for id_, question in bank.items() if question.state == "kept"}
    entries = [e for e in read_decisions(connection) if e.question_id in bank]
    proposed = {entry.question_id for entry in entries}
    typed = [entry for entry in entries if entry.kind.endswith("add")]
    decided = [e for e in entries if e.by is not None and e not in typed]
    authors = {
        question_id: judge
        for question_id, (judge, *_) in read_written_questions(connection).items()
        if question_id in kept_ids - proposed
    }
    written = Counter(authors.values())
    written.update(entry.by or "" for entry in typed if entry.question_id in kept_ids)
    words = last_texts_by_judge(connection, [entry.question_id for entry in decided])
    # A proposal kept and reworded later is a reworded one, in the words of the bank, or
    # in the judge's own.
    current = [
        replace(entry, text=bank[entry.question_id].text or entry.text)
        for entry in decided
    ]
    by_judge: defaultdict[str, list[ProposalDecision]] = defaultdict(list)
    for entry in decided:
        judge = entry.by or ""
        text = words.get((entry.question_id, judge), entry.text)
        by_judge[judge].append(replace(entry, text=text))
    names = {*by_judge, *authors.values(), *(entry.by for entry in typed if entry.by)}
    return Decisions(
        bank=replace(
            _share(None, current, kept_ids, written.total()),
            undecided=sum(entry.by is None for entry in entries),
            imported=len(kept_ids - proposed) - len(authors),
        ),
        judges=tuple(
            _share(judge, by_judge[judge], kept_ids, written[judge])
            for judge in sorted(names)
        ),
    )


def _share(
    judge: str | None,
    decided: Sequence[ProposalDecision],
    kept_ids: Collection[str],
    written: int,
) -> DecisionCounts:
    kept = [decision for decision in decided if not decision.dropped]
    reworded = [decision for decision in kept if decision.text != decision.proposed]
    edits = [Levenshtein.distance(entry.proposed, entry.text) for entry in reworded]
    longer = [max(len(entry.proposed), len(entry.text)) for entry in reworded]
    shares = [edit / length for edit, length in zip(edits, longer, strict=True)]
    seconds = [entry.seconds for entry in decided if entry.seconds is not None]
    return DecisionCounts(
        judge=judge,
        written=written,
        unedited=len(kept) - len(reworded),
        reworded=len(reworded),
        dropped=len(decided) - len(kept),
        still_kept=sum(decision.question_id in kept_ids for decision in kept),
        edit_distance=fmean(edits) if edits else None,
        edited_share=fmean(shares) if shares else None,
        seconds=median(seconds) if seconds else None,
        timed=len(seconds),
        at_once=sum(decision.together > 1 for decision in decided),
    )
