"""``judges``: who has voted, how far judges agree, where they differ."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from curator.bank.questions import Question
from curator.engine.state import State
from curator.evaluation.measures.pyramid import NOBODY_HAS_VOTED
from curator.evaluation.votes import VoteAgreement, vote_agreement


@dataclass(frozen=True, slots=True)
class QueryVotes:
    """One judge's votes on a query's kept questions; ``questions`` is how many."""

    query_id: str
    questions: int
    vital: int
    okay: int

    @property
    def voted(self) -> int:
        """How many of the questions have the judge's vote."""
        return self.vital + self.okay


@dataclass(frozen=True, slots=True)
class JudgeProgress:
    """One judge's votes; ``queries`` are all queries with a kept question, in order.

    ``questions`` are kept in all, ``vital`` and ``okay`` count the judge's votes.
    """

    judge: str
    queries: tuple[QueryVotes, ...]
    questions: int
    vital: int
    okay: int

    @property
    def voted(self) -> int:
        """How many have the judge's vote."""
        return self.vital + self.okay


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A question that judges see differently, with who called it what."""

    question: Question
    vital: tuple[str, ...]
    okay: tuple[str, ...]


@dataclass(frozen=True)
class Judges:
    """Everybody's progress, their agreement and their disagreements.

    ``questions`` counts the kept questions and nuggets, ``voted`` those that somebody
    has voted on. ``judges`` come by name; ``disagreements`` the most even split first,
    then by query. ``notes`` are sentences on what there is not.
    """

    questions: int
    voted: int
    judges: tuple[JudgeProgress, ...]
    agreement: VoteAgreement
    disagreements: tuple[Disagreement, ...]
    notes: tuple[str, ...] = ()


def judges(state: State) -> Judges:
    """Who has voted on how much, how far they agree and where they differ.

    Kept questions and nuggets count, with the votes that may be seen.
    """
    state = state.seen
    return state.cached(("judges",), lambda: _judges(state))


def _judges(state: State) -> Judges:
    kept = [question for question in state.bank if question.state == "kept"]
    progress = _progress(state, kept)
    notes: tuple[str, ...] = () if progress else (NOBODY_HAS_VOTED,)
    if not kept:
        notes = ("No kept question in the bank, so there is nothing to vote on.",)
    return Judges(
        questions=len(kept),
        voted=sum(bool(question.votes) for question in kept),
        judges=progress,
        agreement=vote_agreement(question.votes for question in kept),
        disagreements=_disagreements(state, kept),
        notes=notes,
    )


def _disagreements(
    state: State, questions: Sequence[Question]
) -> tuple[Disagreement, ...]:
    """The questions whose votes differ, the most even split first, then by query."""
    places = {query_id: place for place, query_id in enumerate(state.query_ids())}

    def order(one: Disagreement) -> tuple[float, int]:
        sides = len(one.vital), len(one.okay)
        return -min(sides) / sum(sides), places[one.question.query_id]

    found = []
    for one in questions:
        vital, okay = (
            tuple(judge for judge, vote in one.votes if vote == side)
            for side in ("vital", "okay")
        )
        if vital and okay:
            found.append(Disagreement(one, vital, okay))
    return tuple(sorted(found, key=order))


def _progress(state: State, questions: Sequence[Question]) -> tuple[JudgeProgress, ...]:
    """The progress of everybody who has voted on these questions, by name."""
    asked = Counter(question.query_id for question in questions)
    given: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for question in questions:
        for judge, vote in question.votes:
            given[judge].update([(question.query_id, vote), ("", vote)])  # "": in all
    return tuple(
        JudgeProgress(
            judge,
            tuple(
                QueryVotes(name, asked[name], votes[name, "vital"], votes[name, "okay"])
                for name in state.query_ids()
                if asked[name]
            ),
            len(questions),
            votes["", "vital"],
            votes["", "okay"],
        )
        for judge, votes in sorted(given.items())
    )
