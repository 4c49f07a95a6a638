"""What going back to an earlier bank does to one question."""

from __future__ import annotations

from dataclasses import replace

import pytest

from curator.bank.edits import SetBack, apply_edits
from curator.bank.questions import Bank, Question
from curator.errors import EditError, StaleEditError

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
        ("proposed", replace(WHY, text="Why not?"), "reword"),
        ("kept", replace(WHY, subtopic_id="s"), "reword"),
        ("kept", replace(WHY, choices=(("A", "x"),)), "reword"),
        ("kept", replace(WHY, answers=("so",)), "reword"),
        ("kept", replace(WHY, kind="nugget"), "reword"),
    ],
)
def test_a_question_is_kept_as_it_was_under_the_next_revision(state, wanted, kind):
    before = of_state(state).questions_of("q")[0]
    change = set_back(of_state(state), wanted, based_on=4, reason="release v1")
    assert (change.kind, change.before, change.reason) == (kind, before, "release v1")
    assert change.after == replace(wanted, state="kept", revision=5)


def test_where_a_question_came_from_and_its_votes_stay_its_own():
    voted = replace(WHY, state="retired", votes=(("ann", "vital"),))
    after = set_back(
        Bank({"q": (voted,)}), replace(WHY, provenance="{}", votes=())
    ).after
    assert after.provenance == WHY.provenance
    assert after.votes == voted.votes


def test_one_that_has_gone_comes_back_under_its_id():
    gone = Question("q/3", "q", "When?", state="retired", revision=7)
    change = set_back(BANK, gone, reason=" release\nv1 ")
    assert (change.kind, change.before, change.reason) == ("add", None, "release v1")
    assert change.after == replace(gone, state="kept")


def test_one_that_somebody_changed_since_is_refused_with_both_texts():
    with pytest.raises(StaleEditError) as refused:
        set_back(BANK, replace(WHY, text="Why not?"), based_on=3)
    assert (refused.value.mine, refused.value.theirs) == ("Why not?", "Why?")
    assert refused.value.question_id == "q/1"


def test_two_questions_can_have_their_texts_swapped():
    edits = [SetBack(replace(WHY, text="How?")), SetBack(replace(HOW, text="Why?"))]
    after, _ = apply_edits(BANK, edits, judge="ann")
    assert [question.text for question in after.questions_of("q")] == ["How?", "Why?"]


def test_an_id_that_another_query_has_by_now_is_refused():
    # query "q" with subtopic "r" and query "q/r" make the same ids
    taken = Bank({"q": (), "q/r": (Question("q/r/1", "q/r", "Why?"),)})
    with pytest.raises(EditError, match="a question of another query now has its id"):
        set_back(taken, Question("q/r/1", "q", "Why?", subtopic_id="r"))
