"""What going back to an earlier bank does to one question."""

from __future__ import annotations

from dataclasses import replace

import pytest

from curator.bank.edits import SetBack, apply_edits
from curator.bank.questions import Bank, Question

WHY = Question("q/1", "q", "Why?", revision=4, provenance='{"by": "ann"}')
HOW = Question("q/2", "q", "How?", revision=2)
BANK = Bank({"q": (WHY, HOW), "q/r": ()})


def of_state(state):
    return Bank({"q": (replace(WHY, state=state), HOW)})


def set_back(bank, question, **fields):
    _, (change,) = apply_edits(bank, [SetBack(question, **fields)], judge="ann")
    return change


@pytest.mark.parametrize(
    ("state", "wanted", "kind"),
    [
        ("retired", WHY, "restore"),
        ("proposed", WHY, "keep"),
        ("kept", replace(WHY, text="Why not?"), "reword"),
        ("retired", replace(WHY, text="Why not?"), "reword"),
        ("kept", replace(WHY, answers=("so",)), "reword"),
        ("kept", replace(WHY, kind="nugget"), "reword"),
    ],
)
def test_a_question_is_kept_as_it_was_under_the_next_revision(state, wanted, kind):
    before = of_state(state).questions_of("q")[0]
    change = set_back(of_state(state), wanted, based_on=4, reason="release v1")
    assert (change.kind, change.before, change.reason) == (kind, before, "release v1")
    assert change.after == replace(wanted, state="kept", revision=5)


def test_one_that_has_gone_comes_back_under_its_id():
    gone = Question("q/3", "q", "When?", state="retired", revision=7)
    change = set_back(BANK, gone, reason=" release\nv1 ")
    assert (change.kind, change.before, change.reason) == ("add", None, "release v1")
    assert change.after == replace(gone, state="kept")
