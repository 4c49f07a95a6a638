"""``judges``: who has voted, how far judges agree, where they differ."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from curator.bank.questions import Question
from curator.engine.state import State
from curator.evaluation.measures.pyramid import NOBODY_HAS_VOTED
from curator.evaluation.votes import (
    PairAgreement,
    VoteAgreement,
    pair_agreement,
    vote_agreement,
    vote_tally,
)
from curator.formats import nuggetbank, nuggetizer
from curator.results import Result
from curator.store.export import creators


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
class Judges(Result[JudgeProgress], table="judges.judge_tables"):
    """Everybody's progress, their agreement and their disagreements.

    ``questions`` counts the kept questions and nuggets, ``voted`` those that a judge
    has voted on. ``judges`` come by name; ``disagreements`` the most even split first,
    then by query. ``sources`` are the importances that came with a bank (see
    ``vote_sources``), which are no judge's: they stand in ``with_sources``, each judge
    with each source, and in none of the others. ``notes`` are sentences on what there
    is not.
    """

    questions: int
    voted: int
    judges: tuple[JudgeProgress, ...]
    agreement: VoteAgreement
    disagreements: tuple[Disagreement, ...]
    notes: tuple[str, ...] = ()
    sources: tuple[JudgeProgress, ...] = ()
    with_sources: tuple[PairAgreement, ...] = ()


def vote_sources(state: State) -> frozenset[str]:
    """The names under which importances stand that came with a bank, of no person.

    Those of nuggetizer, of a NuggetBank's items without a creator, and of the models
    that a NuggetBank names as creators.
    """

    def computed() -> frozenset[str]:
        connection = state.with_texts.connection  # what is kept is for everybody
        machines = nuggetbank.machines(map(json.loads, creators(connection)))
        return machines | {nuggetbank.NOBODY, nuggetizer.JUDGE}

    return state.kept.vote_sources.get("", (), computed)


def judges(state: State) -> Judges:
    """Who has voted on how much, how far they agree and where they differ.

    Kept questions and nuggets count, with the votes that may be seen.
    """
    state = state.seen
    return state.cached(("judges",), lambda: _judges(state))


def _judges(state: State) -> Judges:
    kept = [question for question in state.bank if question.state == "kept"]
    imported = vote_sources(state)
    everybody = _progress(state, kept)
    progress = tuple(one for one in everybody if one.judge not in imported)
    sources = tuple(one for one in everybody if one.judge in imported)
    notes: tuple[str, ...] = () if progress else (NOBODY_HAS_VOTED,)
    if sources and not progress:
        notes = (only_imported(one.judge for one in sources),)
    judged = [
        replace(one, votes=tuple(vote for vote in one.votes if vote[0] not in imported))
        if sources
        else one
        for one in kept
    ]
    if not kept:
        notes = ("No kept question in the bank, so there is nothing to vote on.",)
    return Judges(
        questions=len(kept),
        voted=sum(bool(question.votes) for question in judged),
        judges=progress,
        agreement=vote_agreement(question.votes for question in judged),
        disagreements=_disagreements(state, judged),
        notes=notes,
        sources=sources,
        with_sources=_with_sources(kept, progress, sources) if sources else (),
    )


def only_imported(sources: Iterable[str]) -> str:
    """That there are importances of a bank alone, and no judge's vote."""
    return (
        "No judge has voted: all importances here came with a bank "
        f"({', '.join(sources)}). Vote on the Judges page, or by `curator edit "
        "WORKSPACE --vital ID`."
    )


def _with_sources(
    questions: Sequence[Question],
    judges: Sequence[JudgeProgress],
    sources: Sequence[JudgeProgress],
) -> tuple[PairAgreement, ...]:
    """Each judge's agreement with each source, and that of every two sources."""
    tally = vote_tally([question.votes for question in questions])
    row = {name: i for i, name in enumerate(tally.judges)}
    pairs = [(judge, source) for judge in judges for source in sources]
    pairs += combinations(sources, 2)
    return tuple(
        pair_agreement(tally, row[one.judge], row[other.judge]) for one, other in pairs
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
