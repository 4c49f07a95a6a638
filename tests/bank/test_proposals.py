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
    apply_change,
    apply_edits,
)
from curator.bank.questions import Bank, Question, active, proposed
from curator.bank.wording import MAX_TEXT
from curator.errors import (
    AlreadyAskedError,
    EditError,
    NothingToChangeError,
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


def test_a_proposal_counts_for_nothing(bank):
    after = edited(bank, Propose("leaf", "Why yellow?", FROM))
    assert active(after.questions_of("leaf"), "question") == (LEAF,)


def test_a_proposed_key_fact_of_a_subtopic_has_its_kind_and_its_subtopic_in_the_id(
    bank,
):
    edit = Propose(
        "leaf", "Leaves hold sugar.", FROM, kind="nugget", subtopic_id="colour"
    )
    made = edited(bank, edit).questions_of("leaf")[-1]
    assert made.question_id == f"leaf/colour/{md5('Leaves hold sugar.')}"
    assert (made.kind, made.subtopic_id) == ("nugget", "colour")
    questions = edited(bank, edit).questions_of("leaf")
    assert proposed(questions, "nugget") == (made,)
    assert proposed(questions, "question") == (RED,)


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


def test_another_query_may_be_proposed_the_same(bank):
    after = edited(bank, Propose("rain", "Why red?", FROM))
    assert after.questions_of("rain")[-1].text == "Why red?"


@pytest.mark.parametrize("text", ["", " \n", "\x00", "x" * (MAX_TEXT + 1)])
def test_a_proposal_without_a_text_or_with_too_long_a_one_is_refused(bank, text):
    with pytest.raises(EditError):
        edited(bank, Propose("leaf", text, FROM))


def test_a_proposal_in_the_first_words_of_a_reworded_question_gets_a_numbered_id(bank):
    plain = f"leaf/{md5('Why yellow?')}"
    after = edited(
        bank,
        Add("leaf", "Why yellow?"),
        Reword(plain, "Why so yellow?"),
        Propose("leaf", "Why yellow?", FROM),
    )
    assert after.questions_of("leaf")[-1].question_id == f"{plain}-2"


def test_ids_of_a_subtopic_and_of_a_query_named_alike_do_not_meet():
    """Query "a" with subtopic "b" and query "a/b" make ids of the same parts."""
    bank = edited(Bank(), Propose("a", "Why?", FROM, subtopic_id="b"))
    after = edited(bank, Propose("a/b", "Why?", FROM))
    plain = f"a/b/{md5('Why?')}"
    assert [q.question_id for q in after] == [plain, f"{plain}-2"]


# Keeping


def test_keeping_changes_the_state_alone(bank):
    after, (change,) = apply_edits(bank, [Keep("leaf/3", based_on=1)], judge="ann")
    kept = after.question("leaf/3")
    assert (kept.state, kept.text, kept.provenance) == ("kept", "Why red?", FROM)
    assert kept.revision == 2
    assert (change.kind, change.before, change.after) == ("keep", RED, kept)
    assert active(after.questions_of("leaf"), "question") == (LEAF, kept)


@pytest.mark.parametrize(("question_id", "state"), [("leaf/1", "kept"), ("leaf/2", "")])
def test_only_a_proposal_is_kept(bank, question_id, state):
    with pytest.raises(NothingToChangeError, match=state or "retired"):
        edited(bank, Keep(question_id))


def test_what_was_kept_is_not_kept_twice(bank):
    with pytest.raises(NothingToChangeError, match="'Why red\\?' is kept"):
        edited(bank, Keep("leaf/3"), Keep("leaf/3"))


def test_an_unknown_proposal_is_named(bank):
    with pytest.raises(UnknownNameError, match="No question 'leaf/9'"):
        edited(bank, Keep("leaf/9"))


def test_a_reworded_proposal_is_thereby_kept_under_its_id(bank):
    after, (change,) = apply_edits(
        bank, [Reword("leaf/3", "Why so red?", based_on=1)], judge="ann"
    )
    kept = after.question("leaf/3")
    assert (kept.state, kept.text, kept.revision) == ("kept", "Why so red?", 2)
    assert kept.provenance == FROM
    assert (change.kind, change.before, change.after) == ("reword", RED, kept)


def test_rewording_a_proposal_to_its_own_words_does_not_keep_it(bank):
    with pytest.raises(NothingToChangeError, match="text is already"):
        edited(bank, Reword("leaf/3", " Why red? "))


def test_rewording_what_is_retired_leaves_it_retired(bank):
    after = edited(bank, Reword("leaf/2", "Why green?"))
    assert after.question("leaf/2").state == "retired"


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


def test_a_proposal_that_is_retired_was_dropped(bank):
    after, (change,) = apply_edits(
        bank, [Retire("leaf/3", reason=" off\ntopic ", based_on=1)], judge="ann"
    )
    dropped = after.question("leaf/3")
    assert (dropped.state, dropped.revision) == ("retired", 2)
    assert (change.kind, change.reason) == ("drop", "off topic")
    assert proposed(after.questions_of("leaf"), "question") == ()


def test_what_was_kept_first_is_retired_not_dropped(bank):
    _, changes = apply_edits(bank, [Keep("leaf/3"), Retire("leaf/3")], judge="ann")
    assert [change.kind for change in changes] == ["keep", "retire"]


def test_a_dropped_proposal_that_is_restored_is_kept(bank):
    after, changes = apply_edits(
        bank, [Retire("leaf/3"), Restore("leaf/3")], judge="ann"
    )
    restored = after.question("leaf/3")
    assert (restored.state, restored.revision) == ("kept", 3)
    assert [change.kind for change in changes] == ["drop", "restore"]


def test_what_people_dropped_is_not_proposed_again(bank):
    after = edited(bank, Retire("leaf/3"))
    with pytest.raises(EditError, match="restore it instead: leaf/3"):
        edited(after, Propose("leaf", "Why red?", FROM))


def test_whoever_writes_anew_what_was_dropped_keeps_it(bank):
    """It may have been hidden from them."""
    after = edited(bank, Retire("leaf/3"), Add("leaf", "Why red?"))
    assert after.question("leaf/3").state == "kept"
    assert len(after.questions_of("leaf")) == len(bank.questions_of("leaf"))


def test_an_item_of_another_kind_is_not_the_proposal(bank):
    with pytest.raises(EditError, match="keep it instead: leaf/3"):
        edited(bank, Add("leaf", "Why red?", kind="nugget"))


def test_a_proposal_is_not_restored(bank):
    with pytest.raises(NothingToChangeError, match="not retired"):
        edited(bank, Restore("leaf/3"))


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


# Two with one text: undoing a rewording can bring a text back that was proposed since


TWICE = Bank({"leaf": (LEAF, Question("leaf/4", "leaf", LEAF.text, state="proposed"))})


def test_a_proposal_whose_text_is_asked_by_now_is_not_kept_beside_it():
    with pytest.raises(AlreadyAskedError, match="already asks 'Why do leaves fall"):
        edited(TWICE, Keep("leaf/4"))


def test_typing_a_text_that_is_asked_and_proposed_keeps_nothing():
    with pytest.raises(AlreadyAskedError, match="already asks 'Why do leaves fall"):
        edited(TWICE, Add("leaf", LEAF.text))


def test_nor_is_one_of_that_text_restored():
    dropped = edited(TWICE, Retire("leaf/4"))
    with pytest.raises(AlreadyAskedError, match="already asks 'Why do leaves fall"):
        edited(dropped, Restore("leaf/4"))


def test_a_proposal_whose_text_is_asked_by_now_can_be_dropped_or_reworded():
    assert edited(TWICE, Retire("leaf/4")).question("leaf/4").state == "retired"
    assert edited(TWICE, Reword("leaf/4", "Why?")).question("leaf/4").state == "kept"


# Taking back, and laws


def test_the_inverse_of_a_proposal_takes_it_out(bank):
    after, (change,) = apply_edits(
        bank, [Propose("leaf", "Why yellow?", FROM)], judge="chat:m"
    )
    inverse = type(change)("undo propose", "leaf", before=change.after)
    assert apply_change(after, inverse, judge="ann") == bank


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


@settings(max_examples=300)
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
