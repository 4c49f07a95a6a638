"""``decisions``: what people wrote, and what they made of what a model proposed.

People tend to let stand what a machine wrote first. How many proposals were kept as
they came, how quickly, and how much was written by people themselves shows whether
that happened.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median

from rapidfuzz.distance import Levenshtein

from curator.engine.state import State
from curator.results import Result
from curator.store.question_history import (
    Decision,
    read_decisions,
    words_by,
    written_by,
)


@dataclass(frozen=True, slots=True)
class Share:
    """Who wrote and decided what, in the bank as a whole or of one judge.

    ``written`` counts kept questions that people wrote themselves, ``unedited`` and
    ``reworded`` proposals that were kept, by the words they have now, or had after the
    judge's last edit; ``dropped`` those that were not. ``standing`` counts the kept
    ones that nobody retired since; ``undecided`` and ``imported`` are the bank's alone.
    ``edit_distance`` is the mean number of characters inserted, deleted or replaced in
    a reworded proposal (Levenshtein), ``edited_share`` the mean of that over the longer
    text's length. ``seconds`` is the median time for one decision, over the ``timed``
    that were measured. None where there is nothing to take the mean of. ``at_once``
    counts the decisions that were made for several proposals in one step.
    """

    judge: str | None
    written: int
    unedited: int
    reworded: int
    dropped: int
    standing: int = 0
    undecided: int = 0
    imported: int = 0
    edit_distance: float | None = None
    edited_share: float | None = None
    seconds: float | None = None
    timed: int = 0
    at_once: int = 0

    @property
    def share_written(self) -> float | None:
        """Of the questions that stand, what share people wrote; imports left out."""
        kept = self.written + self.standing
        return self.written / kept if kept else None


@dataclass(frozen=True)
class Decisions(Result[Share], table="proposals.decision_table"):
    """The bank's share, and each judge's, by name."""

    bank: Share
    judges: tuple[Share, ...]


def decisions(state: State) -> Decisions:
    """Who wrote what, and what people made of what was proposed.

    Of every query, whoever asks. Counted from the history as it stands: what was undone
    does not count.
    """
    whole = state.whole
    return whole.cached(("decisions",), lambda: _decisions(whole))


def _decisions(state: State) -> Decisions:
    bank = {question.question_id: question for question in state.bank}
    found = [one for one in read_decisions(state.connection) if one.question_id in bank]
    proposed = {one.question_id for one in found}
    authors = written_by(state.connection)
    kept = [q.question_id for q in bank.values() if q.state == "kept"]
    own = [q for q in kept if q in authors and q not in proposed]
    typed = [one for one in found if one.kind.endswith("add")]
    decided = [one for one in found if one.by is not None and one not in typed]
    # A proposal kept and reworded later is a reworded one; whose, words_by tells.
    now = [replace(one, text=bank[one.question_id].text or one.text) for one in decided]
    words = words_by(state.connection, [one.question_id for one in decided])
    theirs = [
        replace(one, text=words.get((one.question_id, one.by or ""), one.text))
        for one in decided
    ]
    standing = set(kept)
    judges = {one.by for one in decided + typed if one.by is not None}
    judges |= {authors[question_id][0] for question_id in own}
    return Decisions(
        bank=_share(
            None,
            now,
            standing,
            written=len(own) + sum(one.question_id in standing for one in typed),
            undecided=sum(one.by is None for one in found),
            imported=len(kept) - len(own) - sum(q in proposed for q in kept),
        ),
        judges=tuple(
            _share(
                judge,
                [one for one in theirs if one.by == judge],
                standing,
                written=sum(authors[q][0] == judge for q in own)
                + sum(one.by == judge for one in typed if one.question_id in standing),
            )
            for judge in sorted(judges)
        ),
    )


def _share(
    judge: str | None,
    decided: Sequence[Decision],
    standing: Collection[str],
    *,
    written: int,
    undecided: int = 0,
    imported: int = 0,
) -> Share:
    kept = [one for one in decided if not one.dropped]
    reworded = [one for one in kept if one.text != one.proposed]
    edits = [Levenshtein.distance(one.proposed, one.text) for one in reworded]
    longer = [max(len(one.proposed), len(one.text)) for one in reworded]
    seconds = [one.seconds for one in decided if one.seconds is not None]
    return Share(
        judge=judge,
        written=written,
        unedited=len(kept) - len(reworded),
        reworded=len(reworded),
        dropped=len(decided) - len(kept),
        standing=sum(one.question_id in standing for one in kept),
        undecided=undecided,
        imported=imported,
        edit_distance=fmean(edits) if edits else None,
        edited_share=fmean(e / n for e, n in zip(edits, longer, strict=True))
        if edits
        else None,
        seconds=median(seconds) if seconds else None,
        timed=len(seconds),
        at_once=sum(one.together > 1 for one in decided),
    )
