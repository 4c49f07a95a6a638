"""Which verdicts on answers a judge may see: those on what they have judged themselves.

As with votes, until then what others said is left out of banks and of the history.
"""

from __future__ import annotations

from dataclasses import replace

from curator.bank.marks import Verdict
from curator.bank.questions import Bank

Words = tuple[str, str, str]  # query id, question's text, answer


def judged_by(bank: Bank, judge: str) -> frozenset[Words]:
    """The answers on which the judge has a verdict."""
    return frozenset(
        (query_id, one.question, one.answer)
        for query_id, verdicts in bank.verdicts.items()
        for one in verdicts
        if one.judge == judge
    )


def seen_bank(bank: Bank, judged: frozenset[Words]) -> Bank:
    """The bank without verdicts on what the judge has not judged now.

    ``judged`` are the answers on which there is a verdict. The very same bank where
    nothing is hidden.
    """

    def is_seen(query_id: str, one: Verdict) -> bool:
        return (query_id, one.question, one.answer) in judged

    seen = {
        query_id: tuple(one for one in verdicts if is_seen(query_id, one))
        for query_id, verdicts in bank.verdicts.items()
        if not all(is_seen(query_id, one) for one in verdicts)
    }
    return replace(bank, verdicts={**bank.verdicts, **seen}) if seen else bank
