"""Every page opens through app.py, whatever the workspace lacks."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from curator.bank.edits import Retire
from curator.web.components.places import PLACES
from curator.web.pages.settings.first_screen import SAMPLE_FILES
from curator.web.server import HERE
from curator.workspace import Workspace
from tests.samples.arabic import arabic_files
from tests.samples.hand_made import hand_made_workspace
from tests.samples.workspaces import (
    FakeEncoder,
    one_graded,
    question_bank,
    run_file,
    write_lines,
)
from tests.web.conftest import OpenApp, given, page_html, settings

PAGES = tuple(place.script for place in PLACES.values())
BEFORE_ANYTHING = {"settings/page.py", "settings/people/page.py"}
"""Pages that work before anything is imported."""
OF_A_COLLECTION = (
    "judge/page.py",
    "results/page.py",
)
"""Pages that look at the question, or at what is compared with, of the address."""
ADDRESSES = (
    {"question": "q/a", "solo": "yes"},
    {"against": "import", "board": "yes"},
)
Build = Callable[[Path], Path]


def runs_a_page(path: Path) -> bool:
    """Whether the module draws a page when it is run."""
    body = ast.parse(path.read_text("utf-8")).body
    calls = [node.value for node in body if isinstance(node, ast.Expr)]
    names = {ast.unparse(call.func) for call in calls if isinstance(call, ast.Call)}
    return not names.isdisjoint({"draw_page", "draw_fragment"})


def test_every_module_that_draws_a_page_is_in_the_navigation() -> None:
    pages = {
        path.relative_to(HERE / "pages").as_posix()
        for path in HERE.glob("pages/**/*.py")
        if runs_a_page(path)
    }
    assert pages == {*PAGES}
    assert {*OF_A_COLLECTION, *BEFORE_ANYTHING} <= pages


def test_an_empty_workspace_gets_the_first_screen(
    open_app: OpenApp, empty_workspace: Path
) -> None:
    app = open_app(empty_workspace)
    for page in sorted({*PAGES} - BEFORE_ANYTHING):
        html = page_html(turned(app, page))
        assert "A passage is relevant if it answers one of your questions." in html
        assert not app.button(key="do_try").disabled
        assert app.file_uploader(key="files_0")
        assert [*app.get("button_group")[0].options] == [*SAMPLE_FILES]
        assert "curator " not in re.sub("<style>.*?</style>", "", html, flags=re.DOTALL)


def test_without_a_workspace_the_demo_is_served(
    open_app: OpenApp, built_demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURATOR_DEMO", str(built_demo))
    assert "Curator demo" in page_html(open_app(None, "overview/page.py"))


def test_a_file_that_is_no_workspace_is_one_line(
    open_app: OpenApp, tmp_path: Path
) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Nothing to see here, and longer than an SQLite header is. " * 40)
    app = open_app(path)
    for page in PAGES:
        assert "it is not an SQLite file" in page_html(turned(app, page)), page


def test_a_damaged_file_is_one_line(open_app: OpenApp, tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    with Workspace.open(path, create=True) as workspace:
        bank = question_bank(tmp_path / "bank.jsonl", {"q": {"q/a": "Why?"}})
        workspace.import_(bank=bank)
        workspace.connection.execute("UPDATE item SET choices = '[1]'")
    app = open_app(path)
    for page in OF_A_COLLECTION:
        told = page_html(turned(app, page))
        assert "is damaged: " in told, page


def without_questions(folder: Path) -> Path:
    """Queries and nothing else."""
    queries = write_lines(folder / "q.jsonl", [{"query_id": "q", "text": "Who?"}])
    with Workspace.open(folder / "w.db", create=True, judge="ann") as workspace:
        workspace.import_(queries=queries)
    return folder / "w.db"


def without_grades(folder: Path) -> Path:
    """Questions, passages and runs before anything was graded."""
    files = hand_made_workspace(folder / "files").parent
    passages = [{"id": f"p{n}", "text": f"Text of p{n}."} for n in (1, 2, 3)]
    with Workspace.open(folder / "w.db", create=True, judge="ann") as workspace:
        workspace.import_(
            queries=files / "queries.jsonl",
            bank=files / "bank.jsonl",
            runs=files / "runs",
            passages=write_lines(folder / "passages.jsonl", passages),
        )
    return folder / "w.db"


def without_runs(folder: Path) -> Path:
    """Graded passages that no system retrieved."""
    files = hand_made_workspace(folder / "files").parent
    with Workspace.open(folder / "w.db", create=True, judge="ann") as workspace:
        workspace.import_(
            queries=files / "queries.jsonl",
            bank=files / "bank.jsonl",
            autograder=files / "graded.jsonl",
        )
    return folder / "w.db"


def without_kept_questions(folder: Path) -> Path:
    """All questions of all queries are retired."""
    path = hand_made_workspace(folder / "files")
    with Workspace.open(path, judge="ann") as workspace:
        workspace.apply([Retire(question.question_id) for question in workspace.bank()])
    return path


def with_a_direct_grader(folder: Path) -> Path:
    """Passages graded as a whole, and questions nobody has graded."""
    graded = one_graded(folder / "graded.jsonl", "p", "q", {}, direct=2, judgment=0)
    bank = question_bank(folder / "bank.jsonl", {"q": {"q/a": "Why?"}})
    run = run_file(folder / "one.run", {"q": ["p"]}, "one")
    with Workspace.open(folder / "w.db", create=True, judge="ann") as workspace:
        workspace.import_(autograder=graded, bank=bank, runs=run, min_relevance=2)
    return folder / "w.db"


def with_nuggets(folder: Path) -> Path:
    """Key facts beside questions; the grader's questions are what counts."""
    bank = question_bank(folder / "bank.jsonl", {"q": {"q/n": "A fact"}}, kind="nugget")
    graded = one_graded(folder / "graded.jsonl", "p", "q", {"q/a": 5})
    asked = question_bank(folder / "asked.jsonl", {"q": {"q/a": "Why?"}})
    run = run_file(folder / "one.run", {"q": ["p"]}, "one")
    with Workspace.open(folder / "w.db", create=True, judge="ann") as workspace:
        workspace.import_(bank=[bank, asked], autograder=graded, runs=run)
    return folder / "w.db"


def of_one_system(folder: Path) -> Path:
    """The demo of nothing: one system, one passage, one question."""
    graded = one_graded(folder / "graded.jsonl", "p", "q", {"q/a": 5}, ranks={"one": 1})
    bank = question_bank(folder / "bank.jsonl", {"q": {"q/a": "Why?"}})
    with Workspace.open(folder / "w.db", create=True, judge="ann") as workspace:
        workspace.import_(bank=bank, autograder=graded)
    return folder / "w.db"


def in_arabic(folder: Path) -> Path:
    """Texts that the instant grader, which graded them, does not read."""
    with Workspace.open(folder / "w.db", create=True, judge="ann") as workspace:
        workspace.import_(**arabic_files(folder))
        workspace.grade("instant", encoder=FakeEncoder())
    return folder / "w.db"


COLLECTIONS = (
    without_questions,
    without_grades,
    without_runs,
    without_kept_questions,
    with_a_direct_grader,
    with_nuggets,
    of_one_system,
    in_arabic,
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Build], Path]:
    """The workspace that a builder makes, made once: opening a page writes nothing."""

    @cache
    def of(build: Build) -> Path:
        return build(tmp_path_factory.mktemp(build.__name__))

    return of


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_every_page_opens_on_every_kind_of_collection(
    open_app: OpenApp,
    built: Callable[[Build], Path],
    collection: Build,
    at_once: None,
) -> None:
    path = built(collection)
    app = open_app(path)
    for page in PAGES:
        html = page_html(turned(app, page))
        assert not re.search(r"\b(nan|NaN|None)\b", html), page
        assert 'class="c-toolbar"' in html, page
    for params in ADDRESSES:
        app = open_app(path, **params)
        for page in OF_A_COLLECTION:
            turned(app, page, **params)


def turned(app: AppTest, page: str, **params: str) -> AppTest:
    """The app at another page, with what the URL says there."""
    app.switch_page(f"pages/{page}")
    for name, value in params.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, (page, [error.value for error in app.exception])
    return app


@pytest.mark.parametrize("page", OF_A_COLLECTION)
def test_a_grader_of_whole_passages_gets_another_measure_and_a_line(
    open_app: OpenApp, built: Callable[[Build], Path], page: str
) -> None:
    app = open_app(built(with_a_direct_grader), page, measure="cover")
    assert "grades passages as a whole, so Cover is undefined" in page_html(app)
    assert settings(app)["measure"] == "nDCG@10"


@pytest.mark.parametrize("page", OF_A_COLLECTION)
def test_without_grades_a_button_makes_some(
    open_app: OpenApp, built: Callable[[Build], Path], page: str
) -> None:
    app = open_app(built(without_grades), page)
    assert "Grade with embedding</button>" in page_html(app)
    if page == "judge/page.py":
        assert given(app)["groups"]
        assert given(app)["measure"] == ""


def test_a_url_that_asks_for_what_is_not_there_gets_what_is_and_a_line(
    open_app: OpenApp, hand_made: Path
) -> None:
    app = open_app(hand_made, query="q9", measure="P@", grader="gpt", k="many")
    html = page_html(app)
    assert "No query &#39;q9&#39; in this workspace." in html
    assert "No query &#39;q9&#39;" in page_html(app.run())  # as others follow
    assert "Unknown measure &#39;P@&#39;." in html
    assert settings(app)["measure"] == "nDCG@10"
