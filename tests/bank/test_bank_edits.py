"""What each edit does to a bank, and when it is refused."""

import hashlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.bank.edits import (
    Add,
    Restore,
    Retire,
    Reword,
    WriteNote,
    apply_edits,
)
from curator.bank.marks import Note
from curator.bank.questions import Bank, Question, active, new_question_id
from curator.bank.wording import MAX_TEXT, clean_text
from curator.errors import (
    AlreadyAskedError,
    EditError,
    NothingToChangeError,
    UnknownNameError,
)

HASH = hashlib.md5(b"Why?").hexdigest()
LEAF = Question("leaf/1", "leaf", "Why do leaves fall?")
GREEN = Question("leaf/2", "leaf", "Why are leaves green?", state="retired")
DUST = Question("dust/1", "dust", "What was the Dust Bowl?", revision=3)
NO_TEXT = Question("dust/0123456789abcdef", "dust", None)
RAIN = Question("rain/1", "rain", "Why does it rain?", state="proposed")


@pytest.fixture
def bank():
    return Bank({"leaf": (LEAF, GREEN), "dust": (DUST, NO_TEXT), "rain": (RAIN,)})


def edited(bank, *edits, judge="ann"):
    return apply_edits(bank, edits, judge=judge)[0]


# Adding


def test_an_added_question_is_kept_and_named_by_the_md5_of_its_text(bank):
    after, (change,) = apply_edits(bank, [Add("leaf", " Why red?\n")], judge="ann")
    added = after.questions_of("leaf")[-1]
    # by hand: `printf 'Why red?' | md5sum`, the text stripped first
    assert added.question_id == "leaf/" + hashlib.md5(b"Why red?").hexdigest()
    assert (added.text, added.state, added.revision) == ("Why red?", "kept", 1)
    assert (change.kind, change.before, change.after) == ("add", None, added)


def test_a_text_that_another_question_has_is_told_from_one_that_is_so_already(bank):
    bank = edited(bank, Add("leaf", "Why red?"))
    with pytest.raises(AlreadyAskedError, match="already asks 'Why red"):
        edited(bank, Reword("leaf/1", "Why red?"))
    with pytest.raises(NothingToChangeError) as already_so:
        edited(bank, Reword("leaf/1", "Why do leaves fall?"))
    assert not isinstance(already_so.value, AlreadyAskedError)


@pytest.mark.parametrize(
    "text", ["Why do\u00a0leaves fall?", "Why do leaves\u200b fall?"]
)
def test_a_text_that_differs_in_nothing_visible_is_the_same(bank, text):
    with pytest.raises(AlreadyAskedError):
        edited(bank, Add("leaf", text))
    # And as an imported question, whose text stays as it came.
    imported = bank.with_question(replace(LEAF, text=text))
    assert imported.question("leaf/1").text == text
    with pytest.raises(AlreadyAskedError):
        edited(imported, Add("leaf", "Why do leaves fall?"))


# Rewording


def test_rewording_keeps_the_id_and_counts_the_revision_up(bank):
    after, (change,) = apply_edits(
        bank, [Reword("dust/1", "What caused the Dust Bowl?", based_on=3)], judge="ann"
    )
    reworded = after.question("dust/1")
    assert (reworded.text, reworded.revision) == ("What caused the Dust Bowl?", 4)
    assert (change.kind, change.before, change.after) == ("reword", DUST, reworded)


def test_a_question_without_a_published_text_cannot_be_reworded(bank):
    with pytest.raises(EditError, match="not in the file") as error:
        edited(bank, Reword(NO_TEXT.question_id, "New?"))
    assert not isinstance(error.value, NothingToChangeError)


# Retiring and restoring


def test_a_retired_question_stays_in_the_bank_and_is_not_active(bank):
    after, (change,) = apply_edits(
        bank, [Retire("leaf/1", reason="too easy", based_on=1)], judge="ann"
    )
    assert [q.question_id for q in after.questions_of("leaf")] == ["leaf/1", "leaf/2"]
    assert active(after.questions_of("leaf"), "question") == ()
    assert after.question("leaf/1").revision == 2
    assert (change.kind, change.reason) == ("retire", "too easy")


@pytest.mark.parametrize("edit", [Retire("x/1"), Restore("x/1"), Reword("x/1", "Why?")])
def test_an_unknown_question_is_named_in_one_line(bank, edit):
    with pytest.raises(UnknownNameError, match=r"No question 'x/1'") as error:
        edited(bank, edit)
    assert "\n" not in str(error.value)


def test_of_equal_texts_one_is_restored_beside_those_of_other_subtopics_alone():
    """As a published bank may ask the same twice."""
    asked = {"q/s/a": "s", "q/t/a": "t", "q/t/b": "t"}
    bank = Bank(
        {"q": tuple(Question(q, "q", "Why?", subtopic_id=asked[q]) for q in asked)}
    )
    for name in asked:
        retired = edited(bank, Retire(name))
        if asked[name] == "t":
            with pytest.raises(AlreadyAskedError, match="already asks 'Why"):
                edited(retired, Restore(name))
            other = "q/t/a" if name == "q/t/b" else "q/t/b"
            retired = edited(retired, Retire(other))
        assert edited(retired, Restore(name)).question(name).state == "kept"


# Notes


def test_a_note_without_words_and_flag_is_taken_away_and_a_long_one_refused(bank):
    with pytest.raises(NothingToChangeError, match="no note by ann"):
        edited(bank, WriteNote("leaf/1", " \n"))
    noted = edited(bank, WriteNote("leaf/1", " Why? ", flagged=True))
    assert noted.notes_of("leaf") == (Note("leaf/1", "ann", "Why?", flagged=True),)
    with pytest.raises(NothingToChangeError, match="this note by ann"):
        edited(noted, WriteNote("leaf/1", "Why?", flagged=True))
    assert edited(noted, WriteNote("leaf/1")).notes_of("leaf") == ()
    with pytest.raises(EditError, match="at most 500 characters; this one has 501"):
        edited(bank, WriteNote("leaf/1", "w" * 501))


# Texts


@pytest.mark.parametrize("text", ["", "  \n\t ", "\x00\x07", "\u200b", " \ufeff"])
@pytest.mark.parametrize("edit", ["add", "reword"])
def test_a_text_with_nothing_to_read_is_refused(bank, edit, text):
    made = Add("leaf", text) if edit == "add" else Reword("leaf/1", text)
    with pytest.raises(EditError, match="needs a text"):
        edited(bank, made)


def test_the_longest_text_is_two_thousand_characters(bank):
    assert len(clean_text("x" * MAX_TEXT)) == MAX_TEXT == 2000
    with pytest.raises(EditError, match="at most 2000 characters; this one has 2001"):
        edited(bank, Add("leaf", "x" * 2001))


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("  Why?  ", "Why?"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("a\x00b\x07c\x7f", "a b c"),
        ("tab\tstays", "tab\tstays"),
        ("e\u0301", "\u00e9"),  # one Unicode form, NFC
        ("\ufeffWhat\u00a0is a pace\u00adma\u200bker?", "What is a pacemaker?"),
        ("MRI\u2011safe\u202f?", "MRI-safe ?"),
        ("می\u200cروم", "می\u200cروم"),  # a joiner that is part of the word
        ("<b>{0} %s</b>", "<b>{0} %s</b>"),
    ],
)
def test_a_text_is_stored_clean(typed, stored):
    assert clean_text(typed) == stored


@given(st.text(max_size=200))
def test_cleaning_a_clean_text_changes_nothing(text):
    try:
        clean = clean_text(text)
    except EditError:
        return
    assert clean_text(clean) == clean
    assert clean == clean.strip() != ""


# All or nothing, and sharing


@given(st.lists(st.sampled_from(["leaf/1", "leaf/2", "dust/1"]), max_size=12))
def test_a_question_changed_n_times_has_grown_n_revisions(question_ids):
    bank = Bank({"leaf": (LEAF, GREEN), "dust": (DUST,)})
    after = bank
    for question_id in question_ids:
        retired = after.question(question_id).state == "retired"
        edit = Restore(question_id) if retired else Retire(question_id)
        after = edited(after, edit)
    for question in bank:
        times = question_ids.count(question.question_id)
        now = after.question(question.question_id)
        assert now.revision == question.revision + times
        assert (now.state == question.state) == (times % 2 == 0)


# Ids, and finding questions


@pytest.mark.parametrize(
    ("subtopic_id", "taken", "expected"),
    [
        (None, [], f"q/{HASH}"),
        ("s", [], f"q/s/{HASH}"),
        (None, [f"q/{HASH}"], f"q/{HASH}-2"),
        (None, [f"q/{HASH}", f"q/{HASH}-2"], f"q/{HASH}-3"),
        # a gap in the numbers is filled: the id only has to be free
        (None, [f"q/{HASH}", f"q/{HASH}-3"], f"q/{HASH}-2"),
    ],
)
def test_a_new_id_is_the_first_that_is_free(subtopic_id, taken, expected):
    assert new_question_id("q", subtopic_id, "Why?", taken) == expected


def test_active_items_are_the_kept_ones_of_the_kind_asked_for():
    questions = [
        Question("q/1", "q", "a"),
        Question("q/2", "q", "b", state="retired"),
        Question("q/3", "q", "c", state="proposed"),
        Question("q/4", "q", "d", kind="nugget"),
        Question("q/5", "q", "e"),
    ]
    assert [q.question_id for q in active(questions, "question")] == ["q/1", "q/5"]
    assert [q.question_id for q in active(questions, "nugget")] == ["q/4"]
