"""``judges``: votes cast, agreement of the judges, and disputed questions."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from curator.bank.edits import Edit, JudgeAnswer, Vote
from curator.bank.marks import Importance, Votes
from curator.bank.marks.vote import vote_of
from curator.bank.opinions import opinions
from curator.bank.questions import Bank, Question, active
from curator.evaluation.agreement import (
    JudgeAgreement,
    PairAgreement,
    judge_agreement,
    pair_agreement,
)
from curator.evaluation.measures.pyramid import NO_VOTES
from curator.formats.nuggets import items, nuggetizer
from curator.formats.text.records import Record
from curator.formats.text.rows import Source, read_rows, required_text
from curator.results import HIDDEN, Result
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.snapshot import Snapshot, cached_in_snapshot
from curator.store.connection import write_transaction
from curator.store.export import creators
from curator.verbs.curate.edits import Recorded, record_edits


@dataclass(frozen=True, slots=True)
class QueryVotes:
    """A judge's vote counts for a query; ``questions`` counts its kept questions."""

    query_id: str
    questions: int
    vital: int
    okay: int

    @property
    def voted(self) -> int:
        return self.vital + self.okay


@dataclass(frozen=True, slots=True)
class JudgeProgress:
    """A judge's votes; ``queries`` lists all queries with a kept question, in order.

    ``questions`` are kept in all, ``vital`` and ``okay`` count the judge's votes.
    """

    judge: str
    queries: tuple[QueryVotes, ...]
    questions: int = field(metadata=HIDDEN)
    vital: int
    okay: int

    @property
    def voted(self) -> int:
        return self.vital + self.okay


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A question whose votes differ, with the judges on each side."""

    question: Question
    vital: tuple[str, ...]
    okay: tuple[str, ...]


@dataclass(frozen=True)
class Judges(Result[JudgeProgress], table="judges.judge_tables"):
    """Progress of all judges, their agreement and their disagreements.

    ``questions`` counts the kept questions and nuggets, ``voted`` those with a judge's
    vote. ``judges`` are sorted by name; ``disagreements`` by the most even split, then
    by query. ``sources`` are the importances that were imported with a bank (see
    ``vote_sources``); they count only in ``with_sources``, which pairs each judge with
    each source. ``notes`` are sentences about missing data.
    """

    questions: int
    voted: int
    judges: tuple[JudgeProgress, ...]
    agreement: JudgeAgreement
    disagreements: tuple[Disagreement, ...]
    notes: tuple[str, ...] = ()
    sources: tuple[JudgeProgress, ...] = ()
    with_sources: tuple[PairAgreement, ...] = ()


def vote_sources(snapshot: Snapshot) -> frozenset[str]:
    """Names under which imported importances are stored, as opposed to judges.

    These are nuggetizer, NuggetBank items without a creator, and the models that a
    NuggetBank names as creators.
    """

    def computed() -> frozenset[str]:
        connection = snapshot.full.connection  # the cache is shared by all judges
        machines = items.machines(map(json.loads, creators(connection)))
        return machines | {items.NOBODY, nuggetizer.JUDGE}

    return snapshot.caches.vote_sources.get("", (), computed)


@cached_in_snapshot
def judges(snapshot: Snapshot) -> Judges:
    """Return the progress of all judges, their agreement and their disagreements.

    Counts kept questions and nuggets, with the votes visible to the current judge.
    """
    kept = [question for question in snapshot.bank if question.state == "kept"]
    imported = vote_sources(snapshot)
    progress = _progress(snapshot, kept)
    judge_progress = tuple(judge for judge in progress if judge.judge not in imported)
    sources = tuple(judge for judge in progress if judge.judge in imported)
    notes: tuple[str, ...] = () if judge_progress else (NO_VOTES,)
    if sources and not judge_progress:
        notes = (imported_votes_note(source.judge for source in sources),)
    judged = kept
    if sources:
        judged = []
        for question in kept:
            votes = tuple(vote for vote in question.votes if vote[0] not in imported)
            judged.append(replace(question, votes=votes))
    if not kept:
        notes = ("No kept question in the bank, so there is nothing to vote on.",)
    return Judges(
        questions=len(kept),
        voted=sum(bool(question.votes) for question in judged),
        judges=judge_progress,
        agreement=judge_agreement(_votes(judged), order=VALUES),
        disagreements=_disagreements(snapshot, judged),
        notes=notes,
        sources=sources,
        with_sources=_with_sources(kept, judge_progress, sources) if sources else (),
    )


def imported_votes_note(sources: Iterable[str]) -> str:
    """Note that all importances were imported and no judge has voted."""
    return (
        "No judge has voted: all importances here came with a bank "
        f"({', '.join(sources)}). Vote on Judge, or by `curator edit "
        "WORKSPACE vote ID vital`."
    )


def _with_sources(
    questions: Sequence[Question],
    judges: Sequence[JudgeProgress],
    sources: Sequence[JudgeProgress],
) -> tuple[PairAgreement, ...]:
    pairs = [(judge.judge, source.judge) for judge in judges for source in sources]
    pairs += combinations([source.judge for source in sources], 2)
    votes = _votes(questions)
    return tuple(pair_agreement(votes, *pair, VALUES) for pair in pairs)


VALUES = ("okay", "vital")


def _votes(questions: Sequence[Question]) -> list[Mapping[str, str]]:
    return [*opinions("vote", questions).values()]


def _disagreements(
    snapshot: Snapshot, questions: Sequence[Question]
) -> tuple[Disagreement, ...]:
    positions = {id_: position for position, id_ in enumerate(snapshot.query_ids())}

    def order(disagreement: Disagreement) -> tuple[float, int]:
        sides = len(disagreement.vital), len(disagreement.okay)
        return -min(sides) / sum(sides), positions[disagreement.question.query_id]

    disagreements = []
    for question in questions:
        vital, okay = (
            tuple(judge for judge, vote in question.votes if vote == side)
            for side in ("vital", "okay")
        )
        if vital and okay:
            disagreements.append(Disagreement(question, vital, okay))
    return tuple(sorted(disagreements, key=order))


def _progress(
    snapshot: Snapshot, questions: Sequence[Question]
) -> tuple[JudgeProgress, ...]:
    question_counts = Counter(question.query_id for question in questions)
    vote_counts: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for question in questions:
        for judge, vote in question.votes:
            # The key "" counts all queries.
            vote_counts[judge].update([(question.query_id, vote), ("", vote)])
    return tuple(
        JudgeProgress(
            judge,
            tuple(
                QueryVotes(
                    query_id,
                    question_counts[query_id],
                    votes[query_id, "vital"],
                    votes[query_id, "okay"],
                )
                for query_id in snapshot.query_ids()
                if question_counts[query_id]
            ),
            len(questions),
            votes["", "vital"],
            votes["", "okay"],
        )
        for judge, votes in sorted(vote_counts.items())
    )


@dataclass(frozen=True, slots=True)
class Ballot:
    """A kept question with the votes that one judge may see.

    ``others`` are the other judges' votes, empty as long as ``mine`` is None.
    """

    question: Question
    mine: Importance | None
    others: Votes = ()

    @property
    def disputed(self) -> bool:
        return any(vote != self.mine for _, vote in self.others)


def ballots(bank: Bank, query_id: str, judge: str) -> tuple[Ballot, ...]:
    """Return ballots for the query's kept questions and nuggets, in bank order."""
    query_ballots = []
    for question in active(bank.questions_of(query_id), "any"):
        mine = vote_of(question, judge)
        others = tuple(vote for vote in question.votes if vote[0] != judge)
        if mine is None:
            question, others = replace(question, votes=()), ()
        query_ballots.append(Ballot(question, mine, others))
    return tuple(query_ballots)


EXPECTED = (
    "rows of question_id, judge and vote (vital or okay), or of question_id, judge, "
    "answer and verdict (right or wrong)"
)


def record_votes(workspace: OpenWorkspace, votes: Source) -> Recorded:
    """Save the votes and verdicts of a file or of records in one transaction.

    Each judge's edits form one batch, which is undone as a unit. A vote that differs
    from the judge's earlier vote replaces it. Rows without ``judge`` are attributed to
    the judge who opened the workspace. Raises InputFileError, which names the line,
    also for a listed viewer unless ``refuse_viewers`` is False.
    """
    rows = read_rows(votes, name="vote", expected=EXPECTED)
    edits_read: dict[tuple[str, str, str | None], Edit] = {}

    def edits_of(_: Bank, row: Record, judge: str) -> list[Edit]:
        edit = _edit(row)
        target = judge, edit.question_id, getattr(edit, "answer", None)
        if edits_read.setdefault(target, edit) != edit:
            raise row.error(
                f"{judge} gives '{edit.question_id}' two different marks; expected one."
            )
        return [edit]

    with write_transaction(workspace.connection):
        bank = workspace.current_snapshot().full.bank
        named = ((row.place, row.get("judge"), row) for row in rows)
        return record_edits(workspace, bank, named, edits_of)


def _edit(row: Record) -> Vote | JudgeAnswer:
    names = [name for name in ("question_id", "item_id", "id") if name in row]
    question_id = required_text(row, names[0] if names else "question_id")
    if "verdict" in row:
        verdict = required_text(row, "verdict").lower()
        return JudgeAnswer(question_id, required_text(row, "answer"), verdict)  # type: ignore[arg-type]
    return Vote(question_id, required_text(row, "vote").lower())  # type: ignore[arg-type]
