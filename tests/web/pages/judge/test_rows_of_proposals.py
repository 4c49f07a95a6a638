"""What is said of a proposal before anyone decides, and of asking for some."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC
from typing import Any

import pytest

from curator.background.tasks import CommandResult
from curator.bank.edits import Change, kinds
from curator.bank.questions import Question
from curator.collection.pools import Collection, Query, Subtopic
from curator.evaluation.impact import SystemMove
from curator.evaluation.influence import Preview
from curator.store.generations import Generation
from curator.store.history import Event
from curator.verbs.curate.near_duplicates import NearDuplicate
from curator.verbs.curate.question_rows import QuestionLine
from curator.verbs.proposals.request import GenerateSummary, GenerationRequest
from curator.web.components import session
from curator.web.components.words import plain
from curator.web.pages.judge import (
    impact_words,
    proposing,
)
from curator.web.pages.judge import rows as question_rows
from curator.web.pages.judge.rows import Proposals
from curator.web.pages.releases.history import event_rows

QUERY = Query("q", "Who?", subtopics=(Subtopic("s", "Some"), Subtopic("t", "Other")))
REACHES = Preview("q/p", passages=4, systems=3, labels_rise=2, influence=0.012)


def line(name: str, state: str = "kept", **more: object) -> QuestionLine:
    given = {"text": f"What of {name}?"} | more
    question = Question(f"q/{name}", "q", state=state, **given)  # type: ignore[arg-type]
    return QuestionLine(question, None, number=ord(name[0]) - 96)  # a is 1


def rows(
    *lines: QuestionLine, systems: int = 6, **known: object
) -> dict[str, dict[str, Any]]:
    groups = question_rows.question_groups(
        lines,
        QUERY,
        systems=systems,
        proposals=Proposals(**known),  # type: ignore[arg-type]
    )
    return {row["id"]: row for group in groups for row in group["rows"]}


def test_proposals_stand_after_the_others_of_their_subtopic() -> None:
    lines = (
        line("p", "proposed", subtopic_id="s"),
        line("a", subtopic_id="s"),
        line("r", "retired", subtopic_id="s"),
        line("b", subtopic_id="t"),
    )
    groups = question_rows.question_groups(lines, QUERY, systems=2)
    found = [[row["id"] for row in group["rows"]] for group in groups]
    assert found == [["q/a", "q/r", "q/p"], ["q/b"]]
    # Whatever their order on the page: p is the 16th letter, r the 18th.
    assert [row["number"] for g in groups for row in g["rows"]] == [1, 18, 16, 2]


def test_proposals_are_counted_apart() -> None:
    lines = (line("a"), line("p", "proposed"), line("r", "retired"))
    assert question_rows.summary(lines) == ("1 kept", "1 proposed · 1 retired")


def test_a_row_says_what_a_proposal_would_reach_and_where_it_comes_from() -> None:
    found = rows(
        line("a"),
        line("p", "proposed", provenance='{"generation": 1, "passage": "p12"}'),
        if_kept={"q/p": REACHES},
        models={1: "m"},
    )
    row = found["q/p"]
    assert row["meta"] == "would reach 4 passages · 3 systems · 2 labels rise"
    assert (row["influence"], row["model"], row["passage"]) == (".012", "m", "p12")
    assert (row["reason"], row["near"], row["unanswered"]) == ("", False, False)


def test_a_kept_question_still_names_the_passage_that_it_came_from() -> None:
    kept = line("a", provenance='{"generation": 1, "passage": "p12"}')
    assert rows(kept)["q/a"]["passage"] == "p12"
    assert rows(line("b"))["q/b"]["passage"] == ""


@pytest.mark.parametrize(
    ("if_kept", "said"),
    [
        (None, "not graded yet"),
        (Preview("q/p", missing=215), "not graded yet"),
        (Preview("q/p"), "would reach nothing"),
        (
            Preview("q/p", passages=1, systems=1, labels_rise=1),
            "would reach 1 passage · 1 system · 1 label rises",
        ),
        (
            Preview("q/p", passages=2, systems=0),
            "would reach 2 passages · 0 systems",
        ),
    ],
)
def test_what_a_proposal_reaches_in_words(if_kept: Preview | None, said: str) -> None:
    assert question_rows.reach(if_kept) == said


def test_likeness_in_meaning_is_said_with_its_cosine_and_in_words_without() -> None:
    same = line("p", "proposed", text="What of a")  # the words of a
    found = rows(line("a"), same)["q/p"]
    assert (found["reason"], found["near"]) == ("near-duplicate of 1", True)
    found = rows(line("a"), same, near={"q/p": NearDuplicate("q/a", 0.912)})["q/p"]
    assert found["reason"] == "near-duplicate of 1 (cosine .91)"
    # One that went meanwhile has no number.
    assert question_rows.near_words(NearDuplicate("q/gone", 0.9), {}) == ""


def test_what_nothing_or_everything_answers_is_said() -> None:
    nothing = rows(line("p", "proposed"), if_kept={"q/p": Preview("q/p")})["q/p"]
    assert (nothing["reason"], nothing["unanswered"]) == ("nothing answers it", True)
    every = rows(line("p", "proposed"), systems=3, if_kept={"q/p": REACHES})["q/p"]
    assert every["reason"] == "every system answers it"


@pytest.mark.parametrize(
    ("provenance", "origin"),
    [
        ('{"generation": 7, "passage": "p1"}', ("m", "p1")),
        ('{"generation": 8}', ("", "")),
        ('{"generation": [7], "passage": 3}', ("", "")),
        ("[]", ("", "")),
        ("no JSON", ("", "")),
    ],
)
def test_an_origin_is_read_from_whatever_provenance_says(
    provenance: str, origin: tuple[str, str]
) -> None:
    question = Question("q/p", "q", "Why?", provenance=provenance)
    assert question_rows.origin_of(question, {7: "m"}) == origin


def test_each_judge_has_an_order_of_proposals_that_stays() -> None:
    lines = (*(line(f"p{n}", "proposed") for n in range(8)), line("a"))
    ann, ben = (question_rows.shuffled(lines, judge) for judge in ("ann", "ben"))
    assert ann[0].question.question_id == ben[0].question.question_id == "q/a"
    assert set(ann) == set(ben) == set(lines)
    assert ann != ben
    assert ann == question_rows.shuffled(tuple(reversed(lines)), "ann")


def test_keeping_reads_like_retiring() -> None:
    moved = (SystemMove("a", 0.5, 0.4, 1, 2), SystemMove("b", 0.4, 0.5, 2, 1))
    would = replace(REACHES, movers=moved, queries_before=43, queries_after=43)
    said = plain(impact_words.preview_sentence(would, kept=True))
    assert said == "If kept: 2 labels rise, 2 systems move; largest a ▼1 (1 → 2)."
    said = plain(impact_words.preview_sentence(would, "embedding", kept=True))
    assert said.startswith("If kept, by embedding: 2 labels rise")
    said = plain(impact_words.preview_sentence(REACHES, kept=True))
    assert said == "If kept: 2 labels rise."
    said = plain(impact_words.preview_sentence(Preview("q/p", 215), kept=True))
    assert said == "If kept: 215 grades missing, so ranks are not certain yet."
    first = replace(would, movers=(), queries_before=42)
    assert "The board rests on 43 queries, before on 42." in plain(
        impact_words.preview_sentence(first, kept=True)
    )


def test_what_models_propose_is_in_the_history_and_is_no_edit() -> None:
    def event(number: int, kind: str, by: str) -> Event:
        after = Question("q/p", "q", "Why?")
        change = Change(kind, "q", None, after)
        at = "2026-03-14T10:42:00+00:00"
        return Event(number, number, at, by, "edit", None, None, change)

    events = (event(2, "keep", "ann"), event(1, "propose", "chat:gpt-4o-mini"))
    found = event_rows.event_rows(events, Collection("", (QUERY,), (), {}), UTC)
    assert [(row.by, row.what) for row in found] == [
        ("ann", "kept"),
        ("gpt-4o-mini", "proposed"),
    ]
    assert kinds.describe(Change("undo drop", "q")) == "undone: dropped"


def summary(**more: Any) -> CommandResult:
    given: dict[str, Any] = {
        "asked": 1,
        "had": 0,
        "elsewhere": 0,
        "without_title": 0,
    } | more
    return CommandResult(generated=GenerateSummary("m", dry_run=False, **given))


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (None, None),
        (CommandResult(), None),
        (summary(proposed=7, repeated=3), None),
        (summary(unreadable=1), "m answered without a list of questions."),
        (
            summary(unreadable=1, faults=("refused by the server: no",)),
            "m answered without a list of questions: refused by the server: no.",
        ),
        (
            summary(proposed=2, cut=1),
            "The answer broke off; complete questions are proposed.",
        ),
        (summary(asked=0, had=1), "m has been asked about this before."),
        (summary(asked=0, elsewhere=1), "m is being asked about this already."),
        (summary(repeated=2), "m had nothing new to propose."),
        (summary(), "m had nothing new to propose."),
        (CommandResult(line="Nobody is there."), "Nobody is there."),
    ],
)
def test_what_became_of_an_asking(
    result: CommandResult | None, said: str | None
) -> None:
    found = proposing.result_line(result, "m")
    assert (found.line if found else None) == said


def generation(**more: object) -> Generation:
    given: dict[str, object] = {
        "generation_id": 1, "query_id": "q", "subtopic_id": None, "passage_id": None,
        "key": "k", "prompt": "dl", "kind": "question", "text": "Ask.", "model": "m",
        "parameters": {}, "by": "ann", "at": "", "state": "whole", "raw": "No.",
        "error": None, "texts_read": 0, "proposed": 0, "tokens_in": 0, "tokens_out": 0,
    } | more  # fmt: skip
    return Generation(**given)  # type: ignore[arg-type]


def test_who_cannot_have_questions_proposed_is_sent_to_the_organizer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(session, "endpoint", bool)  # nothing in the environment
    ask = "Ask your organizer to set a model on Settings"
    there = "http://127.0.0.1:1/v1"
    assert proposing.setup_hint(GenerationRequest("m", endpoint=there)) == ""
    assert proposing.setup_hint(GenerationRequest("m")).startswith(ask)
    assert proposing.setup_hint(GenerationRequest("", endpoint=there)).startswith(ask)
