"""The Judges page's rows: questions to vote on, and how far each query is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from curator.bank.marks import IMPORTANCES, Importance, Votes
from curator.bank.questions import Bank
from curator.collection.pools import Collection
from curator.collection.queries import Query
from curator.ui.shared import query_rows, words
from curator.ui.shared.query_rows import QueryRow
from curator.verbs.judges.ballots import Ballot, Voting


@dataclass(frozen=True, slots=True)
class BallotRow:
    """A question as it is voted on; ``mine`` is "" without my vote.

    ``others`` says how others voted, "" as long as I have not; ``disputed`` whether
    somebody voted otherwise.
    """

    question_id: str
    text: str
    meta: str
    mine: str
    others: str
    disputed: bool


@dataclass(frozen=True, slots=True)
class VotingRow:
    """A query in the list with how far the judge is; ticked once all are voted on."""

    query: QueryRow
    voting: Voting


def ballot_rows(ballots: Sequence[Ballot], query: Query) -> tuple[BallotRow, ...]:
    """The query's kept questions in order."""
    subtopics = {
        one.subtopic_id: one.text or one.subtopic_id for one in query.subtopics
    }
    return tuple(
        BallotRow(
            question_id=one.question.question_id,
            text=one.question.title,
            meta=_about(one, subtopics),
            mine=one.mine or "",
            others=others_words(one),
            disputed=one.disputed,
        )
        for one in ballots
    )


def others_words(ballot: Ballot) -> str:
    """``vital: Ben, Cy · okay: Dee``, or that nobody else has voted; "" before I have.

    Whoever reads them has voted, so that they cannot sway a first vote.
    """
    if ballot.mine is None:
        return ""
    sides = [
        f"{importance}: {', '.join(judges)}"
        for importance in IMPORTANCES
        if (judges := voters(ballot.others, importance))
    ]
    return " · ".join(sides) or "nobody else yet"


def voters(votes: Votes, importance: Importance) -> list[str]:
    """Who voted so, by name."""
    return [judge for judge, vote in votes if vote == importance]


def voting_rows(
    collection: Collection,
    bank: Bank,
    judge: str,
    votings: Mapping[str, Voting],
    selected: str | None,
) -> tuple[VotingRow, ...]:
    """Every query in the collection's order."""
    rows = query_rows.query_rows(collection, bank, judge, selected)
    return tuple(
        VotingRow(replace(row, done=voting.complete), voting)
        for row in rows
        if (voting := votings[row.query_id])
    )


def matching(
    rows: Sequence[VotingRow], search: str, show: query_rows.Show | None
) -> tuple[VotingRow, ...]:
    """The rows whose name or id holds every word; "done" are those voted on whole.

    A query without kept questions is nothing to do, nor done.
    """
    found = query_rows.matching(tuple(row.query for row in rows), search, show)
    ids = {row.query_id for row in found}
    return tuple(
        row
        for row in rows
        if row.query.query_id in ids and (row.voting.total or show != "to do")
    )


def shown_counts(rows: Sequence[VotingRow]) -> dict[query_rows.Show, int]:
    """How many queries each choice of the list shows."""
    return {
        "to do": sum(row.voting.left > 0 for row in rows),
        "all": len(rows),
        "done": sum(row.voting.complete for row in rows),
    }


def seen_words() -> str:
    """What a judge sees while voting, in words that the history keeps."""
    return "Judges page; others' votes on a question only after one's own"


def counted(voting: Voting) -> str:
    """``3/9``; a dash for a query without kept questions."""
    return f"{voting.voted}/{voting.total}" if voting.total else "–"


def in_all_words(voting: Voting) -> str:
    """``37 of 210 questions voted on``."""
    return f"{voting.voted:,} of {words.count(voting.total, 'question')} voted on"


def _about(ballot: Ballot, subtopics: Mapping[str, str]) -> str:
    question = ballot.question
    said = [subtopics.get(question.subtopic_id or "", question.subtopic_id or "")]
    said += ["nugget"] if question.kind == "nugget" else []
    return " · ".join(one for one in said if one)
