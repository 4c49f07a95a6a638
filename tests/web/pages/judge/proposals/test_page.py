"""The Proposals tab: asking, what came of it, who decided; its texts do nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from curator.background.tasks import CommandResult, CommandTask
from curator.bank.edits import Add, Keep, Retire, Reword
from curator.store import generations
from curator.store.connection import open_workspace, write_transaction
from curator.verbs.proposals.request import GenerationRequest
from curator.web import identity
from curator.web.components import session
from curator.web.components.channel import UNREADABLE, Answer, received
from curator.web.identity import Auth
from curator.web.pages.judge.proposals import request_form
from curator.web.pages.judge.proposals.request_form import EMPTY, Fields
from curator.workspace import Workspace
from tests.samples.asked_models import MODEL, answered
from tests.samples.hand_made import HOSTILE, HOSTILE_QUESTION
from tests.samples.local_grader import LOCAL, job_row
from tests.samples.noted_tasks import NotedTasks
from tests.samples.workspaces import question_bank, write_lines
from tests.web.components.test_untrusted_text import ESCAPED
from tests.web.conftest import OpenApp, given, page_html, remember

PAGE = "judge/proposals/page.py"
SETTINGS = "settings/page.py"
HOST = "models.test:8000"
KEY = "sk-not-to-be-shown"
FORM = {
    "nonce": "1" * 8,
    "save": True,
    "model": f" {MODEL} ",
    "endpoint": "",
    "temperature": "0.5",
    "prompt": "own",
    "count": "7",
    "text": "Ask {count} things about {query_title}.",
    "kind": "nugget",
}


@pytest.fixture(autouse=True)
def no_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever this machine's own is."""
    for name in session.ENDPOINT:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    """Something that could be asked."""
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://ann:secret@{HOST}/path")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def tasks(monkeypatch: pytest.MonkeyPatch) -> NotedTasks:
    """What was to be asked; nothing is."""
    noted = NotedTasks()
    monkeypatch.setattr(session, "service", lambda: noted)
    return noted


@pytest.fixture
def ready(hand_made: Path, endpoint: None) -> Path:
    """A workspace whose usual model is named, with something to ask it at."""
    with Workspace.open(hand_made) as workspace:
        workspace.set_up(generation=GenerationRequest(MODEL))
    return hand_made


def fields(said: dict[str, Any]) -> Fields:
    """What stands in the form."""
    return {name: said[name] for name in EMPTY}


def preview(app: AppTest) -> str:
    """The exact words."""
    (found,) = app.code
    return str(found.value)


def tell(*told: dict[str, Any]) -> tuple[Answer, ...]:
    """What the form hears of saying all this, one after the other."""
    remember()
    meant = {"type": "request", "workspace": session.workspace_id()}
    events = [meant | value for value in told]
    st.session_state[request_form.FORM.key] = SimpleNamespace(events=events)
    received(request_form.FORM.key)
    return session.current().answers


def test_without_an_endpoint_one_line_says_who_sets_one_and_nothing_can_be_asked(
    open_app: OpenApp, hand_made: Path
) -> None:
    answered(hand_made, "I cannot.")
    app = open_app(hand_made, PAGE)
    assert "the organizer sets one on Settings" in page_html(app)
    for key in ("ask_about_all", "ask_about_passages", "again_1"):
        assert app.button(key=key).disabled
    # What would be asked can be read all the same.
    assert preview(app).startswith("Break the query 'What is it?'")


@pytest.mark.parametrize("saved", ["", MODEL])
def test_of_a_bank_of_nuggets_alone_nuggets_are_asked_for_first(
    open_app: OpenApp, hand_made: Path, saved: str
) -> None:
    with Workspace.open(hand_made) as workspace:
        workspace.apply(Add("q1", "It is.", kind="nugget"))
        form = given(open_app(hand_made, SETTINGS), "request_form")
        # As long as there are questions too.
        assert form["prompts"][0][0] == "automatic"
        kept = [one for one in workspace.bank() if one.kind == "question"]
        workspace.apply([Retire(one.question_id) for one in kept])
        if saved:
            workspace.set_up(generation=GenerationRequest(saved))
    app = open_app(hand_made, SETTINGS)
    form = given(app, "request_form")
    assert [one[0] for one in form["prompts"]][:2] == ["nugget", "automatic"]
    # What somebody has saved stays.
    assert form["saved"]["prompt"] == ("automatic" if saved else "nugget")
    begins = "Break the query" if saved else "A good answer to the query"
    assert preview(app).startswith(begins)


def test_of_the_endpoint_only_the_host_is_shown(open_app: OpenApp, ready: Path) -> None:
    html = page_html(open_app(ready, PAGE))
    assert f"at {HOST}" in html
    assert "OPENAI" not in html
    assert "secret" not in html
    assert KEY not in html


def test_a_key_that_is_none_is_one_line(
    open_app: OpenApp, ready: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "two words")
    app = open_app(ready, PAGE)
    assert "(OPENAI_API_KEY) contains a character" in page_html(app)
    assert "two words" not in page_html(app)
    assert app.button(key="ask_about_all").disabled


def test_what_is_saved_is_what_the_workspace_asks(judging: Path) -> None:
    tell(FORM, {**FORM, "model": "another"})  # one nonce: heard once
    with Workspace.open(judging) as workspace:
        order = workspace.default_request()
    assert (order.model, order.temperature, order.count) == (MODEL, 0.5, 7)
    assert order.prompt is not None
    assert (order.prompt.template, order.prompt.kind) == (FORM["text"], "nugget")
    assert session.current().request_draft is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"text": "Ask."}, "needs {query_title}"),
        ({"temperature": "3"}, "expected 0 to 2"),
        ({"count": "0"}, "expected 1 to 100"),
        ({"model": " "}, "No model to ask"),
        ({"endpoint": "file:///etc/passwd"}, "of http or https"),
    ],
)
def test_what_cannot_be_saved_is_said_in_the_form_and_stays_in_it(
    open_app: OpenApp,
    judging: Path,
    change: dict[str, str],
    said: str,
) -> None:
    (answer,) = tell({**FORM, **change})
    assert said in answer.line
    app = open_app(judging, SETTINGS)
    app.session_state[session.KEY] = session.current()
    data = given(app.run(), "request_form")
    assert data["answers"][0]["line"] == answer.line
    assert data["draft"]["text"] == {**FORM, **change}["text"]
    assert not data["stored"]


def test_what_the_page_cannot_have_sent_changes_nothing(judging: Path) -> None:
    answers = tell({"nonce": "2" * 8, "save": True}, {**FORM, "count": 7})
    assert [answer.line for answer in answers] == [UNREADABLE] * 2
    assert session.current().request_draft is None
    with Workspace.open(judging) as workspace:
        assert workspace.default_request().model == ""


def test_the_preview_is_what_is_saved_or_typed_and_says_which(
    open_app: OpenApp, ready: Path
) -> None:
    app = open_app(ready, SETTINGS)
    assert ">as saved<" in page_html(app)
    assert "about " in page_html(app)
    app.session_state[session.KEY].request_draft = fields(FORM)
    app.run()
    assert ">as typed, not saved yet<" in page_html(app)
    assert preview(app) == "Ask 7 things about What is it?."
    # What cannot be meant is a line in its place.
    app.session_state[session.KEY].request_draft = fields({**FORM, "text": "Ask."})
    app.run()
    assert not app.code
    assert "needs {query_title}" in page_html(app)


def test_what_is_being_asked_can_be_read_meanwhile(
    open_app: OpenApp, ready: Path
) -> None:
    with Workspace.open(ready) as workspace:
        texts = workspace.generate(GenerationRequest(MODEL), dry_run=True).texts
    connection = open_workspace(ready)
    holder = f"another-machine:{2**22}:a"
    with write_transaction(connection):
        generations.claim(connection, texts, holder=holder, by="ben")
    connection.close()
    app = open_app(ready, PAGE)
    assert preview(app) == texts[0].text
    assert "2 are being asked." in page_html(app)
    assert app.button(key="ask_about_all").disabled


def test_the_preview_is_of_the_query_and_the_part_of_it_that_is_chosen(
    open_app: OpenApp, hand_made: Path, tmp_path: Path
) -> None:
    bank = question_bank(tmp_path / "more.jsonl", {"q2": {"q2/leaves/e": "Which?"}})
    queries = write_lines(
        tmp_path / "more-queries.jsonl",
        [
            {
                "query_id": "q2",
                "text": "Who?",
                "subtopics": [{"subtopic_id": "leaves", "text": HOSTILE}],
            }
        ],
    )
    with Workspace.open(hand_made) as workspace:
        workspace.import_(queries=queries, bank=bank)
    app = open_app(hand_made, PAGE, query="q2")
    assert f"subtopic '{HOSTILE}'" in preview(app)
    assert "<script" not in page_html(app)
    app.selectbox(key="preview_query").select("q1").run()
    assert "'What is it?'" in preview(app)
    app.selectbox(key="preview_about_q1").select("passage").run()
    # p1 and p2 answer kept questions, so there is none to ask about.
    assert "There is none to ask about" in page_html(app)
    with Workspace.open(hand_made) as workspace:
        workspace.apply([Retire("q1/a"), Retire("q1/b")])
    app.run()
    assert f"Passage:\nBecause. {HOSTILE}" in preview(app)


def test_what_asking_about_all_takes_is_counted_and_follows_what_was_answered(
    open_app: OpenApp, ready: Path, tasks: NotedTasks
) -> None:
    app = open_app(ready, PAGE)
    assert "2 prompts, about " in page_html(app)
    assert "asked before" not in page_html(app)
    with Workspace.open(ready) as workspace:
        key = workspace.generate(GenerationRequest(MODEL), dry_run=True).texts[0].key
    answered(ready, "['Why?']", key=key)
    app.run()
    assert "1 prompt, about " in page_html(app)
    assert "1 prompt was asked before" in page_html(app)


def test_all_and_uncovered_passages_are_asked_beside_the_page(
    open_app: OpenApp, ready: Path, tasks: NotedTasks
) -> None:
    app = open_app(ready, PAGE, judge="ann")
    app.button(key="ask_about_all").click().run()
    assert tasks.sent == [CommandTask(ready, "ask all", "", "ann")]
    assert "Starting" in page_html(app)
    assert app.button(key="ask_about_all").disabled
    tasks.then = CommandResult(line=f"No: {HOSTILE}")
    app.run()
    assert f'role="alert">No: {ESCAPED}' in page_html(app)
    app.button(key="dismiss").click().run()
    assert "No: " not in page_html(app)
    app.number_input(key="grounded").set_value(3).run()
    # by hand: 3 passages of 2 queries
    assert "at most 6 prompts" in page_html(app)
    app.button(key="ask_about_passages").click().run()
    assert tasks.sent[-1].about == (("grounded", "3"),)


def test_only_jobs_that_ask_are_listed_here_and_only_those_that_grade_on_grading(
    open_app: OpenApp, ready: Path
) -> None:
    job_row(ready, heartbeat=4e9, done=3)
    job_row(ready, kind="generate", grader=MODEL, heartbeat=4e9, done=1)
    app = open_app(ready, PAGE)
    assert f"questions from {MODEL}" in page_html(app)
    assert LOCAL not in page_html(app)
    assert [b.key for b in app.button if str(b.key).startswith("pause_")] == ["pause_2"]
    # The model is being asked, so nothing can be started beside it.
    assert app.button(key="ask_about_all").disabled
    app = open_app(ready, "settings/grading/page.py")
    assert f"questions from {MODEL}" not in page_html(app)
    assert f">{LOCAL}</b>" in page_html(app)


def test_a_response_that_could_not_be_read_is_shown_as_it_came_and_asked_again(
    open_app: OpenApp, ready: Path, tasks: NotedTasks
) -> None:
    number = answered(ready, HOSTILE, model="<b>eve</b>", error=HOSTILE)
    app = open_app(ready, PAGE, judge="ann")
    html = page_html(app)
    assert f"<pre>{ESCAPED}" in html
    assert "<script" not in html
    assert "<b>eve</b>" not in html
    app.button(key=f"again_{number}").click().run()
    about = (("query", "q1"), ("again", ""))
    assert tasks.sent == [CommandTask(ready, "ask", "", "ann", about=about)]
    assert app.button(key=f"again_{number}").label == "Asking…"
    tasks.then = CommandResult(line="The endpoint is not there.")
    app.run()
    assert 'role="alert">The endpoint is not there.' in page_html(app)
    answered(ready, "['Why so?']")
    assert "Not read, or in part" not in page_html(app.run())


def test_no_more_than_twenty_are_listed(open_app: OpenApp, ready: Path) -> None:
    for number in range(21):
        answered(ready, "I cannot.", passage_id=None, subtopic_id=f"s{number}")
    app = open_app(ready, PAGE)
    assert len([b for b in app.button if str(b.key).startswith("again_")]) == 20
    assert "and 1 more, asked earlier." in page_html(app)


def test_a_table_says_who_decided_what_and_can_be_downloaded(
    open_app: OpenApp, ready: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app(ready, PAGE)
    assert "Nobody has written a question yet" in page_html(app)
    answered(ready, "['Is one so?', 'Is two so?', 'Is three so?', 'Is four so?']")
    assert "Nobody has decided or written" in page_html(app.run())
    with Workspace.open(ready, judge=f"=ann{HOSTILE}") as workspace:
        one, two, three, _ = ids(workspace, "proposed")
        workspace.apply(Keep(one), seconds=2.0)
        workspace.apply(Reword(two, "Is it two?"), seconds=4.0)
        workspace.apply(Retire(three))
        workspace.apply(Add("q1", "Mine?"))
    write: dict[str, Callable[[], bytes]] = {}
    monkeypatch.setattr(
        st, "download_button", lambda label, data, **_: write.update({label: data})
    )
    html = page_html(app.run())
    assert "1 proposal undecided · 4 questions imported" in html
    assert f"=ann{ESCAPED}" in html
    assert "<script" not in html
    # by hand: of 3 kept 1 was written; the median of 2 and 4 seconds is 3
    assert "33 % of 3" in html
    assert "3.0 s <small>of 2 timed" in html
    assert html.count('style="width:25.00%"') == 8
    st.session_state.clear()
    # Streamlit calls it outside the session, so without the user whom a proxy names.
    auth = Auth("header", "X-User", ("127.0.0.1",))
    monkeypatch.setenv(identity.VARIABLE, auth.variable())
    head, bank, judge = write["Download TSV"]().decode().splitlines()
    assert head.split("\t")[:3] == ["judge", "written", "share written"]
    assert bank.startswith("(bank)\t1\t")
    assert judge.startswith("'=ann")


def ids(workspace: Workspace, state: str) -> Sequence[str]:
    """The questions in this state, by id."""
    return [q.question_id for q in workspace.bank() if q.state == state]


def test_how_many_questions_a_judge_writes_first_is_said_and_not_for_judges_to_set(
    open_app: OpenApp, ready: Path
) -> None:
    app = open_app(ready, PAGE)
    assert "proposals are shown at once" in page_html(app)
    assert "on Settings" in page_html(app)
    with Workspace.open(ready) as workspace:
        workspace.set_up(human_first=5)
    assert "5 questions in every query" in page_html(app.run())
    assert not [one for one in app.number_input if one.key == "human_first"]


def test_while_judges_write_first_nothing_tells_them_of_proposals_elsewhere(
    open_app: OpenApp, ready: Path
) -> None:
    answered(ready, "I cannot.")
    answered(ready, "['Is it a secret?']", query_id="q2")
    with Workspace.open(ready) as workspace:
        workspace.set_up(human_first=1, generation=GenerationRequest(MODEL))
    app = open_app(ready, PAGE, query="q2")
    assert "I cannot." not in page_html(app)
    assert "secret" not in page_html(app)
    assert "secret" not in preview(app)


def test_a_question_full_of_html_is_text_in_the_preview_too(
    open_app: OpenApp, ready: Path
) -> None:
    app = open_app(ready, SETTINGS)
    own = {**FORM, "text": "{query_title}: {existing_questions}", "kind": "question"}
    app.session_state[session.KEY].request_draft = fields(own)
    app.run()
    assert HOSTILE_QUESTION in preview(app)
    assert "<script" not in page_html(app)
