"""What verbs of boards and judges refuse, each in a line that says what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from curator.bank.edits import AddSubtopic, Dismiss, SetTitle, Vote
from curator.errors import CuratorError
from curator.workspace import Workspace
from tests.samples.workspaces import RATED

PAIR = ("q1", "q1/a", "p1")
NO_QUESTION = {"question_id": "none", "vote": "vital"}


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
        (lambda w: w.release("v1"), "2 of 8 grades are missing"),
        (lambda w: w.release("", allow_partial=True), "needs a name of 1 to 100"),
        (
            lambda w: w.release("12", allow_partial=True),
            "number of an event.*'v12'",
        ),
        (lambda w: w.release("v1", "rouge-1-f1", allow_partial=True), "no labels to"),
        (
            lambda w: w.release("v1", "n-exam", allow_partial=True),
            "gold articles",
        ),
        (lambda w: w.history(limit=-5), "-5 events: expected 0 or more"),
        (lambda w: w.history(since="spring"), "'spring' is neither a day nor a time"),
        (lambda w: w.apply(Dismiss("q1", "no-answer q1/a", "", " ")), "reason"),
        (lambda w: w.assign_evenly(), "No judge to assign work to"),
        (lambda w: w.record_votes([NO_QUESTION]), "vote 1: No question 'none'"),
        (lambda w: w.apply(AddSubtopic("q1", "two words", "New")), "blank"),
        (lambda w: w.apply(SetTitle("q1", " ")), "."),
        (lambda w: w.grade(f"mean:{RATED}+{RATED}"), "."),
    ],
)
def test_a_verb_refuses_what_cannot_be(
    workspace: Workspace, ask: Callable[[Workspace], Any], message: str
) -> None:
    workspace.apply(Vote("q1/a", "vital"))
    with pytest.raises(CuratorError, match=message):
        ask(workspace)
