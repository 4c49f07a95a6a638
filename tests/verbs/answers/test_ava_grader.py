"""Graders that check answers by an AVA model: real store and keys, a model by a table.

What the answering model says is written down, so every answer, score and rating can be
told by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

from curator.bank.edits import Reword
from curator.tables.grading import graded_table
from curator.verbs.answers.answer_checks import QueryAnswers, query_answers
from curator.verbs.setup import graders
from curator.workspace import Workspace
from grading.ava.card import Card, Data
from grading.ava.model import Scores, Triple
from grading.errors import (
    EndpointError,
    MissingModelError,
)
from grading.ratings import NOT_ASKED, UNREADABLE
from tests.samples.chat_server import ChatServer
from tests.samples.local_grader import ANSWERING, grade
from tests.samples.workspaces import graded_file, graded_passage, question_bank

QA = ANSWERING
ANSWERS = "llm/Answers"  # an imported grader

# What passages say; "…" is no answer, "" a response without words.
SAYS = {
    "p0": "the skin",
    "p1": "an outer layer",
    "p2": "unanswerable",
    "p3": "the skin",
    "p4": "",
    "p5": "bones",
}
KEY = ["epidermis", "skin"]
SCORES = {
    ("epidermis", "the skin"): 0.6,
    ("skin", "the skin"): 0.9,
    ("epidermis", "an outer layer"): 0.7,
    ("skin", "an outer layer"): 0.2,
    ("epidermis", "bones"): 0.5,
    ("skin", "bones"): 0.5,
}
# by hand: means .75, .45 and .5, and right is above .5; p2 says there is no answer,
# p4 says nothing
BY_HAND = [[1, 0, 0, 1, UNREADABLE, 0]]


@dataclass
class TableAva:
    """Scores by (reference, candidate), 0 for any other; remembers what it saw."""

    card: Card
    fingerprint: str = "1"
    table: Mapping[tuple[str, str], float] = field(default_factory=lambda: SCORES)
    seen: list[Triple] = field(default_factory=list)
    fails_at_call: int = -1

    def scores(self, triples: Sequence[Triple]) -> Scores:
        self.fails_at_call -= 1
        if self.fails_at_call == -1:
            raise KeyboardInterrupt
        self.seen += triples
        return np.array(
            [self.table.get((t.reference, t.candidate), 0.0) for t in triples]
        )

    @property
    def candidates(self) -> list[str]:
        """The distinct answers it was asked about, in order."""
        return list(dict.fromkeys(one.candidate for one in self.seen))


@pytest.fixture
def model(tmp_path: Path, monkeypatch) -> tuple[str, TableAva]:
    """(folder, the model that stands in it)"""
    folder = tmp_path / "mine"
    card = Card("mine", "linear", Data((), 0, 0, 0, 0, 0, 0))
    folder.mkdir()
    card.write(folder)
    found = TableAva(card)

    def opened(folder: Path) -> TableAva:
        if not (folder / "card.json").is_file():
            raise MissingModelError(f"No AVA model in '{folder}'")
        return found

    monkeypatch.setattr("grading.ava.grader.open_ava", opened)
    return str(folder), found


PASSAGES = [
    graded_passage(p, "q1", {}, text=f"This is {p}.", ranks={"one": i + 1})
    for i, p in enumerate(SAYS)
]


def workspace_of(folder: Path, passages: Sequence[Mapping[str, object]]) -> Workspace:
    questions = {"q1": {"q1/a": "What covers us?"}}
    bank = question_bank(folder / "bank.jsonl", questions, answers={"q1/a": KEY})
    workspace = Workspace.open(folder / "w.db", create=True, judge="ann")
    workspace.import_(
        autograder=graded_file(folder / "graded.jsonl", {"q1": passages}), bank=bank
    )
    return workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """One question, six passages, and what was answered."""
    with workspace_of(tmp_path, PASSAGES) as workspace:
        answer(workspace)
        yield workspace


def answer(workspace: Workspace) -> None:
    """Have every question as it reads now answered."""
    (question,) = workspace.bank().questions_of("q1")
    said = {(question.question_id, p): words for p, words in SAYS.items()}
    grade(workspace.path, QA, said)


def ratings(workspace: Workspace, grader: str) -> list[list[int]]:
    snapshot = workspace.current_snapshot()
    return snapshot.matrix(grader, "q1", snapshot.bank).ratings.tolist()


def test_an_answer_is_right_where_its_mean_score_is_above_the_threshold(
    workspace, model
):
    folder, ava = model
    summary = workspace.grade(f"ava:{folder}+{QA}")
    assert summary.grader == f"ava:{folder}+{QA}"
    assert ratings(workspace, summary.grader) == BY_HAND
    # by hand: 6 pairs, 3 different answers, each against 2 references
    assert (summary.asked, summary.answers, summary.queries) == (6, 3, 1)
    assert summary.unreadable == 1
    assert any("1 unreadable" in note for note in graded_table(summary).notes)
    assert ava.candidates == ["the skin", "an outer layer", "bones"]
    assert len(ava.seen) == 6
    assert {t.question for t in ava.seen} == {"What covers us?"}
    assert workspace.verify().problems == ()
    board = workspace.leaderboard(grader=summary.grader, measure="P@2")
    assert board.scores() == {"one": 0.5}  # by hand: the first of two


def test_what_was_scored_is_not_scored_again(workspace, model):
    folder, ava = model
    name = workspace.grade(f"ava:{folder}+{QA}").grader
    again = workspace.grade(name)
    assert (again.asked, again.answers, len(ava.seen)) == (0, 0, 6)
    workspace.apply(Reword("q1/a", "What is around us?", based_on=1))
    assert ratings(workspace, name) == [[NOT_ASKED] * 6]
    answer(workspace)
    assert workspace.grade(name).answers == 3
    assert len(ava.seen) == 12
    workspace.undo()
    assert ratings(workspace, name) == BY_HAND
    assert workspace.grade(name).asked == 0
    assert workspace.verify().problems == ()


def test_a_tuned_threshold_is_another_grader_over_the_same_scores(workspace, model):
    folder, ava = model
    first = workspace.grade(f"ava:{folder}+{QA}").grader
    ava.card = replace(ava.card, threshold=0.4)
    counted = workspace.grade(f"ava:{folder}+{QA}", dry_run=True)
    summary = workspace.grade(f"ava:{folder}+{QA}")
    assert counted.grader == summary.grader == f"{first} (2)"
    # Cut short, the name means the one without a number.
    assert workspace.settings(grader=f"AVA:{folder}".upper()).grader == first
    assert (summary.asked, summary.answers, len(ava.seen)) == (6, 0, 6)
    # by hand: .75, .45 and .5 are all above .4
    assert ratings(workspace, summary.grader) == [[1, 1, 0, 1, UNREADABLE, 1]]
    assert ratings(workspace, first) == BY_HAND
    # Each goes on as it was stored, whatever the card says by now.
    ava.card = replace(ava.card, threshold=0.1)
    workspace.apply(Reword("q1/a", "What is around us?", based_on=1))
    answer(workspace)
    assert workspace.grade(f"{first} (2)").grader == f"{first} (2)"
    assert ratings(workspace, f"{first} (2)") == [[1, 1, 0, 1, UNREADABLE, 1]]
    assert workspace.verify().problems == ()


def imported(folder: Path, said: Mapping[str, str | None]) -> Workspace:
    """A workspace whose answers came with a file; None is no answer."""
    passages = []
    for rank, (name, raw) in enumerate(said.items(), start=1):
        text = f"This is {name}."
        passage = graded_passage(name, "q1", {}, text=text, ranks={"one": rank})
        if raw is not None:
            record = {"correctAnswered": ["q1/a"], "answers": [["q1/a", raw]]}
            record |= {"wrongAnswered": [], "llm": "llm", "llm_options": {}}
            prompt = {"prompt_class": "Answers", "check_answer_key": False}
            record |= {"exam_ratio": 1.0, "prompt_info": prompt}
            passage["exam_grades"] = [record]
        passages.append(passage)
    return workspace_of(folder, passages)


def test_answers_that_came_with_a_file_are_checked_as_far_as_they_go(tmp_path, model):
    folder, _ava = model
    said = {**SAYS, "p4": None, "p5": "the skin"}
    with imported(tmp_path, said) as workspace:
        name = workspace.grade(f"ava:{folder}").grader
        assert name == f"ava:{folder}+{ANSWERS}"
        summary = workspace.grade(name, dry_run=True)
        # p4 was never answered, and nobody here can.
        assert (summary.asked, summary.without_answer) == (0, 1)
        assert ratings(workspace, name) == [[1, 0, 0, 1, NOT_ASKED, 1]]
        (_, state) = graders(workspace.current_snapshot())
        assert (state.kind, state.source, state.can_grade) == ("keyed", ANSWERS, False)
        assert (state.known, state.unasked, state.out_of_reach) == (5, 0, 1)
        # Its answers are the answering grader's, to be marked in the passages.
        assert workspace.answers("q1", ["p1"], name) == {
            "p1": {"q1/a": "an outer layer"}
        }
        assert workspace.verify().problems == ()


def test_another_model_in_the_folder_is_refused_in_one_line(workspace, model):
    folder, ava = model
    name = workspace.grade(f"ava:{folder}+{QA}").grader
    ava.fingerprint = "2"
    for asked in (name, f"ava:{folder}", f"ava:{folder}/+flan-t5"):
        with pytest.raises(
            MissingModelError, match="has changed since it graded"
        ) as refused:
            workspace.grade(asked)
        assert "\n" not in str(refused.value)
    ava.card = replace(ava.card, threshold=0.4)
    with pytest.raises(MissingModelError, match="has changed since it graded"):
        workspace.grade(f"ava:{folder}", dry_run=True)
    assert [one.name for one in workspace.graders()] == [QA, name]
    (Path(folder) / "card.json").unlink()
    with pytest.raises(MissingModelError, match="No AVA model"):
        workspace.grade(name)


def test_a_source_that_can_be_opened_here_is_asked_first(tmp_path, model, monkeypatch):
    folder, _ = model
    name = f"ava:{folder}+chat:m/qa"
    with (
        workspace_of(tmp_path, PASSAGES) as workspace,
        ChatServer(answer=said_of_passage) as server,
    ):
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        monkeypatch.setenv("OPENAI_BASE_URL", "https://api.openai.com/v1")
        with pytest.raises(EndpointError, match="OPENAI_API_KEY"):
            workspace.grade(name)
        with pytest.raises(EndpointError, match="OPENAI_API_KEY"):
            workspace.start_job(name)
        assert workspace.graders() == ()
        server.lead(monkeypatch)
        counted = workspace.grade(name, dry_run=True)
        assert (counted.grader, counted.prompts, counted.asked) == (name, 6, 12)
        assert workspace.graders() == ()
        summary = workspace.grade(name)
        assert (summary.prompts, summary.asked, summary.unreadable) == (6, 12, 1)
        assert ratings(workspace, name) == BY_HAND
        assert [one.name for one in workspace.graders()] == ["chat:m/qa", name]
        assert workspace.verify().problems == ()


def said_of_passage(prompt: str) -> str:
    """What the passage in the prompt says."""
    return next(words for p, words in SAYS.items() if f"This is {p}." in prompt)


def checked(workspace: Workspace, name: str) -> QueryAnswers:
    """The answers to be checked, by their strings and by this model."""
    snapshot = workspace.current_snapshot()
    return query_answers(snapshot, snapshot.grader(QA), [snapshot.grader(name)], "q1")


def test_the_extracted_answers_of_a_query_with_what_checks_say_of_them(
    workspace, model
):
    found = checked(workspace, workspace.grade(f"ava:{model[0]}+{QA}").grader)
    # by hand: "the" is a stop word, so "the skin" is "skin"
    assert [
        (one.answer, one.passage_ids, one.right, one.scores) for one in found.answers
    ] == [
        ("the skin", ("p0", "p3"), (True, True), (None, 0.75)),
        ("an outer layer", ("p1",), (False, False), (None, pytest.approx(0.45))),
        ("bones", ("p5",), (False, False), (None, 0.5)),
    ]
