"""What verbs of boards and judges refuse, each in a line that says what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from curator.bank.edits import Vote
from curator.errors import CuratorError
from curator.workspace import Workspace

PAIR = ("q1", "q1/a", "p1")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda w: w.correlate(ties="none"), "expected average or random"),
        (lambda w: w.correlate(bootstrap=-1), "expected 0 to 10,000 resamples"),
        (lambda w: w.correlate(also=["tau_gap"], ties="random"), "leave out --also"),
        (lambda w: w.correlate(also=["tau_none"]), "tau_none"),
        (lambda w: w.correlate(against="nDCG@10"), "compared against"),
        (lambda w: w.correlate(against="official:none"), "Available: official"),
        (lambda w: w.correlate("P@1", against="judgments:cover"), "from judgments"),
        (lambda w: w.correlate(against="grader:none"), "No grader 'none'"),
        (lambda w: w.correlate("official", against="grader:f"), "uses no grades"),
        (lambda w: [*w.scores("P@1").lines("trec_eval")], "holds one system, not 2"),
        (lambda w: w.impact([], measure="official"), "no edit changes"),
        (lambda w: w.leaderboard("rouge-1-f1", by="subtopic"), "subtopic"),
        (lambda w: w.comment_norming(1, 1, "Hm."), "No norming round"),
        (lambda w: w.validity(graders=["none"]), "No grader 'none'"),
        (lambda w: w.validity(labels=["median"]), "No label rule 'median'"),
        (lambda w: w.stability(draws=3), "draws is 3; expected 10 to 10,000"),
        (lambda w: w.stability(query_id="none"), "No query 'none'"),
        (lambda w: w.leave_out("none"), "No system 'none' here"),
        (lambda w: w.pool("none"), "No query 'none'"),
        (lambda w: w.pool("q1", sort="none"), "No order 'none'"),
        (lambda w: w.coverage(grader="none"), "No grader 'none'"),
        (lambda w: w.rouge_agreement(), "--mark QUERY PASSAGE"),
        (lambda w: w.rouge_agreement(sample=[7]), "judgments here are"),
        (lambda w: w.rouge_agreement(sample=[2], share=0), "share is 0"),
        (lambda w: w.pyramid(without=["eve"]), "'eve' has no votes here"),
        (lambda w: w.pyramid(test=True, samples=0), "samples is 0; expected 1 to"),
        (lambda w: w.next_checks(0), "expected"),
        (lambda w: w.next_checks(1, of="queries"), "expected"),
        (lambda w: w.check_quality(), "has been checked yet"),
        (lambda w: w.adjudication(query_id="q9"), "No query 'q9'"),
        (lambda w: w.adjudication(kind="mood"), "No kind of difference 'mood'"),
        (lambda w: w.decide("vote q1/a", "vital"), "do not differ at 'vote q1/a'"),
        (lambda w: w.norming(), "No norming round here"),
        (lambda w: w.open_norming(count=0), "1 to 100 items"),
        (lambda w: w.open_norming(items=[PAIR] * 2), "given twice"),
        (lambda w: w.open_norming(items=[("q1", None, None)]), "items of one kind"),
    ],
)
def test_a_verb_refuses_what_cannot_be(
    workspace: Workspace, ask: Callable[[Workspace], Any], message: str
) -> None:
    workspace.apply(Vote("q1/a", "vital"))
    with pytest.raises(CuratorError, match=message):
        ask(workspace)
