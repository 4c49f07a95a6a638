"""The words of the Proposals page: what is asked, what came, who decided."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import UTC

import pytest

from curator.collection.queries import Query, Subtopic
from curator.errors import PromptError
from curator.generation.prompts import PROMPTS, own_prompt
from curator.store.generations import Generation
from curator.ui.proposals import decision_words, order_words, unread_words
from curator.ui.proposals.decision_table import bar_html, decisions_html
from curator.ui.proposals.order_words import Fields
from curator.ui.proposals.unread_list import row_html
from curator.verbs.proposals.decisions import Decisions, Share
from curator.verbs.proposals.request import GenerateSummary, GenerationRequest
from tests.samples.hand_made import HOSTILE
from tests.ui.shared.test_untrusted_text import ESCAPED

OWN = own_prompt("Ask about {query_title}, as a key fact.", kind="nugget")
ORDERS = (
    GenerationRequest("gpt-4o-mini"),
    GenerationRequest("m", PROMPTS["car"], temperature=0.0, count=1),
    GenerationRequest("m", PROMPTS["nugget"], temperature=0.25, count=100),
    GenerationRequest("m", OWN),
)


@pytest.mark.parametrize("order", ORDERS)
def test_the_form_of_an_order_makes_that_order(order: GenerationRequest) -> None:
    fields = order_words.fields_of(order)
    assert order_words.order_of_fields(fields) == order
    assert order_words.fields_told(asdict(fields) | {"nonce": "1"}) == fields


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"prompt": "own", "text": " "}, "needs a text"),
        ({"prompt": "own", "text": "Ask."}, "needs {query_title}"),
        ({"temperature": "warm"}, "from 0 to 2, or nothing; this is “warm”"),
        ({"count": ""}, "Between 1 and 100"),
        ({"count": "ten"}, "not “ten”"),
        ({"count": "9" * 5000}, "Between 1 and 100"),
    ],
)
def test_what_is_typed_wrongly_is_one_line(fields: dict[str, str], said: str) -> None:
    with pytest.raises(PromptError, match=said) as refused:
        order_words.order_of_fields(Fields(model="m", **fields))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("told", [{}, {"model": "m"}, {"model": 3, "count": None}])
def test_what_the_page_cannot_have_sent_is_no_form(told: dict[object, object]) -> None:
    assert order_words.fields_told(told) is None


SUMMARY = GenerateSummary("m", 0, 0, 0, 0, dry_run=True)


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ({"asked": 726, "tokens_in": 69_510}, "726 prompts, about 70,000 tokens."),
        (
            {"asked": 1, "tokens_in": 98, "had": 2},
            "1 prompt, about 98 tokens; 2 prompts were asked before.",
        ),
        ({"had": 43}, "Nothing left to ask: 43 prompts were asked before."),
        ({"elsewhere": 1}, "1 is being asked."),
        ({"without_title": 2}, "2 queries are known by id only and left out."),
        ({}, "Nothing to ask."),
    ],
)
def test_what_asking_about_all_takes_is_one_sentence(
    counts: dict[str, int], said: str
) -> None:
    assert order_words.total_words(replace(SUMMARY, **counts)) == said  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("tokens", "shown"), [(0, 0), (7, 7), (98, 98), (104, 100), (69_510, 70_000)]
)
def test_an_estimate_has_two_digits(tokens: int, shown: int) -> None:
    assert order_words.rounded(tokens) == shown


def test_why_nothing_can_be_asked_names_what_is_missing_first() -> None:
    assert "line on top" in order_words.why_not(GenerationRequest(""), endpoint=False)
    assert "Name a model" in order_words.why_not(GenerationRequest(""), endpoint=True)
    assert order_words.why_not(GenerationRequest("m"), endpoint=True) == ""


def generation(**fields: object) -> Generation:
    """One asking that brought nothing."""
    return replace(
        Generation(
            *("q1", None, None, "dl", "question", "Which?", "m", {}, "key", 7, "ann"),
            *("2026-03-14T10:42:00+00:00", "whole", "I cannot.", None, 0, 0, 1, 2),
        ),  # type: ignore[arg-type]
        **fields,  # type: ignore[arg-type]
    )


QUERIES = (Query("q1", "Why?", subtopics=(Subtopic("s1", "Leaves"),)),)


def test_a_response_is_listed_with_what_was_asked_of_whom_and_when() -> None:
    long = "x" * 4_100
    found = [
        generation(subtopic_id="s1", passage_id="p1"),
        generation(raw=long, query_id="gone", error="It broke off."),
        generation(raw=" "),
    ]
    first, second, third = unread_words.unread_rows(found, QUERIES, UTC)
    assert (first.query, first.about) == ("Why?", "Leaves · passage p1")
    assert first.asked == "m, 2026-03-14 10:42"
    assert first.raw == first.begins == "I cannot."
    # by hand: 4,100 − 4,000
    assert (second.query, len(second.raw), second.more) == ("gone", 4_000, 100)
    assert "<details" in row_html(second, "")
    assert "100 characters more" in row_html(second, "")
    assert "It broke off." in row_html(second, "")
    assert "It said nothing." in row_html(third, "Refused.")
    assert 'role="alert">Refused.' in row_html(third, "Refused.")


def test_no_more_than_twenty_are_listed() -> None:
    assert len(unread_words.unread_rows([generation()] * 21, QUERIES, UTC)) == 20


BANK = Share(None, 1, 2, 1, 0, 3, undecided=3, imported=4, edit_distance=5.4, timed=0)
ANN = Share("ann", 1, 2, 1, 0, 3, edit_distance=5.4, seconds=8.25, timed=3)
IDLE = Share("ben", 0, 0, 0, 0)


def test_a_judges_row_says_each_number_and_what_it_rests_on() -> None:
    bank, ann, ben = decision_words.decision_rows(Decisions(BANK, (ANN, IDLE)))
    assert (bank.who, ann.who) == ("All judges", "ann")
    # by hand: 1 of the 4 kept was written
    assert ann.written == ("1", "25 % of 4")
    assert ann.reworded == ("1", "by 5 characters")
    assert (ann.unedited, ann.dropped) == (("2", ""), ("0", ""))
    assert ann.seconds == ("8.2 s", "of 3 timed")
    assert bank.seconds == ("–", "")
    assert ann.bar == (0.25, 0.25, 0.5, 0.0)
    assert (ben.written, ben.bar) == (("0", ""), ())


def test_the_bar_has_a_part_for_each_share_that_is_there() -> None:
    assert bar_html((0.25, 0.75, 0.0, 0.0)).count("<i") == 2
    assert bar_html(()) == "<div></div>"


def test_what_is_left_stands_beside_the_table_and_nothing_says_what_to_do() -> None:
    left = decision_words.left_words(Decisions(BANK, ()))
    assert left == "3 proposals undecided · 4 questions imported"
    assert decision_words.nothing_yet(Decisions(BANK, (ANN,))) == ""
    assert "Curate" in decision_words.nothing_yet(Decisions(BANK, ()))
    new = decision_words.nothing_yet(Decisions(replace(BANK, undecided=0), ()))
    assert "ask a model" in new


def test_a_models_words_and_a_judges_name_are_escaped() -> None:
    (row,) = unread_words.unread_rows(
        [generation(raw=HOSTILE, model=HOSTILE, error=HOSTILE, subtopic_id=HOSTILE)],
        QUERIES,
        UTC,
    )
    rows = decision_words.decision_rows(Decisions(BANK, (replace(ANN, judge=HOSTILE),)))
    for drawn in (
        row_html(replace(row, query=HOSTILE), HOSTILE),
        decisions_html(rows, "", ""),
        decisions_html((), HOSTILE, HOSTILE),
    ):
        assert ESCAPED in drawn
        assert "<script" not in drawn
        assert "<img" not in drawn
