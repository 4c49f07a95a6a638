"""Votes on the questions of a query, as rows of the Judge page show them."""

from __future__ import annotations

from typing import Any

from curator.bank.marks import IMPORTANCES
from curator.bank.questions import Bank
from curator.verbs.judges.ballots import Ballot, ballots


def row_votes(bank: Bank, query_id: str, judge: str) -> dict[str, dict[str, Any]]:
    """Return the judge's vote on each kept question, "" for none, and those of others.

    The votes of others are empty until the judge has voted.
    """
    return {
        ballot.question.question_id: {
            "vote": ballot.mine or "",
            "others_votes": others_words(ballot),
            "disputed": ballot.disputed,
        }
        for ballot in ballots(bank, query_id, judge)
    }


def others_words(ballot: Ballot) -> str:
    """Return ``vital: Ben, Cy · okay: Dee``; "" before the judge has voted."""
    if ballot.mine is None:
        return ""
    sides = {
        importance: [judge for judge, vote in ballot.others if vote == importance]
        for importance in IMPORTANCES
    }
    voted = [f"{side}: {', '.join(judges)}" for side, judges in sides.items() if judges]
    return " · ".join(voted) or "nobody else has voted"
