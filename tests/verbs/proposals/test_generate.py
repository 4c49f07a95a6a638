"""``generate``: what a model is asked, that it is asked once, and what is kept of it.

The endpoint is on this machine and answers by a rule; client, parser and store are
real.
"""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from curator.bank.edits import Add, Keep, Retire
from curator.errors import CuratorError, PromptError, UnknownNameError
from curator.generation.prompts import PROMPTS, PromptTexts, custom_prompt
from curator.verbs.proposals.request import GenerationRequest
from grading.costs import Prices
from tests.samples.chat_server import MODEL, ChatServer
from tests.samples.proposals import (
    ORDER,
    RAIN,
    TIDES,
    in_state,
    listed,
    questions_about,
    texts_of,
    three_questions,
)
from tests.samples.workspaces import dump

ABOUT_RAIN = PROMPTS["dl"].fill(PromptTexts(RAIN))
ABOUT_MOON = PROMPTS["car"].fill(PromptTexts(TIDES, subtopic="The moon's pull"))
ABOUT_SUN = PROMPTS["car"].fill(
    PromptTexts(TIDES, subtopic="sun")
)  # its id: no text known
DRIZZLE = "What is drizzle?"


def about(
    query_id: str | None = "rain", order: GenerationRequest = ORDER, **more
) -> GenerationRequest:
    return replace(order, query_id=query_id, **more)


def prompts_of(server: ChatServer) -> list[str]:
    return sorted(one.prompt for one in server.requests)


# What is asked


def test_subtopics_are_asked_about_by_car_and_a_query_without_any_by_dl(
    workspace, server
):
    summary = workspace.generate(ORDER, prices=Prices(2.0, 4.0))
    # by the server's rule: a word is a token; 2 and 4 dollars a million
    words = sum(len(one.prompt.split()) for one in server.requests)
    said = sum(len(three_questions(one.prompt).split()) for one in server.requests)
    assert (summary.tokens_in, summary.tokens_out) == (words, said)
    assert summary.dollars == pytest.approx((2 * words + 4 * said) / 1e6)
    assert sum(one.tokens_out for one in workspace.generations()) == said
    assert prompts_of(server) == sorted([ABOUT_RAIN, ABOUT_MOON, ABOUT_SUN])
    assert (summary.asked, summary.proposed, summary.repeated) == (3, 9, 0)
    assert summary.without_title == 1  # "only-id" has none
    assert texts_of(workspace, "rain", "proposed") == questions_about(ABOUT_RAIN)
    by_subtopic = {
        subtopic: [
            q.text
            for q in workspace.bank().questions_of("tides")
            if q.subtopic_id == subtopic
        ]
        for subtopic in ("moon", "sun")
    }
    assert by_subtopic == {
        "moon": questions_about(ABOUT_MOON),
        "sun": questions_about(ABOUT_SUN),
    }


def test_the_bank_is_told_as_far_as_it_stands_and_is_of_that_kind_and_subtopic(
    workspace, server
):
    workspace.apply(
        [
            Add("tides", "Of the whole?"),
            Add("tides", "Of the moon?", subtopic_id="moon"),
            Add("tides", "Of the sun?", subtopic_id="sun"),
            Add("tides", "A fact.", kind="nugget"),
            Add("tides", "Retired?"),
        ]
    )
    workspace.apply(Retire(workspace.bank().questions_of("tides")[-1].question_id))
    server.answer = lambda prompt: listed("Proposed?")
    mine = custom_prompt("{query_title}\n{existing_questions}")
    of_subtopic = custom_prompt("{query_subtopic}\n{existing_questions}", name="sub")
    workspace.generate(about("tides", prompt=mine))
    workspace.generate(about("tides", prompt=of_subtopic, subtopic_id="moon"))
    workspace.generate(about("rain", prompt=mine))
    assert [one.prompt for one in server.requests] == [
        f"{TIDES}\n- Of the whole?\n- Of the moon?\n- Of the sun?",
        # by hand: what waits is told too, lest it be proposed again
        "The moon's pull\n- Of the whole?\n- Of the moon?\n- Proposed?",
        f"{RAIN}\n- What is a cloud?",
    ]


def test_a_passage_is_asked_about_with_its_text(workspace, server):
    server.answer = lambda prompt: listed(DRIZZLE)
    workspace.generate(about("rain", passage_id="r2"))
    assert prompts_of(server) == [
        PROMPTS["passage"].fill(
            PromptTexts(RAIN, passage="Rain, r2.", existing=["What is a cloud?"])
        )
    ]
    (made,) = in_state(workspace, "rain", "proposed")
    (asked,) = workspace.generations()
    assert (asked.passage_id, asked.prompt) == ("r2", "passage")
    assert json.loads(made.provenance) == {
        "generation": asked.generation_id,
        "passage": "r2",
    }


def test_passages_that_nothing_covers_are_asked_about_relevant_ones_first(
    workspace, server
):
    assert workspace.generate(about(grounded=2)).asked == 2
    assert workspace.generate(about(grounded=9)).asked == 1
    asked = [(one.passage_id, one.text) for one in reversed(workspace.generations())]
    # by hand: r1 is answered, r3 is judged relevant, r2 has 1.5 votes and r4 1/3
    assert [passage_id for passage_id, _ in asked] == ["r3", "r2", "r4"]
    assert all(text.endswith(f"\nRain, {name}.") for name, text in asked)


@pytest.mark.parametrize(
    ("order", "error", "said"),
    [
        (GenerationRequest(model=" "), PromptError, "No model to ask"),
        (
            about(count=0),
            PromptError,
            "The number of questions is 0; expected 1 to 100",
        ),
        (
            about(passage_id="r2", prompt=PROMPTS["dl"]),
            PromptError,
            r"has no place for a passage; it needs \{passage\}",
        ),
        (about(passage_id="t1"), UnknownNameError, "No passage 't1' in the pool"),
        (about(prompt=PROMPTS["car"]), PromptError, "asks about a subtopic"),
        (about("only-id"), PromptError, "Only the id of query 'only-id' is known"),
    ],
)
def test_an_order_that_makes_no_sense_is_refused_in_one_line(
    workspace, server, order, error, said
):
    before = dump(workspace.path)
    for dry_run in (True, False):
        with pytest.raises(error, match=said) as refused:
            workspace.generate(order, dry_run=dry_run)
        assert "\n" not in str(refused.value)
    with pytest.raises(CuratorError):
        workspace.start_generation(order)
    assert server.requests == []
    assert dump(workspace.path) == before


# Asked once


def test_what_has_an_answer_is_not_asked_again(workspace, server):
    workspace.generate(ORDER)
    before = dump(workspace.path)
    summary = workspace.generate(ORDER)
    assert (summary.asked, summary.had, summary.proposed) == (0, 3, 0)
    assert set(server.asked.values()) == {1}
    assert dump(workspace.path) == before


@pytest.mark.parametrize(
    "other",
    [
        {"model": "other-model"},
        {"prompt": custom_prompt(PROMPTS["dl"].template + " Be brief.")},
        {"temperature": 0.0},
        {"count": 30},
    ],
)
def test_another_wish_is_another_asking(workspace, server, other):
    workspace.generate(about())
    summary = workspace.generate(about(**other))
    assert (summary.asked, summary.had) == (1, 0)


# What is kept


def test_a_proposal_tells_where_it_comes_from(workspace, server):
    workspace.generate(about("tides", subtopic_id="moon", temperature=1.0))
    (asked,) = workspace.generations(query_id="tides")
    assert asked.text == server.requests[0].prompt == ABOUT_MOON
    assert asked.raw == three_questions(ABOUT_MOON)
    assert (asked.model, asked.by, asked.state) == (MODEL, "ann", "whole")
    assert (asked.texts_read, asked.proposed, asked.error) == (3, 3, None)
    assert (asked.query_id, asked.subtopic_id, asked.passage_id) == (
        "tides",
        "moon",
        None,
    )
    waiting = in_state(workspace, "tides", "proposed")
    assert {q.provenance for q in waiting} == {
        json.dumps({"generation": asked.generation_id})
    }
    events = workspace.history(query_id="tides")
    assert {event.by for event in events} == {f"chat:{MODEL}"}
    assert [event.change.kind for event in events] == ["propose"] * 3
    assert workspace.generations(query_id="rain") == ()
    assert workspace.verify().problems == ()


def test_nothing_that_is_proposed_is_counted_before_it_is_kept(workspace, server):
    before = workspace.leaderboard(measure="cover")
    states = workspace.graders()
    workspace.generate(ORDER)
    assert workspace.leaderboard(measure="cover") == before
    assert workspace.graders() == states
    assert workspace.status().counts["proposed"] == 9
    (first, *_) = in_state(workspace, "rain", "proposed")
    workspace.apply(Keep(first.question_id))
    after = workspace.leaderboard(measure="cover")
    # by hand: the four passages of the pool have no grade of it yet
    assert after.needed - after.known == 4


@pytest.mark.parametrize(
    ("texts", "proposed", "found"),
    [
        (["Why?", "Why?", "How?"], ["Why?", "How?"], 2),
        (["Why?", "WHY?"], ["Why?"], 1),
        (["What is  a\ncloud?"], [], 1),
        (["what is a CLOUD?", "How?"], ["How?"], 2),
        (["x" * 2001, "How?"], ["How?"], 1),
        (["\x00\x07", " ", "How?"], ["How?"], 1),  # the first has nothing to read
        (["Cafe\u0301?", "Caf\u00e9?"], ["Caf\u00e9?"], 2),  # one text in one form
        (["Tab\there?"], ["Tab here?"], 1),
    ],
)
def test_a_text_that_stands_already_is_not_proposed(
    workspace, server, texts, proposed, found
):
    server.answer = lambda prompt: listed(*texts)
    summary = workspace.generate(about())
    assert texts_of(workspace, "rain", "proposed") == proposed
    assert (summary.proposed, summary.repeated) == (
        len(proposed),
        found - len(proposed),
    )
    (asked,) = workspace.generations()
    assert (asked.texts_read, asked.proposed) == (found, len(proposed))


def test_a_dry_run_asks_nobody_changes_nothing_and_shows_every_prompt(
    workspace, server
):
    before, pulse = dump(workspace.path), workspace.version()
    summary = workspace.generate(ORDER, dry_run=True, prices=Prices(2.0, 4.0))
    assert summary.dry_run
    assert summary.asked == 3
    assert [one.text for one in summary.texts] == [ABOUT_MOON, ABOUT_SUN, ABOUT_RAIN]
    # by hand: 300 tokens an answer; prices as above
    assert summary.tokens_out == 900
    assert summary.dollars == pytest.approx(
        (2 * summary.tokens_in + 4 * summary.tokens_out) / 1e6
    )
    assert server.requests == []
    assert (dump(workspace.path), workspace.version()) == (before, pulse)
    workspace.generate(about("rain"))
    assert len(workspace.generate(ORDER, dry_run=True).texts) == 2
