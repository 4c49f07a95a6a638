"""Pictures of every state of the app, light and dark, 1440x900 and 1280x800.

    python -m scripts.shots [--only NAME …] [--scheme dark] [--width 1280]
                            [--output FOLDER] [--readme]

Each state is made in a workspace of its own in a temporary folder, by the same clicks
and keys a judge would use, and kept as ``shots/<state>-<scheme>-<width>.png``. With
``--readme`` only docs/images/curate.png is drawn: the demo right after an edit.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, expect

from curator.bank.edits import Add, Done, Edit, Keep, Retire, Reword, Vote
from curator.demo import build_demo, demo_folder
from curator.snapshot.gradebook import GraderRecord
from curator.store import jobs as store_jobs
from curator.store.collection import pool_texts
from curator.store.connection import open_workspace, write_transaction
from curator.store.grades import responder_id_of, write_ratings
from curator.store.responses import put_responses
from curator.store.texts import item_ids, item_of
from curator.verbs.grading.resolve_grader import register_grader
from curator.verbs.proposals.request import GenerationRequest
from curator.workspace import Workspace
from grading.ratings import UNREADABLE
from grading.registry import open_grader
from scripts.in_browser import launched, served
from tests.samples.asked_models import answered
from tests.samples.checked_answers import answered_workspace, judged, scored
from tests.samples.hand_made import hand_made_workspace
from tests.samples.workspaces import DEMO_FILES

ROOT = Path(__file__).parent.parent
README_PICTURE = ROOT / "docs" / "images" / "curate.png"
SIZES = ((1440, 900), (1280, 800))
SCHEMES = ("light", "dark")
LARGEST = 400_000  # bytes; the README's picture is fetched with it
MODEL_LOADS_WITHIN = 120_000  # milliseconds, on a busy machine
LEAVES = {"query": "autumn-leaves", "judge": "Ann Ruiz"}
AUTUMN = "How do trees know that autumn is coming?"
GUIDELINES = """\
**Keep** a question if every passage that answers it would help this searcher.

- One fact or one *how* or *why* a question.
- Retire what the title already answers.
"""

MODEL = "gpt-4o-mini"
PROPOSED = [
    "At what time of the year do leaves fall?",
    "What do cold nights do to a leaf?",
    "Which trees keep their leaves, and why?",
    "Do leaves change colour in the tropics?",
    "How long do autumn colours last?",
    "What happens to fallen leaves?",
]
REFUSAL = "I’m sorry, but I can’t give medical advice. Please ask your doctor."
OWN_PROMPT = (
    "Somebody searches for '{query_title}'.\n{query_background}\n"
    "Ask {count} questions that a patient would ask, as a Python list. We have:\n"
    "{existing_questions}"
)
CHAT = f"chat:{MODEL}"
FAILED = {
    "state": "failed",
    "error": "google/flan-t5-large is not on this machine; fetch it with "
    "`hf download google/flan-t5-large`",
}
# What a chat model says, and how that is read.
SAID = ("5", "It depends on what the searcher wants to know.", "0", "3", "N/A", "4")
RATED = (5, UNREADABLE, 0, 3, UNREADABLE, 4)

Steps = Callable[[Page], None]
expect.set_options(timeout=30_000)


@dataclass(frozen=True)
class Snapshot:
    """A state to be drawn: its workspace, where to look, what to do there."""

    name: str
    build: Callable[[Path], None]
    params: dict[str, str] = field(default_factory=dict)
    steps: Steps = lambda page: None
    page: str = ""
    warm: bool = True


# Workspaces


def demo(path: Path) -> None:
    """The demo, graded; built once in the temporary folder and then copied."""
    built = path.parent.parent / "demo.db"
    if not built.exists():
        os.environ["CURATOR_DEMO"] = str(built)
        build_demo()
    shutil.copy(built, path)


def demo_with(**settings: object) -> Callable[[Path], None]:
    """The demo, set up by its organizer."""

    def build(path: Path) -> None:
        demo(path)
        with Workspace.open(path) as workspace:
            workspace.set_up(**settings)  # type: ignore[arg-type]

    return build


def demo_without(*left_out: str) -> Callable[[Path], None]:
    """The demo collection without some of its files; graded where it can be."""

    def build(path: Path) -> None:
        files = {
            k: demo_folder() / v for k, v in DEMO_FILES.items() if k not in left_out
        }
        with Workspace.open(path, create=True, judge="Ann Ruiz") as workspace:
            workspace.import_(**files, min_relevance=2, title="Curator demo")
            if "bank" not in left_out:
                workspace.grade("embedding", query_id="autumn-leaves")

    return build


def empty(path: Path) -> None:
    """A workspace with nothing in it."""
    Workspace.open(path, create=True).close()


def imported_grader(path: Path) -> None:
    """Two systems, two queries, and grades that came with a file."""
    shutil.copy(hand_made_workspace(path.parent / "hand-made"), path)


def answers_judged(path: Path) -> None:
    """Answers that strings and a model see differently, judged by somebody."""
    made = answered_workspace(path.parent / "answered")
    scored(made)
    judged(made)
    shutil.copy(made, path)


def with_job(pid: int, **columns: object) -> Callable[[Path], None]:
    """The demo with a job of this process, half done; columns of its row said anew."""

    def build(path: Path) -> None:
        demo(path)
        row = {
            "done": 215,
            "heartbeat": time.time() + 600,
            "prompts": 215,
            "cut": 12,
            "tokens_in": 96_320,
            "tokens_out": 430,
        } | columns
        connection = open_workspace(path)
        now = time.time()
        with write_transaction(connection):
            job = store_jobs.insert_job(
                connection,
                "grade",
                {"grader": "flan-t5-large"},
                by="Ann Ruiz",
                total=430,
                at=now - 120,
            )
            run = store_jobs.read_job(connection, job).run
            store_jobs.update_run(
                connection, job, run, host=os.uname().nodename, pid=pid
            )
            named = ", ".join(f"{name} = ?" for name in row)
            connection.execute(
                f"UPDATE job SET {named} WHERE job_id = ?", (*row.values(), job)
            )
        connection.close()

    return build


def unreadable(path: Path) -> None:
    """The demo graded by a chat model that did not always state a rating."""
    demo(path)
    with Workspace.open(path, judge="Ann Ruiz") as workspace:
        bank, pools = workspace.bank(), workspace.collection().pools
    connection = open_workspace(path)
    record = register_grader(connection, GraderRecord(0, open_grader(CHAT).spec))
    responder = responder_id_of(connection, record.grader_id)
    with write_transaction(connection):
        for query_id, pool in pools.items():
            ratings: dict[tuple[int, int], dict[int, int]] = {}
            texts = pool_texts(connection, query_id)
            for number, question in enumerate(bank.questions_of(query_id)):
                item = item_of(question)
                item_id = item_ids(connection, [item])[item]
                asked = [(number + at) % len(SAID) for at in range(pool.size)]
                ratings[item_id, 0] = {at: RATED[n] for at, n in enumerate(asked)}
                responses = [
                    (item_id, texts[at][0], SAID[n], None) for at, n in enumerate(asked)
                ]
                put_responses(connection, responder, responses)
            write_ratings(connection, record.grader_id, query_id, ratings)
    connection.close()


def unasked(path: Path) -> None:
    """The demo where nothing says which model could be asked."""
    demo(path)
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        os.environ.pop(name, None)


def proposed(path: Path) -> None:
    """The demo after a model was asked, once in vain, and two judges decided."""
    demo(path)
    os.environ["OPENAI_BASE_URL"] = "http://localhost:8000/v1"
    with Workspace.open(path) as workspace:
        workspace.set_up(generation=GenerationRequest(MODEL, temperature=0.7))
    answered(path, json.dumps(PROPOSED), query_id="autumn-leaves", model=MODEL)
    answered(path, REFUSAL, query_id="pacemaker", model=MODEL)
    decisions: dict[str, list[Callable[[str], Edit]]] = {
        "Ann Ruiz": [Keep, lambda one: Reword(one, "When do leaves fall?"), Retire],
        "Ben Novak": [Keep, Keep],
    }
    for judge, edits in decisions.items():
        with Workspace.open(path, judge=judge) as workspace:
            workspace.apply(Add("pacemaker", f"What would {judge} ask?"))
            waiting = [q for q in workspace.bank() if q.state == "proposed"]
            for seconds, (edit, question) in enumerate(
                zip(edits, waiting, strict=False), 4
            ):
                workspace.apply(edit(question.question_id), seconds=seconds)


def waiting(path: Path) -> None:
    """The demo after a model was asked about a subtopic, before anybody decided."""
    demo(path)
    os.environ["OPENAI_BASE_URL"] = "http://localhost:8000/v1"
    with Workspace.open(path) as workspace:
        workspace.set_up(generation=GenerationRequest(MODEL))
    same = "Why are leaves green in the summer months?"
    about = {"query_id": LEAVES["query"], "subtopic_id": "pigments"}
    answered(
        path, json.dumps([*PROPOSED[:3], same, *PROPOSED[3:]]), model=MODEL, **about
    )


def voted(path: Path) -> None:
    """The demo after two judges voted on every question, and a third on none."""
    demo(path)
    for step, judge in enumerate(("Ben Novak", "Cleo Park"), 2):
        with Workspace.open(path, judge=judge) as workspace:
            kept = [one for one in workspace.bank() if one.state == "kept"]
            workspace.apply(
                Vote(one.question_id, "vital" if at % (step + 1) else "okay")
                for at, one in enumerate(kept)
            )


def released(path: Path) -> None:
    """The demo with two releases, edited since: one question is not graded yet."""
    demo(path)
    with Workspace.open(path, judge="Ann Ruiz") as workspace:
        workspace.release("pilot", measure="P@10", why="For the first meeting")
        kept = [one for one in workspace.bank() if one.state == "kept"]
        workspace.apply([Retire(one.question_id, "too easy") for one in kept[:2]])
        workspace.release("v1", measure="cover", why="What participants get")
        workspace.apply(
            [Retire(kept[5].question_id), Reword(kept[6].question_id, "Why?")]
        )
        workspace.apply(Add(kept[7].query_id, "When do the last leaves fall?"))
        workspace.apply(Done("autumn-leaves"))


# What a judge does


def question(page: Page, text: str) -> None:
    """Select the question with this text."""
    page.locator(".c-question").filter(has_text=text).locator(".q-text").click()


def retire(page: Page) -> None:
    """Retire the question of the README's picture, and wait for the highlight."""
    question(page, AUTUMN)
    page.keyboard.press("x")
    expect(page.locator(".c-impact")).to_contain_text("Retired")
    page.mouse.move(100, 600)
    expect(page.locator(".c-reader mark").first).to_be_visible()


def preview(page: Page) -> None:
    """Rest on a question."""
    page.locator(".c-question").nth(3).hover()
    expect(page.locator(".q-preview")).to_be_visible()


def deciding(page: Page) -> None:
    """A proposal was dropped, and another is rested on."""
    rows = page.locator(".c-proposed")
    expect(rows.first).to_contain_text("would reach", timeout=MODEL_LOADS_WITHIN)
    rows.first.locator(".q-text").click()
    page.keyboard.press("x")
    expect(page.locator(".c-impact")).to_contain_text("Dropped")
    rows.nth(1).hover()
    expect(page.locator(".q-preview")).to_be_visible()


def solo(page: Page) -> None:
    """The board under one question alone."""
    question(page, AUTUMN)
    page.keyboard.press("s")
    expect(page.locator(".st-key-right")).to_contain_text("alone")


def writing(page: Page) -> None:
    """An editor with a text that is not saved."""
    question(page, AUTUMN)
    page.keyboard.press("e")
    page.keyboard.press("End")
    page.keyboard.type(" And when?")


def adding(page: Page) -> None:
    """A list about to be added."""
    page.keyboard.press("n")
    page.keyboard.insert_text("Which trees turn first?\nWhy do some stay green?")


def conflict(page: Page) -> None:
    """Somebody saves the question while it is being written."""
    writing(page)
    path = Path(page.evaluate("window.workspacePath"))
    with Workspace.open(path, judge="Ben Novak") as workspace:
        found = next(q for q in workspace.bank() if q.text == AUTUMN)
        workspace.apply(Reword(found.question_id, "What tells trees of autumn?"))
    page.keyboard.press("Enter")
    expect(page.locator(".q-conflict")).to_be_visible()


def reworded(page: Page) -> None:
    """New text under a grader that cannot grade it: two boards."""
    question(page, "Why is it?")
    page.keyboard.press("e")
    page.keyboard.press("End")
    page.keyboard.type(" Say so.")
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-right")).to_contain_text("cannot grade new text")


def partial(page: Page) -> None:
    """A query that lacks grades."""
    page.wait_for_timeout(500)


def counted(page: Page) -> None:
    """What a chat model would be asked, and what that costs."""
    page.get_by_label("Grader", exact=True).fill(CHAT)
    page.get_by_label("Dollars for a million tokens in").fill("0.15")
    page.get_by_label("Dollars for a million tokens out").fill("0.60")
    page.get_by_role("button", name="Count").click()
    expect(page.locator(".g-counted")).to_contain_text("tokens")


def custom_prompt(page: Page) -> None:
    """A prompt of one's own, not saved yet; what could not be read, unfolded."""
    page.get_by_label("Prompt", exact=True).select_option("own")
    page.get_by_label("Your prompt").fill(OWN_PROMPT)
    expect(page.locator(".st-key-right")).to_contain_text("not saved yet")
    page.locator(".u-row summary").click()


def listed(page: Page) -> None:
    """The responses that state no rating, beside the table."""
    page.locator("[data-pick^='unreadable:']").first.click()
    expect(page.locator(".g-response").first).to_be_visible()


def locked(page: Page) -> None:
    """Somebody else has the file while a question is retired."""
    path = page.evaluate("window.workspacePath")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    question(page, AUTUMN)
    page.keyboard.press("x")
    expect(page.locator(".st-key-question_list .c-error")).to_be_visible()
    other.execute("ROLLBACK")
    other.close()


def voting(page: Page) -> None:
    """A third judge votes on four questions, and looks back at the third."""
    expect(page.locator("html[data-questions]")).to_be_attached()
    for key in "voovk":
        page.keyboard.press(key)
    expect(page.locator("[data-unsaved]")).to_have_count(0)


def finishing(page: Page) -> None:
    """Every question of the query is voted on; boards and curves are drawn."""
    expect(page.locator("html[data-questions]")).to_be_attached()
    for key in "vvovvvovvv":
        page.keyboard.press(key)
    expect(page.locator("[data-unsaved]")).to_have_count(0)
    page.get_by_role("button", name="Draw boards and curves").click()
    expect(page.locator(".c-figure")).to_have_count(2)
    page.locator(".st-key-right").evaluate("one => one.scrollTop = one.scrollHeight")


def keys(page: Page) -> None:
    """The list of keys."""
    page.keyboard.press("h")
    expect(page.locator("dialog.c-keys")).to_be_visible()


def guidelines(page: Page) -> None:
    """The organizer's words."""
    page.keyboard.press("G")
    expect(page.locator(".st-key-guidelines_text")).to_contain_text("Keep")


def gone(page: Page) -> None:
    """The line that stands while the server does not answer."""
    writing(page)
    page.context.set_offline(True)
    expect(page.locator(".st-key-question_list .c-error")).to_contain_text(
        "Not connected"
    )


def freezing(page: Page) -> None:
    """Ticked, and named."""
    page.locator(".st-key-regardless label").click()
    expect(page.get_by_role("button", name="Freeze", exact=True)).to_be_enabled()
    page.keyboard.press("f")
    page.keyboard.type("v2")


def restoring(page: Page) -> None:
    """About to be restored."""
    page.get_by_role("button", name="Restore…").click()
    expect(page.get_by_text("Restoring changes the bank")).to_be_visible()


STATES = (
    Snapshot("retired", demo, LEAVES, retire),
    Snapshot("preview", demo, LEAVES, preview),
    Snapshot("deciding", waiting, LEAVES, deciding),
    Snapshot("solo", demo, LEAVES, solo),
    Snapshot("writing", demo, LEAVES, writing),
    Snapshot("adding", demo, LEAVES, adding),
    Snapshot("conflict", demo, LEAVES, conflict),
    Snapshot("keys", demo, LEAVES, keys),
    Snapshot("guidelines", demo_with(guidelines=GUIDELINES), LEAVES, guidelines),
    Snapshot("blind", demo_with(blind=True), LEAVES, retire),
    Snapshot("no-collection", empty),
    Snapshot("no-questions", demo_without("bank"), LEAVES),
    Snapshot("no-runs", demo_without("runs", "official"), LEAVES),
    Snapshot("partial", demo_without(), LEAVES | {"query": "pacemaker"}, partial),
    Snapshot("warming", demo, LEAVES, warm=False),
    Snapshot("two-boards", imported_grader, {"query": "q1"}, reworded),
    Snapshot("job-running", with_job(os.getpid()), LEAVES),
    Snapshot("job-stopped", with_job(2**22 - 1), LEAVES),
    Snapshot("locked", demo, LEAVES, locked),
    Snapshot("not-connected", demo, LEAVES, gone),
    Snapshot("passages", demo, LEAVES, page="passages"),
    Snapshot("leaderboard", demo, LEAVES, page="leaderboard"),
    Snapshot("compare", demo, LEAVES, page="compare"),
    Snapshot("system", demo, LEAVES | {"system": "bm25"}, page="system"),
    Snapshot("history", demo, LEAVES, page="history"),
    Snapshot("judges-none", voted, LEAVES, page="judges"),
    Snapshot("judges", voted, LEAVES, voting, page="judges"),
    Snapshot("judges-done", voted, LEAVES, finishing, page="judges"),
    Snapshot("answers-none", demo, page="answers"),
    Snapshot("answers", answers_judged, {"judge": "ann"}, page="answers"),
    Snapshot("export-none", demo_without("bank"), page="export"),
    Snapshot("export-first", demo, LEAVES, page="export"),
    Snapshot("export", released, LEAVES, freezing, page="export"),
    Snapshot(
        "export-release",
        released,
        LEAVES | {"release": "pilot"},
        restoring,
        page="export",
    ),
    Snapshot("export-blind", demo_with(blind=True), {"file": "runs"}, page="export"),
    Snapshot("proposals-none", unasked, page="proposals"),
    Snapshot("proposals", proposed, page="proposals"),
    Snapshot("proposals-own", proposed, {}, custom_prompt, page="proposals"),
    Snapshot("grading-none", demo_without("bank"), page="grading"),
    Snapshot("grading-counted", demo, {}, counted, page="grading"),
    Snapshot("grading-running", with_job(os.getpid(), run_done=60), page="grading"),
    Snapshot("grading-paused", with_job(os.getpid(), state="paused"), page="grading"),
    Snapshot("grading-stopped", with_job(2**22 - 1), page="grading"),
    Snapshot("grading-failed", with_job(1, **FAILED), page="grading"),
    Snapshot("grading-unreadable", unreadable, {}, listed, page="grading"),
)


def draw(
    browser: Browser,
    snapshot: Snapshot,
    folder: Path,
    target: Callable[[str, int], Path],
    sizes: tuple[tuple[int, int], ...],
    schemes: Sequence[str],
) -> None:
    """One picture for each scheme and size, each from a fresh workspace."""
    for scheme in schemes:
        for width, height in sizes:
            own = folder / f"{snapshot.name}-{scheme}-{width}"
            own.mkdir()
            path = own / "work.db"
            snapshot.build(path)
            with served(path, judge="Ann Ruiz") as address:
                context = browser.new_context(
                    viewport={"width": width, "height": height},
                    color_scheme="dark" if scheme == "dark" else "light",
                )
                context.add_init_script(f"window.workspacePath = {str(path)!r}")
                page = context.new_page()
                page.goto(f"{address}/{snapshot.page}?{urlencode(snapshot.params)}")
                expect(page.locator("html[data-listener=ready]")).to_be_attached()
                if snapshot.warm:
                    wait_for_model(page)
                snapshot.steps(page)
                settle(page)
                page.screenshot(path=target(scheme, width))
                context.close()


def wait_for_model(page: Page) -> None:
    """Return when no line says that the model loads."""
    loading = page.locator(".st-key-model_status").filter(has_text="loading")
    page.wait_for_timeout(1500)
    expect(loading).to_have_count(0, timeout=MODEL_LOADS_WITHIN)


def settle(page: Page) -> None:
    """Nothing moves any more once fonts are there."""
    page.evaluate("document.fonts.ready")
    page.wait_for_timeout(600)


def main() -> int:
    """Draw what was asked for; 1 where the README's picture came out too large."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", help="names of states")
    parser.add_argument("--scheme", choices=SCHEMES, action="append")
    parser.add_argument("--width", choices=[w for w, _ in SIZES], type=int)
    parser.add_argument("--output", type=Path, default=ROOT / "shots")
    parser.add_argument("--readme", action="store_true")
    options = parser.parse_args()
    with TemporaryDirectory() as temporary, launched() as browser:
        folder = Path(temporary)
        if options.readme:
            draw(
                browser,
                STATES[0],
                folder,
                lambda *_: README_PICTURE,
                SIZES[:1],
                SCHEMES[:1],
            )
            size = README_PICTURE.stat().st_size
            print(f"{README_PICTURE}: {size:,} bytes")
            return 0 if size < LARGEST else 1
        options.output.mkdir(exist_ok=True)
        for state in STATES:
            if options.only and state.name not in options.only:
                continue

            def target(scheme: str, width: int, name: str = state.name) -> Path:
                return Path(options.output) / f"{name}-{scheme}-{width}.png"

            sizes = tuple(s for s in SIZES if options.width in (None, s[0]))
            draw(browser, state, folder, target, sizes, options.scheme or SCHEMES)
            print(state.name, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
