"""The words of the Proposals tab: what is asked, what came, who decided."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC

import pytest

from curator.collection.pools import Query, Subtopic
from curator.errors import PromptError
from curator.formats.templates import macro
from curator.generation.prompts import PROMPTS, custom_prompt
from curator.store.generations import Generation
from curator.verbs.proposals.decisions import DecisionCounts, Decisions
from curator.verbs.proposals.request import GenerateSummary, GenerationRequest
from curator.web.pages.judge.proposals import asking, request_form
from curator.web.pages.judge.proposals.decisions import decision_row, decisions_html
from tests.samples.hand_made import HOSTILE
from tests.web.components.test_untrusted_text import ESCAPED

OWN = custom_prompt("Ask about {query_title}, as a key fact.", kind="nugget")
REQUESTS = (
    GenerationRequest("gpt-4o-mini"),
    GenerationRequest("m", PROMPTS["car"], temperature=0.0, count=1),
    GenerationRequest("m", PROMPTS["nugget"], temperature=0.25, count=100),
    GenerationRequest("m", OWN),
)


@pytest.mark.parametrize("asked", REQUESTS)
def test_the_form_of_a_request_makes_that_request(asked: GenerationRequest) -> None:
    fields = request_form.fields_of(asked)
    assert request_form.request_of(fields) == asked


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"prompt": "own", "text": " "}, "needs a text"),
        ({"prompt": "own", "text": "Ask."}, "needs {query_title}"),
        ({"temperature": "warm"}, "is “warm”; expected 0 to 2"),
        ({"count": ""}, "expected 1 to 100"),
        ({"count": "ten"}, "is “ten”"),
        ({"count": "9" * 5000}, "expected 1 to 100"),
    ],
)
def test_what_is_typed_wrongly_is_one_line(fields: dict[str, str], said: str) -> None:
    with pytest.raises(PromptError, match=said) as refused:
        request_form.request_of(request_form.EMPTY | {"model": "m"} | fields)
    assert "\n" not in str(refused.value)


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
    assert asking.total_words(replace(SUMMARY, **counts)) == said  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("tokens", "shown"), [(0, 0), (7, 7), (98, 98), (104, 100), (69_510, 70_000)]
)
def test_an_estimate_has_two_digits(tokens: int, shown: int) -> None:
    assert asking.rounded(tokens) == shown


def test_why_nothing_can_be_asked_names_what_is_missing_first() -> None:
    assert "line on top" in asking.why_not(GenerationRequest(""), endpoint=False)
    assert "Name a model" in asking.why_not(GenerationRequest(""), endpoint=True)
    assert asking.why_not(GenerationRequest("m"), endpoint=True) == ""


def generation(**fields: object) -> Generation:
    """One asking that brought nothing."""
    return replace(
        Generation(
            *("q1", None, None, "dl", "question", "Which?", "m", {}, "key", 7, "ann"),
            *("2026-03-14T10:42:00+00:00", "whole", "I cannot.", None, 0, 0, 1, 2),
        ),  # type: ignore[arg-type]
        **fields,  # type: ignore[arg-type]
    )


QUERY = Query("q1", "Why?", subtopics=(Subtopic("s1", "Leaves"),))


def unread_html(one: Generation, refused: str = "", query: Query | None = None) -> str:
    """A response as it is listed."""
    return macro(asking.TEMPLATE, "unread")(asking.unread_row(one, query, UTC), refused)


def test_a_response_is_listed_with_what_was_asked_of_whom_and_when() -> None:
    row = asking.unread_row(generation(subtopic_id="s1", passage_id="p1"), QUERY, UTC)
    assert (row["query"], row["about"]) == ("Why?", "Leaves · passage p1")
    assert row["asked"] == "m, 2026-03-14 10:42"
    assert row["raw"] == row["begins"] == "I cannot."
    long = generation(raw="x" * 4_100, query_id="gone", error="It broke off.")
    row = asking.unread_row(long, None, UTC)
    # by hand: 4,100 − 4,000
    assert (row["query"], len(row["raw"]), row["more"]) == ("gone", 4_000, "100")
    assert "<details" in unread_html(long)
    assert "100 characters more" in unread_html(long)
    assert "It broke off." in unread_html(long)
    assert "It said nothing." in unread_html(generation(raw=" "))
    assert 'role="alert">Refused.' in unread_html(generation(raw=" "), "Refused.")


BANK = DecisionCounts(
    None, 1, 2, 1, 0, 3, undecided=3, imported=4, edit_distance=5.4, timed=0
)
ANN = DecisionCounts("ann", 1, 2, 1, 0, 3, edit_distance=5.4, seconds=8.25, timed=3)
IDLE = DecisionCounts("ben", 0, 0, 0, 0)


def test_a_judges_row_says_each_number_and_what_it_rests_on() -> None:
    bank, ann, ben = map(decision_row, (BANK, ANN, IDLE))
    assert (bank["who"], ann["who"]) == ("All judges", "ann")
    # by hand: 1 of the 4 kept was written
    assert [tuple(cell.values()) for cell in ann["cells"]] == [
        ("1", "25 % of 4"),
        ("1", "by 5 characters"),
        ("2", ""),
        ("0", ""),
        ("8.2 s", "of 3 timed"),
    ]
    assert bank["cells"][-1] == {"number": "–", "note": ""}
    assert ann["bar"] == ["25.00", "25.00", "50.00", ""]
    assert ben["cells"][0] == {"number": "0", "note": ""}
    assert ben["bar"] == [""] * 4


def test_the_bar_has_a_part_for_each_share_that_is_there() -> None:
    html = decisions_html(Decisions(BANK, (IDLE,)))
    assert html.count('<i class="d-2" style="width:50.00%"></i></div>') == 1
    assert html.count("style=") == 3
    assert html.count("<div></div>") == 1


def test_what_is_left_stands_beside_the_table_and_nothing_says_what_to_do() -> None:
    table = decisions_html(Decisions(BANK, (ANN,)))
    assert "<span>3 proposals undecided · 4 questions imported</span>" in table
    assert "<table" in table
    nothing = decisions_html(Decisions(BANK, ()))
    assert "Decide on proposals</button>" in nothing
    assert "<table" not in nothing
    assert "ask a model" in decisions_html(Decisions(replace(BANK, undecided=0), ()))


def test_a_models_words_and_a_judges_name_are_escaped() -> None:
    said = generation(raw=HOSTILE, model=HOSTILE, error=HOSTILE, subtopic_id=HOSTILE)
    for drawn in (
        unread_html(said, HOSTILE, Query("q1", HOSTILE)),
        decisions_html(Decisions(BANK, (replace(ANN, judge=HOSTILE),))),
    ):
        assert ESCAPED in drawn
        assert "<script" not in drawn
        assert "<img" not in drawn
