"""The Grading tab's words: graders, jobs, what was counted, what a board lacks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from curator.store.jobs import JobState
from curator.verbs.grading.jobs import Job
from curator.verbs.setup import GraderState
from curator.web.pages.settings.grading.graders import (
    grader_html,
    grader_list,
    state_and_action,
)
from curator.web.pages.settings.grading.jobs import job_facts
from grading.registry import grader_names

FLAN = GraderState(
    "flan-t5-large",
    "rated",
    "question",
    "google/flan-t5-large",
    known=1000,
    needed=1215,
    can_grade=True,
    engines=("flan-t5",),
)
IMPORTED = replace(FLAN, name="old", can_grade=False, engines=())


def job(state: JobState = "running", **more: Any) -> Job:
    given = {"done": 1240, "total": 9300} | more
    number = given.pop("job_id", 7)
    name = given.pop("grader", FLAN.name)
    return Job(
        number, "grade", name, state, "ann", "2026-03-14T10:42:00+00:00", **given
    )


def facts(state: JobState = "running", **more: Any) -> list[str]:
    return job_facts(job(state, **more), {"q": "What?"})


def test_a_job_says_where_and_how_fast_and_what_came_of_its_prompts() -> None:
    assert facts(engine="ray") == ["all queries", "on Ray"]
    assert facts(budget="top 10 and judged") == ["all queries", "top 10 and judged"]
    assert facts(per_second=3.21) == ["all queries", "3.2 a second"]
    assert facts(query_id="q") == ["only “What?”"]
    assert facts(query_id="gone") == ["only “gone”"]
    asked = facts(
        prompts=1240, cut=12, unreadable=3, tokens_in=310_200, tokens_out=2480
    )
    assert asked[1:] == [
        "12 of 1,240 passages cut to fit (1 %)",
        "3 unreadable",
        "310,200 tokens in, 2,480 out",
        # by hand: 312,680 for 1,240 of 9,300
        "about 2,300,000 in all",
    ]
    unknown = facts(prompts=9, unfinished=2, refused=1, tokens_in=None, tokens_out=None)
    assert unknown[1:] == [
        "2 cut off at the limit of tokens",
        "1 refused",
        "tokens not reported",
    ]


def test_a_grader_says_what_it_rates_and_what_it_lacks() -> None:
    whole = replace(FLAN, item_kind="query", kind="direct", known=1215)
    keyed = replace(FLAN, kind="keyed", known=1200, unreadable=15)
    html = grader_html(FLAN, "flan", "")
    assert "1,000 of 1,215" in html
    assert "width:82.3%" in html
    assert "15 unreadable" in grader_html(keyed, "flan", "")
    states = [
        state_and_action(one, busy=busy)
        for one, busy in (
            (FLAN, False),
            (FLAN, True),
            (IMPORTED, False),
            (whole, False),
            (keyed, False),
        )
    ]
    assert states == [
        ("", "grade"),
        ("grading", ""),
        ("imported", ""),
        ("complete", ""),
        ("complete", "again"),
    ]


def test_everything_the_registry_offers_is_explained() -> None:
    assert all(what for _, what in grader_list())
    names = [name for name, _ in grader_list() if not name.startswith("/")]
    assert len(names) == len(grader_names())
    assert "flan-t5-large" in names
    assert "chat:" in names
    assert not any("<" in name for name in names)
