"""The Grading tab's words: graders, jobs, what was counted, what a board lacks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from curator.store.jobs import JobState
from curator.verbs.grading.jobs import Job, current_jobs, latest_job
from curator.verbs.setup.status import GraderState
from curator.web.components.settings import grader_labels
from curator.web.pages.judge import impact_panel
from curator.web.pages.judge.impact_panel import StatusLine
from curator.web.pages.settings.grading.graders import (
    grader_html,
    grader_list,
    state_and_action,
)
from curator.web.pages.settings.grading.jobs import job_actions, job_facts
from grading.prompts.released import FORMER_NAMES, PROMPTS
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
BY_INSTANT = "Questions, passages and ranks of this query are by instant."
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


@pytest.mark.parametrize(
    ("state", "more", "actions"),
    [
        ("running", {}, ("pause", "stop")),
        ("paused", {}, ("resume", "stop")),
        ("stopped", {}, ("resume",)),
        ("stopped", {"process_ended": True}, ("resume", "stop")),
        ("failed", {"error": "No memory."}, ("resume", "stop")),
        ("done", {"done": 9300}, ()),
    ],
)
def test_every_state_says_what_can_be_done(
    state: JobState, more: dict[str, Any], actions: tuple[str, ...]
) -> None:
    assert job_actions(job(state, **more)) == actions


def test_only_what_runs_and_each_graders_latest_wants_looking_after() -> None:
    jobs = [
        job("done", job_id=5, grader="a"),
        job("failed", job_id=4, grader="a"),
        job("stopped", job_id=3, grader="b"),
        job("running", job_id=2, grader="c"),
        job("paused", job_id=1, grader="c"),
    ]
    assert [one.job_id for one in current_jobs(jobs)] == [3, 2]
    assert latest_job(jobs, "a") == jobs[0]
    assert latest_job(jobs, "none") is None


def test_a_grader_says_what_it_rates_and_what_it_lacks() -> None:
    whole = replace(FLAN, item_kind="query", kind="direct", known=1215)
    keyed = replace(FLAN, kind="keyed", known=1200, unreadable=15)
    rates = "<span>{}</span>".format
    assert rates("questions, 0–5") in grader_html(FLAN, "flan", "")
    assert rates("passages as a whole") in grader_html(whole, "flan", "")
    assert rates("questions, right or wrong") in grader_html(keyed, "flan", "")
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


def test_a_grader_that_checks_answers_says_whose() -> None:
    name = f"ava:/models/mine+{IMPORTED.name} (2)"
    ava = replace(FLAN, name=name, kind="keyed", source=IMPORTED.name, can_grade=False)
    labels = grader_labels([IMPORTED, ava])
    label = labels[IMPORTED.name].removesuffix(" (imported)")
    assert labels[name] == f"ava:mine+{label} (2)"
    assert "answers, right or wrong" in grader_html(ava, labels[name], "")
    # What came with a file can be checked, though nobody can answer more.
    assert state_and_action(ava, busy=False) == ("", "grade")


def test_what_a_grader_cannot_give_is_not_missing() -> None:
    checks = replace(FLAN, known=815, needed=1112, out_of_reach=297, left_out=2)
    html = grader_html(checks, "flan", "")
    assert "815 of 815" in html
    assert "2 left out by a budget, 297 not possible" in html
    assert state_and_action(checks, busy=False) == ("complete", "")


def test_everything_the_registry_offers_is_explained() -> None:
    assert all(what for _, what in grader_list())
    names = [name for name, _ in grader_list() if not name.startswith("/")]
    assert len(names) == len(grader_names())
    assert "flan-t5-large" in names
    assert "chat:" in names
    assert not any("<" in name for name in names)


def test_a_prompt_after_a_slash_is_explained_by_what_it_asks_and_whose_it_is() -> None:
    said = dict(one for one in grader_list() if one[0].startswith("/"))
    assert said.keys() == {f"/{name}" for name in (*PROMPTS, *FORMER_NAMES)}
    assert said["/umbrela"].startswith("passages as a whole, Upadhyay et al. 2024, ")
    assert said["/nugget"] == f"nuggets, {PROMPTS['nugget-ours'].source}"


def lack(grader: GraderState = FLAN, **more: Any) -> StatusLine | None:
    given = {
        "job": None,
        "starting": False,
        "refused": "",
        "instant": "instant",
        "offers_instant": True,
        "is_replaced": True,
    }
    return impact_panel.missing_grades(grader, grader.name, **given | more)


def test_a_local_grader_says_how_far_it_is_with_the_new_text() -> None:
    running = job(done=120, total=215)
    assert lack(job=running) == StatusLine(
        f"flan-t5-large is grading: 120 of 215. {BY_INSTANT}"
    )
    alone = lack(job=running, is_replaced=False)
    assert alone == StatusLine("flan-t5-large is grading: 120 of 215.")
    begins = lack(starting=True)
    assert begins is not None
    assert begins.text.startswith("flan-t5-large is grading.")


@pytest.mark.parametrize(
    ("state", "error", "said"),
    [
        ("paused", None, "flan-t5-large paused at 120 of 215 grades."),
        ("stopped", None, "flan-t5-large stopped at 120 of 215 grades."),
        (
            "failed",
            "No memory.",
            "flan-t5-large failed at 120 of 215 grades. No memory.",
        ),
    ],
)
def test_a_job_that_waits_for_somebody_offers_to_resume(
    state: JobState, error: str | None, said: str
) -> None:
    found = lack(job=job(state, done=120, total=215, error=error), starting=False)
    assert found is not None
    assert found.text == f"{said} {BY_INSTANT}"
    assert (found.act, found.pick) == ("Resume", "resume:7")


def test_a_chat_model_waits_to_be_asked_and_says_that_it_costs() -> None:
    paid = replace(FLAN, name="chat:x", engines=("chat",))
    found = lack(paid, job=job("done", grader="chat:x"))
    assert found is not None
    assert found.text == f"215 grades missing under chat:x. {BY_INSTANT}"
    # It is counted first; nothing is paid by one click.
    assert (found.act, found.pick) == ("Count for chat:x", "count:chat:x")
    unpaid = lack()
    assert unpaid is not None
    assert unpaid.pick.startswith("grade:")


def test_what_was_asked_in_vain_is_said_beside_what_was_not_asked() -> None:
    found = lack(replace(FLAN, unreadable=15), is_replaced=False)
    assert found is not None
    assert found.text == "200 grades missing under flan-t5-large."


@pytest.mark.parametrize(
    ("name", "label"),
    [
        (
            "flan-t5:/models/mine/qa/verified/bfloat16",
            "flan-t5:mine/qa/verified/bfloat16",
        ),
        ("flan-t5:/models/mine/bfloat16 (2)", "flan-t5:mine/bfloat16 (2)"),
        ("flan-t5:/models/mine/", "flan-t5:mine"),
        ("flan-t5:/qa", "flan-t5:qa"),
        ("chat:org/model/qa", "chat:org/model/qa"),
        ("flan-t5-large/qa", "flan-t5-large/qa"),
    ],
)
def test_of_a_folder_only_the_last_one_is_in_a_graders_label(
    name: str, label: str
) -> None:
    assert grader_labels([replace(FLAN, name=name)]) == {name: label}


def test_two_folders_of_one_name_are_told_apart() -> None:
    names = ["flan-t5:/a/mine", "flan-t5:/b/mine"]
    labels = grader_labels([replace(FLAN, name=name) for name in names])
    assert labels == dict(zip(names, names, strict=True))


def test_why_a_grading_did_not_begin_is_said_with_the_way_to_try_again() -> None:
    found = lack(refused="No model.")
    assert found is not None
    assert found.text == f"No model. {BY_INSTANT}"
    assert found.pick == "grade:flan-t5-large"


def test_what_is_unknown_though_asked_is_no_grade_missing() -> None:
    found = lack(replace(FLAN, unreadable=215))
    assert found is not None
    assert found.text.startswith("215 responses of flan-t5-large without a rating.")
    assert found.pick == "unreadable:flan-t5-large"
    before = lack(replace(FLAN, known=1215))
    assert before is not None
    assert "has not graded the text before" in before.text
    assert not before.act


def test_a_grader_of_vectors_has_it_in_a_moment_and_an_imported_one_never() -> None:
    assert lack(replace(FLAN, name="embedding", engines=("vectors",))) is None
    imported = lack(IMPORTED, is_replaced=False)
    assert imported is not None
    assert imported.text == "old cannot grade new text here."
    assert imported.pick == "grade:instant"
    everywhere = lack(IMPORTED, offers_instant=False)
    assert everywhere is not None
    assert everywhere.text == f"old cannot grade new text here. {BY_INSTANT}"
    assert everywhere.pick == "goto:Grading"
