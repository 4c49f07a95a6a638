"""What a model proposes waits in the bank until people keep, reword or drop it."""

import hashlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.bank.edits import (
    Add,
    Keep,
    Propose,
    Restore,
    Retire,
    Reword,
    apply_edits,
)
from curator.bank.questions import Bank, Question, active, proposed
from curator.errors import (
    AlreadyAskedError,
    EditError,
    StaleEditError,
    UnknownNameError,
)

FROM = json.dumps({"generation": 7})
LEAF = Question("leaf/1", "leaf", "Why do leaves fall?")
GREEN = Question("leaf/2", "leaf", "Why are leaves green?", state="retired")
RED = Question(
    "leaf/3", "leaf", "Why red?", state="proposed", provenance=FROM, revision=1
)
RAIN = Question("rain/1", "rain", "Why does it rain?")


@pytest.fixture
def bank():
    return Bank({"leaf": (LEAF, GREEN, RED), "rain": (RAIN,)})


def edited(bank, *edits, judge="ann"):
    return apply_edits(bank, edits, judge=judge)[0]


def md5(text):
    return hashlib.md5(text.encode()).hexdigest()


# Proposing


def test_a_proposal_is_new_waits_and_says_where_it_comes_from(bank):
    after, (change,) = apply_edits(
        bank, [Propose("leaf", " Why yellow?\n", FROM)], judge="chat:some-model"
    )
    made = after.questions_of("leaf")[-1]
    # as an added question: the md5 of the stripped text
    assert made.question_id == f"leaf/{md5('Why yellow?')}"
    assert (made.text, made.state, made.revision) == ("Why yellow?", "proposed", 1)
    assert made.provenance == FROM
    assert (change.kind, change.before, change.after) == ("propose", None, made)
    assert proposed(after.questions_of("leaf"), "question") == (RED, made)


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("Why do leaves fall?", AlreadyAskedError, "already asks 'Why do leaves fall"),
        ("Why are leaves green?", EditError, "restore it instead: leaf/2"),
        (" Why red? ", EditError, "keep it instead: leaf/3"),
    ],
)
@pytest.mark.parametrize("how", ["propose", "reword"])
def test_a_text_the_query_has_is_not_had_twice_whatever_its_state(
    bank, how, text, error, said
):
    other = edited(bank, Propose("leaf", "Why yellow?", FROM))
    made = other.questions_of("leaf")[-1].question_id
    edit = Propose("leaf", text, FROM) if how == "propose" else Reword(made, text)
    with pytest.raises(error, match=said):
        edited(other, edit)


# Keeping


def test_a_reworded_proposal_is_thereby_kept_under_its_id(bank):
    after, (change,) = apply_edits(
        bank, [Reword("leaf/3", "Why so red?", based_on=1)], judge="ann"
    )
    kept = after.question("leaf/3")
    assert (kept.state, kept.text, kept.revision) == ("kept", "Why so red?", 2)
    assert kept.provenance == FROM
    assert (change.kind, change.before, change.after) == ("reword", RED, kept)


def test_a_text_that_is_typed_as_it_was_proposed_is_that_proposal_kept(bank):
    after, (change,) = apply_edits(bank, [Add("leaf", "  Why red? ")], judge="ann")
    assert [q.question_id for q in after.questions_of("leaf")] == [
        "leaf/1",
        "leaf/2",
        "leaf/3",
    ]
    kept = after.question("leaf/3")
    assert (kept.state, kept.revision, kept.provenance) == ("kept", 2, FROM)
    assert (change.kind, change.before, change.after) == ("add", RED, kept)
    with pytest.raises(AlreadyAskedError):
        edited(after, Add("leaf", "Why red?"))


# Dropping


# Others at the same time


@pytest.mark.parametrize(
    ("edit", "mine"),
    [
        (Keep("leaf/3", based_on=1), None),
        (Retire("leaf/3", based_on=1), None),
        (Reword("leaf/3", "Why crimson?", based_on=1), "Why crimson?"),
    ],
)
def test_a_decision_on_what_somebody_reworded_meanwhile_is_refused_with_both_texts(
    bank, edit, mine
):
    meanwhile = edited(bank, Reword("leaf/3", "Why so red?"), judge="bob")
    with pytest.raises(StaleEditError) as refused:
        edited(meanwhile, edit)
    assert (refused.value.mine, refused.value.theirs) == (mine, "Why so red?")
    assert refused.value.theirs_revision == 2
    assert "Why so red?" in str(refused.value)


# Laws

TEXTS = st.sampled_from(["Why?", "How?", "WHY?", "Why do leaves fall?"])
IDS = st.sampled_from(["leaf/1", "leaf/2", "leaf/3", f"leaf/{md5('How?')}"])
EDITS = st.one_of(
    st.builds(Propose, st.just("leaf"), TEXTS, st.just(FROM)),
    st.builds(Add, st.just("leaf"), TEXTS),
    st.builds(Keep, IDS),
    st.builds(Retire, IDS),
    st.builds(Restore, IDS),
    st.builds(Reword, IDS, TEXTS),
)


@settings(max_examples=150)
@given(st.lists(EDITS, max_size=12))
def test_whatever_is_done_no_text_stands_twice_and_only_keeping_makes_active(edits):
    bank = Bank({"leaf": (LEAF, GREEN, RED)})
    for edit in edits:
        try:
            after = edited(bank, edit)
        except EditError:
            continue
        except UnknownNameError:
            assert getattr(edit, "question_id", "").startswith("leaf/")
            continue
        texts = [question.text for question in after.questions_of("leaf")]
        assert len(texts) == len(set(texts))
        ids = [question.question_id for question in after.questions_of("leaf")]
        assert len(ids) == len(set(ids))
        if isinstance(edit, Propose):
            assert active(after.questions_of("leaf"), "question") == active(
                bank.questions_of("leaf"), "question"
            )
        # Nobody proposes what was decided: no way leads back but taking it back.
        waiting = {
            q.question_id for q in bank.questions_of("leaf") if q.state != "proposed"
        }
        assert not waiting & {
            q.question_id for q in proposed(after.questions_of("leaf"), "question")
        }
        bank = after
